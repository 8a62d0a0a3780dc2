//! The agent with a host that records its calls.

mod sessions;

use std::collections::BTreeMap;

use super::*;
use crate::payload::Timestamp;
use crate::{
    ByteOrder, Client, ClientConfig, ClientEvent, ClientKey, DataLimits, Definition, Endpoint, EndpointQos,
    Entity, ObjectId, ObjectKind, Parent, Profiles, ReadRequest, Reader, Request, SessionId, Status,
    StreamId, Topic, TopicReference,
};

/// The address of a client in these tests.
type Address = u16;

/// A host that records the calls of the agent. Data that are written are published to itself.
#[derive(Debug, Default)]
struct FakeHost {
    sent: Vec<(Address, Vec<u8>)>,
    objects: BTreeMap<(ClientKey, ObjectId), String>,
    reads: Vec<(ClientKey, ReadRequest)>,
    written: Vec<(ClientKey, Request, Vec<u8>)>,
    departures: Vec<(ClientKey, Departure)>,
    times: Vec<i64>,
    rooms: usize,
    shared: Vec<(ClientKey, [Address; 2])>,
    refusals: Vec<(Option<ObjectId>, String)>,
    strays: Vec<(Address, Stray)>,
    /// Whether the graph has no room for data.
    is_full: bool,
}

impl AgentHost for FakeHost {
    type Address = Address;

    fn send(&mut self, to: &Address, message: &[u8]) -> bool {
        self.sent.push((*to, message.to_vec()));
        true
    }

    fn system_time(&mut self) -> i64 {
        if self.times.is_empty() { 0 } else { self.times.remove(0) }
    }

    fn connected(&mut self, _client: ClientKey, _address: &Address) {}

    fn departed(&mut self, client: ClientKey, reason: Departure) {
        self.departures.push((client, reason));
    }

    fn create(&mut self, client: ClientKey, id: ObjectId, object: GraphObject<'_>) -> Status {
        self.objects.insert((client, id), format!("{object:?}"));
        Status::Ok
    }

    fn delete(&mut self, client: ClientKey, id: ObjectId) {
        assert!(self.objects.remove(&(client, id)).is_some(), "{client} {id:?} was deleted twice");
    }

    fn read(&mut self, client: ClientKey, request: ReadRequest) {
        self.reads.push((client, request));
    }

    fn write(&mut self, client: ClientKey, request: Request, data: &[u8]) -> Written {
        if self.is_full {
            return Written::Busy;
        }
        self.written.push((client, request, data.to_vec()));
        Written::Published
    }

    fn has_room(&mut self, _client: ClientKey) {
        self.rooms += 1;
    }

    fn shares_key(&mut self, client: ClientKey, addresses: [&Address; 2]) {
        self.shared.push((client, addresses.map(|address| *address)));
    }

    fn refused(&mut self, _client: ClientKey, object: Option<ObjectId>, refusal: &Refusal) {
        self.refusals.push((object, refusal.to_string()));
    }

    fn stray(&mut self, from: &Address, stray: Stray) {
        self.strays.push((*from, stray));
    }
}

const SECOND: u64 = 1_000_000_000;

/// An agent, its host, and the time.
struct Bench {
    agent: Agent<Address>,
    host: FakeHost,
    now: u64,
}

impl Bench {
    fn new(config: AgentConfig) -> Self {
        Self { agent: Agent::new(config, Profiles::default()), host: FakeHost::default(), now: SECOND }
    }

    /// Gives the agent a message, and delivers what a client publishes to its own reader. Returns the answers.
    fn exchange(&mut self, from: Address, message: &[u8]) -> Vec<Vec<u8>> {
        self.agent.handle(self.now, &from, message, &mut self.host);
        for (client, request, data) in std::mem::take(&mut self.host.written) {
            let reader = ObjectId::new(request.object.number(), ObjectKind::DataReader);
            let _ = self.agent.deliver(self.now, (client, reader), &[], &data, &mut self.host);
        }
        self.agent.flush(self.now, &mut self.host);
        self.sent()
    }

