//! A third side, in memory: what a gateway to another system needs to implement, and nothing of a domain or of Zenoh.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    sync::{Arc, Mutex},
    thread::{self, JoinHandle},
    time::Duration,
};

use saltus::{
    Context, Executor, Node, QoS, SingleThreadedExecutor,
    context::ContextOptions,
    msgs::{
        example_interfaces::srv::{AddTwoInts, AddTwoInts_Request, AddTwoInts_Response},
        std_msgs::msg::UInt64,
    },
    types::{Gid, History, Time, TypeHash, lock},
};
use saltus_host::{EndpointId, EndpointInfo, EndpointKind, NodeInfo, Origin, RequestId, Stamp};
use saltus_node::Logger;
use saltus_relay::{
    Body, ChannelName, ClientEnd, Domain, EndpointChange, Entry, Exchange, Kind, Link, Message, Offered,
    Output, Pattern, Relay, Replica, Rule, Rules, ServerEnd, ShowError, Side, Source, Target,
};

/// The longest time that a test waits.
const LONG: Duration = Duration::from_secs(30);

/// The responses that came, with what they answer.
type Responses = Arc<Mutex<Vec<(Vec<u8>, RequestId)>>>;

/// A graph in memory, and what a relay has done in it.
#[derive(Clone, Default)]
struct Memory(Arc<MemoryState>);

#[derive(Default)]
struct MemoryState {
    changes: Mutex<Vec<EndpointChange>>,
    /// The replicas that are shown here: kind of endpoint, and name.
    shown: Mutex<Vec<(EndpointKind, String)>>,
    /// The numbers of the messages that were sent to replicas of publishers.
    sent: Arc<Mutex<Vec<u64>>>,
    /// The outputs of publishers here whose messages are wanted.
    wanted: Arc<Mutex<Vec<Arc<Output>>>>,
    requests: Arc<Mutex<Vec<Message>>>,
    exchange: Mutex<Option<Arc<Exchange>>>,
    responses: Responses,
}

impl Memory {
    /// Announces an endpoint of a node here.
    fn announce(&self, kind: EndpointKind, is_service: bool, name: &str, type_name: &str) -> Gid {
        let origin = Origin::named("memory".into());
        let number = lock(&self.0.changes).len() as u64 + 1;
        let (node_gid, gid) = (Gid::from_parts(99, 1), Gid::from_parts(99, 10 + number));
        let node =
            NodeInfo { gid: node_gid, namespace: "/".into(), name: "far".into(), origin: origin.clone() };
        let end = EndpointInfo {
            kind,
            id: EndpointId { process: 99, serial: 10 + number },
            gid,
            node: node_gid,
            origin,
            topic: name.into(),
            type_name: type_name.into(),
            type_hash: TypeHash::UNKNOWN,
            qos: QoS::keep_last(10),
            only_from: None,
            port: 0,
            counters: 0,
        };
        let channel_name = ChannelName { is_service, name: name.into() };
        let change = EndpointChange { channel_name, end: Arc::new(end), node: Some(Arc::new(node)) };
        lock(&self.0.changes).push(change);
        gid
    }

    fn note(&self, replica: &Replica) {
        lock(&self.0.shown).push((replica.end.kind, replica.end.topic.clone()));
    }

    fn shows(&self, kind: EndpointKind, name: &str) -> bool {
        lock(&self.0.shown).contains(&(kind, name.to_owned()))
    }
}

/// The replica of a publisher.
struct MemoryTarget {
    is_open: bool,
    sent: Arc<Mutex<Vec<u64>>>,
}

impl Target for MemoryTarget {
    fn is_open(&self) -> bool {
        self.is_open
    }

    fn open(&mut self, _: &[Message]) -> Result<(), ShowError> {
        self.is_open = true;
        Ok(())
    }

    fn send(&mut self, message: Message) -> u64 {
        let bytes = message.to_vec();
        lock(&self.sent).push(u64::from_le_bytes(bytes[4..12].try_into().unwrap()));
        0
    }

    fn close(&mut self) -> Result<bool, ShowError> {
        self.is_open = false;
        Ok(true)
    }
}

/// What takes the messages of a publisher here.
struct MemorySource {
    output: Arc<Output>,
    wanted: Arc<Mutex<Vec<Arc<Output>>>>,
}

impl Source for MemorySource {
    fn want(&mut self, _: &EndpointInfo, history: Option<History>) -> Result<(), ShowError> {
        let mut wanted = lock(&self.wanted);
        wanted.retain(|output| !Arc::ptr_eq(output, &self.output));
        if history.is_some() {
            self.output.lock().open(&[])?;
            wanted.push(self.output.clone());
        }
        Ok(())
    }

