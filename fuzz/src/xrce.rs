//! The agent and the client of DDS-XRCE with any bytes.
//!
//! An input is a list of steps. Each has a byte that selects what happens, a byte with a length, and so many bytes.

use std::collections::BTreeSet;

use saltus_xrce::{
    Agent, AgentConfig, AgentHost, Client, ClientConfig, ClientKey, CreateClient, DataLimits, Departure,
    GraphObject, MessageHeader, ObjectId, ObjectKind, Profiles, ReadRequest, Request, SerialDecoder,
    SessionId, Status, StreamId, SubmessageKind, TcpDecoder, Writer, Written, append_submessage, can_message,
};

/// A step of an input.
struct Step<'a> {
    kind: u8,
    bytes: &'a [u8],
}

/// Divides an input into steps. The last one may be shorter than it says.
fn steps(data: &[u8]) -> impl Iterator<Item = Step<'_>> {
    let mut rest = data;
    std::iter::from_fn(move || {
        let (&[kind, len], after) = rest.split_first_chunk::<2>()?;
        let (bytes, left) = after.split_at(usize::from(len).min(after.len()));
        rest = left;
        Some(Step { kind, bytes })
    })
}

/// A graph that only notes which objects it has.
#[derive(Default)]
struct Host {
    objects: BTreeSet<(ClientKey, ObjectId)>,
    reads: Vec<(ClientKey, ObjectId)>,
    longest: usize,
}

impl AgentHost for Host {
    type Address = u8;

    fn send(&mut self, _to: &u8, message: &[u8]) -> bool {
        self.longest = self.longest.max(message.len());
        true
    }

    fn system_time(&mut self) -> i64 {
        0
    }

    fn connected(&mut self, _client: ClientKey, _address: &u8) {}

    fn departed(&mut self, client: ClientKey, _reason: Departure) {
        assert!(self.objects.iter().all(|(owner, _)| *owner != client), "an object outlives its client");
    }

    fn create(&mut self, client: ClientKey, id: ObjectId, _object: GraphObject<'_>) -> Status {
        assert!(self.objects.insert((client, id)), "an object is created twice");
        if id.number() == 0xFFF {
            self.objects.remove(&(client, id))
        } else {
            true
        };
        if id.number() == 0xFFF { Status::Failed } else { Status::Ok }
    }

    fn delete(&mut self, client: ClientKey, id: ObjectId) {
        assert!(self.objects.remove(&(client, id)), "an object is deleted that does not exist");
    }

    fn read(&mut self, client: ClientKey, request: ReadRequest) {
        self.reads.push((client, request.request.object));
    }

    fn write(&mut self, _client: ClientKey, _request: Request, data: &[u8]) -> Written {
        [Written::Published, Written::Busy, Written::Unusable][data.len() % 3]
    }

    fn has_room(&mut self, _client: ClientKey) {}
}

const LIMIT: usize = 4096;

/// Gives an agent messages from four addresses, one of which belongs to a client with a session.
pub fn agent(data: &[u8]) {
    let config = AgentConfig {
        max_clients: 3,
        max_objects: 20,
        max_streams: 2,
        largest_message: LIMIT,
        mtu: LIMIT,
        lease: 1_000_000_000,
        ..AgentConfig::default()
    };
    let mut agent = Agent::new(config, Profiles::default());
    let mut host = Host::default();
    let mut now = 1;
    agent.handle(now, &0, &login(), &mut host);
    for step in steps(data) {
        match step.kind {
            0..16 => agent.handle(now, &(step.kind % 4), step.bytes, &mut host),
            16 => agent.disconnected(&step.bytes.first().map_or(0, |byte| byte % 4), &mut host),
            17 => {
                let reads = std::mem::take(&mut host.reads);
                for to in reads {
                    let (prefix, content) = step.bytes.split_at(step.bytes.len().min(24) / 8 * 4);
                    let _ = agent.deliver(now, to, prefix, content, &mut host);
                }
            }
            18 => agent.flush(now, &mut host),
            _ => {
                now += u64::from(step.kind) * 10_000_000;
                agent.check(now, &mut host);
            }
        }
        assert!(agent.clients().count() <= 3);
        assert!(host.longest <= LIMIT);
        assert!(host.objects.len() <= 60);
    }
}

/// Returns the message that begins a session.
fn login() -> Vec<u8> {
    let (key, session) = (ClientKey([1; 4]), SessionId(0x81));
    let mut message = Vec::new();
    MessageHeader::unnumbered(SessionId::NONE, key).write(&mut message);
    let mut payload = Vec::new();
    CreateClient::new(key, session, 508, Default::default()).write(&mut Writer::new(&mut payload));
    append_submessage(&mut message, SubmessageKind::CreateClient, 0, &payload);
    message
}

/// Gives a client messages of an agent. At first, the client has a session.
pub fn client(data: &[u8]) {
    let mut client = Client::new(ClientConfig::new(ClientKey([1; 4])));
    client.read(ObjectId::new(1, ObjectKind::DataReader), StreamId::RELIABLE, DataLimits::NONE);
    let mut now = 1;
    client.poll(now, |_| {}, |_| {});
    let accepted = [0x81, 0, 0, 0, 4, 1, 11, 0, 0, 0, b'X', b'R', b'C', b'E', 1, 0, 1, 15, 0];
    client.handle(now, 0, &accepted, |_| {});
    assert!(client.is_connected());
    for step in steps(data) {
        match step.kind {
            0..16 => client.handle(now, i64::MAX - i64::from(step.kind), step.bytes, |_| {}),
            16 => drop(client.write(
                if step.bytes.len().is_multiple_of(2) { StreamId::RELIABLE } else { StreamId::BEST_EFFORT },
                ObjectId::new(1, ObjectKind::DataWriter),
                step.bytes,
            )),
            17 => client.ask_time(i64::from(step.bytes.len() as u32)),
            _ => now += u64::from(step.kind) * 10_000_000,
        }
        client.poll(now, |message| assert!(message.len() <= 508), |_| {});
    }
}

/// Looks for messages in bytes from a serial line, a TCP connection and a CAN bus, and reads them as a file of profiles.
pub fn framing(data: &[u8]) {
    let mut decoder = SerialDecoder::new(0, 128);
    for byte in data {
        if let Some(frame) = decoder.push(*byte) {
            assert!(frame.message.len() <= 128);
            let mut again = Vec::new();
            saltus_xrce::write_serial_frame(frame.source, 0, frame.message, &mut again);
            let message = frame.message.to_vec();
            let mut other = SerialDecoder::new(0, 128);
            let found =
                again.iter().filter_map(|byte| other.push(*byte).map(|one| one.message.to_vec())).last();
            assert_eq!(found, Some(message), "a frame differs after it was written again");
        }
    }
    let mut tcp = TcpDecoder::default();
    for part in data.chunks(7) {
        tcp.push(part);
        while tcp.next_message().is_some() {}
    }
    let _ = can_message(data);
    let _ = Profiles::parse(&String::from_utf8_lossy(data));
}