    fn sent(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.host.sent).into_iter().map(|(_, message)| message).collect()
    }

    /// Advances the time step by step.
    fn wait(&mut self, time: u64) {
        let end = self.now + time;
        while let Some(due) = self.agent.due().filter(|due| *due <= end) {
            self.now = self.now.max(due);
            self.agent.check(self.now, &mut self.host);
        }
        self.now = end;
    }

    /// Exchanges messages with a client until neither has anything to send. Returns the events of the client.
    fn run(&mut self, client: &mut Client, address: Address) -> Vec<String> {
        let mut events = Vec::new();
        loop {
            let mut messages = Vec::new();
            client.poll(
                self.now,
                |message| messages.push(message.to_vec()),
                |event| {
                    events.push(format!("{event:?}"));
                },
            );
            if messages.is_empty() {
                return events;
            }
            for message in messages {
                for answer in self.exchange(address, &message) {
                    client.handle(self.now, 0, &answer, |event| events.push(format!("{event:?}")));
                }
            }
        }
    }
}

fn key(number: u8) -> ClientKey {
    ClientKey([0xCC, 0, 0, number])
}

fn participant() -> ObjectId {
    ObjectId::new(1, ObjectKind::Participant)
}

fn writer() -> ObjectId {
    ObjectId::new(1, ObjectKind::DataWriter)
}

/// Creates a node with a publisher and a subscription, and asks for the messages of the subscription.
fn create_objects(client: &mut Client, stream: StreamId) {
    let of = |parent: ObjectId| Parent::Object(parent);
    let id = |kind| ObjectId::new(1, kind);
    let topic = Topic { name: "rt/chatter".into(), type_name: "std_msgs::msg::dds_::String_".into() };
    let endpoint =
        Endpoint { topic: TopicReference::Object(id(ObjectKind::Topic)), qos: EndpointQos::WRITER };
    let objects = [
        (Parent::Domain(0), Definition::Participant { name: Some("mcu".into()) }),
        (of(participant()), Definition::Topic(topic)),
        (of(participant()), Definition::Publisher),
        (of(participant()), Definition::Subscriber),
        (of(id(ObjectKind::Publisher)), Definition::DataWriter(endpoint.clone())),
        (of(id(ObjectKind::Subscriber)), Definition::DataReader(endpoint)),
    ];
    for (parent, definition) in objects {
        client.create(id(definition.kind()), Entity { parent, definition });
    }
    client.read(id(ObjectKind::DataReader), stream, DataLimits::NONE);
}

fn connected_client(bench: &mut Bench, number: u8) -> Client {
    let mut client = Client::new(ClientConfig::new(key(number)));
    create_objects(&mut client, StreamId::RELIABLE);
    let events = bench.run(&mut client, number.into());
    assert_eq!(events[0], "Connected");
    assert_eq!(events.iter().filter(|event| event.contains("status: Ok")).count(), 6, "{events:?}");
    client
}

fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

#[test]
fn the_agent_answers_as_the_widespread_agent() {
    let locators =
        vec![crate::Locator::V4([127, 0, 0, 1], 0x464F), crate::Locator::V4([192, 0, 2, 2], 0x464F)];
    // The captured client does not acknowledge, so all answers must fit into the window.
    let config = AgentConfig { client_history: 16, locators, ..AgentConfig::default() };
    let mut bench = Bench::new(config);
    // The times of the captured answer: receive, then transmit.
    bench.host.times = vec![
        Timestamp { seconds: 0x6B00_B81B, nanoseconds: 0x005E_63F2 }.to_nanoseconds(),
        Timestamp { seconds: 0x6B00_B81B, nanoseconds: 0x005E_6885 }.to_nanoseconds(),
    ];
    let text = include_str!("../../../../../spec/vectors/xrce.txt");
    let (mut name, mut answers, mut exchanges) = ("", Vec::new(), 0);
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("# ") {
            assert!(answers.is_empty(), "{name}: more answers than expected: {answers:02x?}");
            name = title;
        } else if let Some(question) = line.strip_prefix("-> ") {
            exchanges += 1;
            answers = bench.exchange(1, &hex(question));
        } else if let Some(expected) = line.strip_prefix("<- ") {
            assert!(!answers.is_empty(), "{name}: fewer answers than expected");
            assert_eq!(answers.remove(0), hex(expected), "{name}");
        }
    }
    assert_eq!(exchanges, 16);
}