    fn end(self: Box<Self>) {}
}

/// The replica of a client.
struct MemoryClient(Arc<Mutex<Vec<Message>>>);

impl ClientEnd for MemoryClient {
    fn forward(&self, request: Message) -> bool {
        lock(&self.0).push(request);
        true
    }
}

/// The replica of a server.
struct MemoryServer(Responses);

impl ServerEnd for MemoryServer {
    fn respond(&self, response: Option<&Message>, to: RequestId) -> bool {
        lock(&self.0).push((response.map(Message::to_vec).unwrap_or_default(), to));
        true
    }
}

impl Side for Memory {
    fn origin(&self) -> Origin {
        Origin::named("memory".into())
    }

    fn logger(&self) -> Logger {
        Logger::new("memory")
    }

    fn take_changes(&self) -> Option<Vec<EndpointChange>> {
        let changes = std::mem::take(&mut *lock(&self.0.changes));
        (!changes.is_empty()).then_some(changes)
    }

    fn description(&self, _: TypeHash) -> Option<String> {
        None
    }

    fn subscription(&self, replica: &Replica) -> Result<Entry, ShowError> {
        self.note(replica);
        Ok(Box::new(()))
    }

    fn target(&self, replica: Replica) -> Result<Box<dyn Target>, ShowError> {
        self.note(&replica);
        Ok(Box::new(MemoryTarget { is_open: false, sent: self.0.sent.clone() }))
    }

    fn source(&self, _: Origin, output: &Arc<Output>) -> Box<dyn Source> {
        Box::new(MemorySource { output: output.clone(), wanted: self.0.wanted.clone() })
    }

    fn server(&self, replica: Replica, exchange: &Arc<Exchange>) -> Result<Arc<dyn ServerEnd>, ShowError> {
        self.note(&replica);
        *lock(&self.0.exchange) = Some(exchange.clone());
        Ok(Arc::new(MemoryServer(self.0.responses.clone())))
    }

    fn offer(&self, replica: Replica, exchange: &Arc<Exchange>) -> Result<Offered, ShowError> {
        let server = self.server(replica, exchange)?;
        Ok(Offered { entry: Box::new(()), server: Some(server) })
    }

    fn client(&self, replica: Replica, exchange: &Arc<Exchange>) -> Result<Arc<dyn ClientEnd>, ShowError> {
        self.note(&replica);
        *lock(&self.0.exchange) = Some(exchange.clone());
        Ok(Arc::new(MemoryClient(self.0.requests.clone())))
    }
}

/// A context with a node that a thread spins.
struct Spun {
    context: Context,
    node: Node,
    spinning: Option<JoinHandle<()>>,
}

impl Spun {
    fn new(folder: &std::path::Path, name: &str) -> Self {
        let options = ContextOptions::default().folder(folder).handle_signals(false).rosout(false);
        let context = options.create().unwrap();
        let node = context.node(name).start_parameter_services(false).create().unwrap();
        let (spun, spun_node) = (context.clone(), node.clone());
        let spinning = thread::spawn(move || {
            SingleThreadedExecutor::new(&spun).unwrap().spin_node(&spun_node).unwrap();
        });
        Self { context, node, spinning: Some(spinning) }
    }
}

impl Drop for Spun {
    fn drop(&mut self) {
        self.context.shut_down();
        assert!(self.spinning.take().unwrap().join().is_ok());
    }
}

/// A domain with a user's node, joined to a graph in memory.
struct Scene {
    user: Spun,
    memory: Memory,
    relay: Arc<Relay>,
    _bridge: Spun,
    _entry: Entry,
    _folder: tempfile::TempDir,
}

/// The numbers of the sides.
const DOMAIN: usize = 0;
const MEMORY: usize = 1;

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (user, bridge) = (Spun::new(folder.path(), "user"), Spun::new(folder.path(), "bridge"));
        let origin = Origin::named("domain".into());
        let domain = Domain::new(bridge.context.clone(), bridge.node.clone(), origin).unwrap();
        let memory = Memory::default();
        let all = Rules(
            [Kind::Topic, Kind::Service, Kind::Action].map(|kind| Rule::new(kind, Pattern::any())).into(),
        );
        let links = vec![
            Link { from: DOMAIN, to: MEMORY, rules: all.clone() },
            Link { from: MEMORY, to: DOMAIN, rules: all },
        ];
        let relay = Relay::new(vec![Arc::new(domain.clone()), Arc::new(memory.clone())], links);
        let entry = domain.watch(&relay, DOMAIN);
        Self { user, memory, relay, _bridge: bridge, _entry: entry, _folder: folder }
    }

    fn wait(&self, what: &str, is_so: impl FnMut() -> bool) {
        assert!(self.user.context.wait_until(LONG, is_so), "{what}");
    }
}

fn message(sequence: u64, bytes: Vec<u8>) -> Message {
    let stamp = Stamp { source_time: Time::default(), sequence, gid: None };
    Message { stamp, body: Body::Parts(Box::new(bytes)) }
}

/// Returns a message with a number, as CDR.
fn number(data: u64) -> Vec<u8> {
    [&[0, 1, 0, 0][..], &data.to_le_bytes()].concat()
}

#[test]
fn messages_pass_in_both_directions_while_they_are_wanted() {
    let scene = Scene::new();
    let received = Arc::<Mutex<Vec<u64>>>::default();
    let into = received.clone();
    scene.memory.announce(EndpointKind::Publisher, false, "/from_far", "std_msgs/msg/UInt64");
    scene.relay.refresh(MEMORY);
    assert!(lock(&scene.memory.0.wanted).is_empty(), "nobody wants them yet");
    let subscription = scene.user.node.subscription::<UInt64>("/from_far");
    let subscription = subscription.callback(move |message| lock(&into).push(message.data)).unwrap();
    scene.wait("the subscription", || subscription.publisher_count() == 1);
    scene.wait("the demand", || lock(&scene.memory.0.wanted).len() == 1);
    let output = lock(&scene.memory.0.wanted)[0].clone();
    assert!(output.lock().send(message(1, number(7))).is_none());
    scene.wait("the message", || *lock(&received) == [7]);
    drop(subscription);
    scene.wait("the end of the demand", || lock(&scene.memory.0.wanted).is_empty());

    let publisher = scene.user.node.publisher::<UInt64>("/to_far").create().unwrap();
    scene.wait("the replica", || scene.memory.shows(EndpointKind::Publisher, "/to_far"));
    publisher.publish(&UInt64 { data: 1 }).unwrap();
    scene.memory.announce(EndpointKind::Subscription, false, "/to_far", "std_msgs/msg/UInt64");
    scene.relay.refresh(MEMORY);
    // The bridge takes messages when it is connected.
    scene.wait("a message", || {
        publisher.publish(&UInt64 { data: 2 }).unwrap();
        lock(&scene.memory.0.sent).contains(&2)
    });
    assert!(!lock(&scene.memory.0.sent).contains(&1), "it was sent before anybody wanted it");
}

#[test]
fn calls_pass_in_both_directions() {
    let scene = Scene::new();
    scene.memory.announce(EndpointKind::Subscription, true, "/far_add", "example_interfaces/srv/AddTwoInts");
    scene.relay.refresh(MEMORY);
    let client = scene.user.node.client::<AddTwoInts>("/far_add").create().unwrap();
    scene.wait("the server", || client.service_is_ready());
    let calling = {
        let client = client.clone();
        thread::spawn(move || client.call(&AddTwoInts_Request { a: 2, b: 3 }, LONG).unwrap().sum)
    };
    scene.wait("the request", || !lock(&scene.memory.0.requests).is_empty());
    let request = lock(&scene.memory.0.requests).remove(0);
    assert_eq!(request.to_vec()[4..], [2_i64.to_le_bytes(), 3_i64.to_le_bytes()].concat());
    let exchange = lock(&scene.memory.0.exchange).clone().unwrap();
    let asking = scene.user.context.graph().clients.iter().find(|one| one.name() == "/far_add").unwrap().gid;
    let to = RequestId { client: asking, sequence: request.stamp.sequence };
    exchange.respond(None, Some(&message(to.sequence, number(5))), to);
    assert_eq!(calling.join().unwrap(), 5);

    let server = scene.user.node.service::<AddTwoInts>("/near_add");
    let _server = server.callback(|request| AddTwoInts_Response { sum: request.a + request.b }).unwrap();
    scene.wait("the replica", || scene.memory.shows(EndpointKind::Subscription, "/near_add"));
    let far = scene.memory.announce(
        EndpointKind::Publisher,
        true,
        "/near_add",
        "example_interfaces/srv/AddTwoInts",
    );
    scene.relay.refresh(MEMORY);
    let exchange = lock(&scene.memory.0.exchange).clone().unwrap();
    let request = [&[0, 1, 0, 0][..], &20_i64.to_le_bytes(), &22_i64.to_le_bytes()].concat();
    assert!(exchange.forward(far, message(1, request)));
    scene.wait("the response", || !lock(&scene.memory.0.responses).is_empty());
    let (response, to) = lock(&scene.memory.0.responses).remove(0);
    assert_eq!((response, to), (number(42), RequestId { client: far, sequence: 1 }));
}