#[test]
fn the_client_creates_objects_with_the_captured_bytes() {
    let mut config = ClientConfig::new(ClientKey([0xCC, 0xDD, 0xEE, 0xFF]));
    config.mtu = 508;
    let mut client = Client::new(config);
    let mut bench = Bench::new(AgentConfig::default());
    bench.run(&mut client, 1);
    let text = include_str!("../../../../../spec/vectors/xrce.txt");
    let captured: Vec<Vec<u8>> = text
        .lines()
        .filter_map(|line| line.strip_prefix("-> "))
        .map(hex)
        .filter(|bytes| bytes[4] == 1)
        .collect();
    assert_eq!(captured.len(), 6);
    for expected in captured {
        let submessage = crate::message::Submessages::new(&expected[4..]).next().unwrap().unwrap();
        let create = crate::payload::Create::read(&mut submessage.reader()).unwrap();
        client.create(create.request.object, create.entity);
        let mut sent = Vec::new();
        client.poll(bench.now, |message| sent.push(message.to_vec()), |_| {});
        assert_eq!(sent, [expected]);
        for answer in bench.exchange(1, &sent[0]) {
            client.handle(bench.now, 0, &answer, |_| {});
        }
        client.poll(bench.now, |_| {}, |_| {});
    }
}

#[test]
fn a_client_publishes_and_receives() {
    for stream in [StreamId::BEST_EFFORT, StreamId::RELIABLE] {
        let mut bench = Bench::new(AgentConfig::default());
        let mut client = Client::new(ClientConfig::new(key(1)));
        create_objects(&mut client, stream);
        bench.run(&mut client, 1);
        client.write(stream, writer(), b"text").unwrap();
        let events = bench.run(&mut client, 1);
        assert_eq!(events.len(), 1, "{events:?}");
        assert!(events[0].starts_with("Data") && events[0].contains(&format!("{:?}", b"text")), "{events:?}");
        assert!(client.is_acknowledged());
        let counters = bench.agent.client(key(1)).unwrap().counters;
        let ClientCounters { received, received_bytes, sent, sent_bytes, .. } = counters;
        let nothing_lost =
            ClientCounters { received, received_bytes, sent, sent_bytes, ..ClientCounters::default() };
        assert_eq!(counters, nothing_lost);
    }
}

#[test]
fn long_data_pass_in_fragments_and_data_beyond_the_limit_are_counted() {
    let mut bench = Bench::new(AgentConfig { largest_message: 1200, ..AgentConfig::default() });
    let mut client = connected_client(&mut bench, 1);
    client.write(StreamId::RELIABLE, writer(), &[7; 1100]).unwrap();
    let events = bench.run(&mut client, 1);
    assert!(events.iter().any(|event| event.matches("7, ").count() == 1099), "{events:?}");
    client.write(StreamId::RELIABLE, writer(), &[7; 1300]).unwrap();
    assert_eq!(bench.run(&mut client, 1), [""; 0]);
    assert_eq!(bench.agent.client(key(1)).unwrap().counters.too_long_from_client, 1);
    assert!(client.is_acknowledged(), "the stream goes on");
}

#[test]
fn data_that_a_client_can_not_receive_are_refused_with_the_size() {
    let mut bench = Bench::new(AgentConfig::default());
    let _client = connected_client(&mut bench, 1);
    let reader = ObjectId::new(1, ObjectKind::DataReader);
    let deliver = |bench: &mut Bench, len| {
        bench.agent.deliver(bench.now, (key(1), reader), &[], &vec![0; len], &mut bench.host)
    };
    // Four messages of 500 bytes, without the headers of the submessage and the request.
    assert_eq!(deliver(&mut bench, 1992), Ok(()));
    assert_eq!(deliver(&mut bench, 1993), Err(DeliverError::TooLong { size: 2001, largest: 2000 }));
}

#[test]
fn deleting_a_node_deletes_what_belongs_to_it() {
    let mut bench = Bench::new(AgentConfig::default());
    let mut client = connected_client(&mut bench, 1);
    client.delete(participant()).unwrap();
    let events = bench.run(&mut client, 1);
    assert!(events[0].contains("status: Ok"), "{events:?}");
    assert!(bench.host.objects.is_empty());
}

#[test]
fn an_object_needs_those_that_it_refers_to() {
    let mut bench = Bench::new(AgentConfig::default());
    let mut client = Client::new(ClientConfig::new(key(1)));
    let entity = Entity { parent: Parent::Object(participant()), definition: Definition::Publisher };
    client.create(ObjectId::new(1, ObjectKind::Publisher), entity);
    let events = bench.run(&mut client, 1);
    assert!(events[1].contains("UnknownReference"), "{events:?}");
    let refusal = (Some(ObjectId::new(1, ObjectKind::Publisher)), "Participant 1 does not exist".to_owned());
    assert_eq!(bench.host.refusals, [refusal]);
}

#[test]
fn a_client_beyond_its_rate_loses_best_effort_messages_and_repeats_reliable_ones() {
    let mut bench = Bench::new(AgentConfig { max_messages_per_second: Some(10), ..AgentConfig::default() });
    let mut client = connected_client(&mut bench, 1);
    for _ in 0..20 {
        client.write(StreamId::BEST_EFFORT, writer(), b"text").unwrap();
    }
    bench.run(&mut client, 1);
    let over = bench.agent.client(key(1)).unwrap().counters.over_rate;
    assert!((10..20).contains(&over), "{over}");
    client.write(StreamId::RELIABLE, writer(), b"text").unwrap();
    bench.run(&mut client, 1);
    assert!(!client.is_acknowledged());
    for _ in 0..20 {
        bench.now += SECOND / 10;
        bench.run(&mut client, 1);
    }
    assert!(client.is_acknowledged());
}

#[test]
fn junk_is_counted_by_sender_and_changes_nothing() {
    let mut bench = Bench::new(AgentConfig::default());
    let mut client = connected_client(&mut bench, 1);
    let junk: [&[u8]; 6] =
        [&[], &[0x81], &[0x80, 0, 0, 0], &[0x80, 0, 0, 0, 0, 1, 16, 0], &[0xFF; 40], &[0; 9]];
    for bytes in junk {
        assert!(bench.exchange(9, bytes).is_empty());
    }
    assert_eq!(bench.agent.unknown_sources().malformed, 6);
    // A client that is told that it has no session begins one. This is told at most ten times a second.
    let data = [0x81, 1, 0, 0, 7, 1, 4, 0, 0, 9, 0, 0x15];
    assert_eq!(bench.exchange(9, &data).len(), 1);
    assert_eq!(bench.exchange(9, &data).len(), 0);
    assert_eq!(bench.agent.unknown_sources().unknown_session, 2);
    assert_eq!(bench.host.strays, [(9, Stray::Unreadable), (9, Stray::UnknownSession(0x81))]);
    client.write(StreamId::RELIABLE, writer(), b"text").unwrap();
    assert_eq!(bench.run(&mut client, 1).len(), 1);
}

#[test]
fn the_limits_of_a_request_for_data_are_kept() {
    let mut bench = Bench::new(AgentConfig::default());
    let mut client = connected_client(&mut bench, 1);
    let reader = ObjectId::new(1, ObjectKind::DataReader);
    let deliver = |bench: &mut Bench, len| {
        bench.agent.deliver(bench.now, (key(1), reader), &[], &vec![0; len], &mut bench.host)
    };
    let mut ask = |bench: &mut Bench, limits| {
        client.read(reader, StreamId::BEST_EFFORT, limits);
        bench.run(&mut client, 1);
    };
    ask(&mut bench, DataLimits { max_messages: 2, ..DataLimits::NONE });
    let results = [4, 4, 4].map(|len| deliver(&mut bench, len));
    assert_eq!(results, [Ok(()), Ok(()), Err(DeliverError::NotRequested)]);
    ask(&mut bench, DataLimits { max_bytes_per_second: 100, ..DataLimits::NONE });
    assert_eq!(deliver(&mut bench, 60), Ok(()));
    assert_eq!(deliver(&mut bench, 60), Err(DeliverError::Limited));
    bench.now += SECOND / 4;
    assert_eq!(deliver(&mut bench, 60), Ok(()));
    ask(&mut bench, DataLimits { min_pace_ms: 100, ..DataLimits::NONE });
    assert_eq!(deliver(&mut bench, 4), Ok(()));
    assert_eq!(deliver(&mut bench, 4), Err(DeliverError::Limited));
    bench.now += SECOND / 10;
    assert_eq!(deliver(&mut bench, 4), Ok(()));
    ask(&mut bench, DataLimits { max_seconds: 1, ..DataLimits::NONE });
    bench.now += 2 * SECOND;
    assert_eq!(deliver(&mut bench, 4), Err(DeliverError::NotRequested));
    ask(&mut bench, DataLimits { max_messages: 0, ..DataLimits::NONE });
    assert_eq!(deliver(&mut bench, 4), Err(DeliverError::NotRequested));
}

#[test]
fn the_clocks_are_compared_and_a_late_answer_is_ignored() {
    let mut bench = Bench::new(AgentConfig::default());
    let mut client = connected_client(&mut bench, 1);
    let mut events = Vec::new();
    let mut late = Vec::new();
    for (asked, arrival) in [(1_000, 2_000), (5_000, 5_400)] {
        bench.host.times = vec![100, 200];
        client.ask_time(asked);
        let mut questions = Vec::new();
        client.poll(bench.now, |message| questions.push(message.to_vec()), |_| {});
        let mut answers = bench.exchange(1, &questions[0]);
        if asked == 5_000 {
            answers.splice(0..0, std::mem::take(&mut late));
        } else {
            late = std::mem::take(&mut answers);
        }
        for answer in answers {
            client.handle(bench.now, arrival, &answer, |event| events.push(format!("{event:?}")));
        }
    }
    assert_eq!(events, [format!("{:?}", ClientEvent::Time { offset: 5_050, round_trip: 400 })]);
}

#[test]
fn the_identity_of_a_request_keeps_its_bytes() {
    let identity = crate::SampleIdentity { writer: *b"0123456789abcdef", sequence: 0x0000_0001_0000_0002 };
    let bytes = identity.to_bytes();
    assert_eq!(&bytes[16..], [1, 0, 0, 0, 2, 0, 0, 0]);
    assert_eq!(crate::SampleIdentity::read(&mut Reader::new(&bytes, ByteOrder::Little)), Ok(identity));
}

#[test]
fn reliable_data_wait_for_room_in_the_graph_and_arrive_in_order() {
    let mut bench = Bench::new(AgentConfig::default());
    let mut client = connected_client(&mut bench, 1);
    bench.host.is_full = true;
    for number in 0..3 {
        client.write(StreamId::RELIABLE, writer(), &[number; 400]).unwrap();
    }
    assert_eq!(bench.run(&mut client, 1).len(), 0);
    assert!(!client.is_acknowledged());
    bench.wait(SECOND / 2);
    bench.host.is_full = false;
    bench.wait(SECOND / 10);
    let written: Vec<u8> = bench.host.written.iter().map(|(.., data)| data[0]).collect();
    assert_eq!(written, [0]);
    bench.now += SECOND;
    bench.run(&mut client, 1);
    bench.now += SECOND;
    bench.run(&mut client, 1);
    assert!(client.is_acknowledged());
    assert_eq!(bench.agent.client(key(1)).unwrap().counters.unusable, 0);
}

#[test]
fn data_that_wait_too_long_for_room_are_lost_and_counted() {
    let mut bench = Bench::new(AgentConfig::default());
    let mut client = connected_client(&mut bench, 1);
    bench.host.is_full = true;
    client.write(StreamId::RELIABLE, writer(), b"lost").unwrap();
    bench.run(&mut client, 1);
    bench.wait(2 * SECOND);
    assert_eq!(bench.agent.client(key(1)).unwrap().counters.unusable, 1);
    bench.host.is_full = false;
    client.write(StreamId::RELIABLE, writer(), b"text").unwrap();
    assert!(bench.run(&mut client, 1)[0].starts_with("Data"));
    assert!(client.is_acknowledged());
}

#[test]
fn the_endpoints_of_a_topic_follow_it_when_it_is_replaced() {
    let mut bench = Bench::new(AgentConfig::default());
    let mut client = connected_client(&mut bench, 1);
    let reads = bench.host.reads.len();
    let topic = Topic { name: "rt/other".into(), type_name: "std_msgs::msg::dds_::Int32_".into() };
    let entity = Entity { parent: Parent::Object(participant()), definition: Definition::Topic(topic) };
    client.create(ObjectId::new(1, ObjectKind::Topic), entity);
    bench.run(&mut client, 1);
    let ends: Vec<&String> = bench.host.objects.values().filter(|text| !text.starts_with("Node")).collect();
    assert_eq!(ends.len(), 2);
    assert!(ends.iter().all(|text| text.contains("rt/other") && text.contains("Int32_")), "{ends:?}");
    assert_eq!(bench.host.reads.len(), reads + 1, "messages are still wanted");
}
