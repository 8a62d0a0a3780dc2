//! An agent, a node of the graph, and devices that talk to the agent over any transport.

#![allow(dead_code, reason = "each test file uses its own part of this")]

use std::{
    fs::{File, OpenOptions},
    io::{ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream, UdpSocket},
    os::fd::OwnedFd,
    path::Path,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use saltus::{context::ContextOptions, graph::Report};
use saltus_agent::{AgentOptions, MicroAgent, Served, Stopper, TransportOptions};
pub(crate) use saltus_e2e::Host;
use saltus_e2e::ShmFolder;
use saltus_xrce::{
    Client, ClientConfig, ClientEvent, ClientKey, DataLimits, Definition, Endpoint, EndpointQos, Entity,
    ObjectId, ObjectKind, Parent, SerialDecoder, Service, StreamId, TcpDecoder, Topic, TopicReference,
    can_message, write_can_frame, write_serial_frame, write_tcp_message,
};

/// The longest time that a test waits. It passes only if something is wrong: a busy machine may stop a thread for seconds.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// An agent that a thread runs.
pub(crate) struct TestAgent {
    pub(crate) addresses: Vec<SocketAddr>,
    pub(crate) terminals: Vec<std::path::PathBuf>,
    stopper: Stopper,
    running: Option<JoinHandle<()>>,
}

impl TestAgent {
    pub(crate) fn new(shm: &ShmFolder, transports: Vec<Served>) -> Self {
        let options = AgentOptions { transports, folder: Some(shm.path().into()), ignores_signals: true };
        let agent = MicroAgent::open(options).unwrap();
        let (addresses, terminals) = (agent.addresses().to_vec(), agent.terminals().to_vec());
        let stopper = agent.stopper();
        let running = Some(thread::spawn(move || agent.run().unwrap()));
        Self { addresses, terminals, stopper, running }
    }

    /// Starts an agent with a UDP socket on any port.
    pub(crate) fn udp(shm: &ShmFolder) -> Self {
        Self::new(shm, vec![any_udp().into()])
    }
}

impl Drop for TestAgent {
    fn drop(&mut self) {
        self.stopper.stop();
        let ended = self.running.take().map(JoinHandle::join);
        if !thread::panicking() {
            ended.map(Result::unwrap);
        }
    }
}

pub(crate) fn any_udp() -> TransportOptions {
    TransportOptions::Udp { address: "127.0.0.1:0".parse().unwrap(), discovery_port: None }
}

/// Returns the report of a test's domain.
pub(crate) fn report(shm: &ShmFolder) -> Report {
    let domain = ContextOptions::default().domain(0).folder(shm.path()).domain_id().unwrap();
    Report::observe(domain).unwrap()
}

/// The way in which a device exchanges messages with the agent.
pub(crate) trait Link {
    fn send(&mut self, message: &[u8]);
    /// Returns the next message, if one comes soon.
    fn receive(&mut self) -> Option<Vec<u8>>;
}

/// The longest time that a link waits for a message.
const SOON: Duration = Duration::from_millis(1);

impl Link for UdpSocket {
    fn send(&mut self, message: &[u8]) {
        // It fails while no agent listens.
        let _ = UdpSocket::send(self, message);
    }

    fn receive(&mut self) -> Option<Vec<u8>> {
        let mut buffer = vec![0; 65_536];
        let len = self.recv(&mut buffer).ok()?;
        buffer.truncate(len);
        Some(buffer)
    }
}

pub(crate) fn udp_link(agent: SocketAddr) -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(agent).unwrap();
    socket.set_read_timeout(Some(SOON)).unwrap();
    socket
}

/// A TCP connection.
pub(crate) struct TcpLink(TcpStream, TcpDecoder);

impl TcpLink {
    pub(crate) fn new(agent: SocketAddr) -> Self {
        let stream = TcpStream::connect(agent).unwrap();
        stream.set_read_timeout(Some(SOON)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self(stream, TcpDecoder::default())
    }
}

impl Link for TcpLink {
    fn send(&mut self, message: &[u8]) {
        let mut bytes = Vec::new();
        write_tcp_message(message, &mut bytes);
        self.0.write_all(&bytes).unwrap();
    }

    fn receive(&mut self) -> Option<Vec<u8>> {
        if let Some(message) = self.1.next_message() {
            return Some(message.to_vec());
        }
        let mut buffer = [0; 4096];
        let len = self.0.read(&mut buffer).ok()?;
        self.1.push(&buffer[..len]);
        self.1.next_message().map(<[u8]>::to_vec)
    }
}

/// A serial line.
pub(crate) struct SerialLink {
    file: File,
    decoder: SerialDecoder,
    unread: Vec<u8>,
}

/// The address of the device on a line.
const DEVICE: u8 = 7;

impl SerialLink {
    pub(crate) fn open(path: &Path) -> Self {
        let file = OpenOptions::new().read(true).write(true).open(path).unwrap();
        Self::of(file)
    }

    pub(crate) fn of(file: File) -> Self {
        rustix::io::ioctl_fionbio(&file, true).unwrap();
        Self { file, decoder: SerialDecoder::new(DEVICE, 4096), unread: Vec::new() }
    }
}

impl Link for SerialLink {
    fn send(&mut self, message: &[u8]) {
        let mut frame = Vec::new();
        write_serial_frame(DEVICE, 0, message, &mut frame);
        // A line whose other end is not read is full. Then the frame is lost, as on a wire.
        match self.file.write_all(&frame) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            result => result.unwrap(),
        }
    }

    fn receive(&mut self) -> Option<Vec<u8>> {
        let started = Instant::now();
        while started.elapsed() < SOON {
            while !self.unread.is_empty() {
                if let Some(frame) = self.decoder.push(self.unread.remove(0)) {
                    return Some(frame.message.to_vec());
                }
            }
            let mut buffer = [0; 256];
            match self.file.read(&mut buffer) {
                Ok(len) => self.unread.extend(&buffer[..len]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => thread::yield_now(),
                Err(error) => panic!("{error}"),
            }
        }
        None
    }
}

/// The range of the data in a frame of a CAN bus on a socket.
const CAN_DATA: usize = 8;

/// The other end of a CAN bus on a socket, with one device.
pub(crate) struct CanLink {
    pub(crate) socket: OwnedFd,
    pub(crate) id: u32,
}

impl Link for CanLink {
    fn send(&mut self, message: &[u8]) {
        let mut data = Vec::new();
        write_can_frame(message, &mut data).unwrap();
        let mut frame = (self.id | 0x8000_0000).to_ne_bytes().to_vec();
        frame.extend_from_slice(&[data.len() as u8, 0, 0, 0]);
        frame.extend_from_slice(&data);
        frame.resize(CAN_DATA + 64, 0);
        rustix::io::write(&self.socket, &frame).unwrap();
    }

    fn receive(&mut self) -> Option<Vec<u8>> {
        let started = Instant::now();
        while started.elapsed() < SOON {
            let mut frame = [0; CAN_DATA + 64];
            match rustix::io::read(&self.socket, &mut frame) {
                Ok(_) => return can_message(&frame[CAN_DATA..]).map(<[u8]>::to_vec),
                Err(rustix::io::Errno::AGAIN) => thread::yield_now(),
                Err(error) => panic!("{error}"),
            }
        }
        None
    }
}

/// The events that a device has received.
#[derive(Debug, Default)]
pub(crate) struct DeviceEvents {
    pub(crate) connected: usize,
    pub(crate) disconnected: usize,
    /// The answers to requests that were not carried out.
    pub(crate) refusals: Vec<String>,
    pub(crate) answers: usize,
    /// The data that arrived, each with its object.
    pub(crate) data: Vec<(ObjectId, Vec<u8>)>,
    /// The offset of the agent's clock, and the round trip in which it was measured, both in nanoseconds.
    pub(crate) time: Option<(i64, u64)>,
}

/// A device with a client.
pub(crate) struct Device<L> {
    pub(crate) client: Client,
    pub(crate) link: L,
    pub(crate) events: DeviceEvents,
}

pub(crate) fn key(number: u8) -> ClientKey {
    ClientKey([0x5A, 0, 0, number])
}

pub(crate) fn id(kind: ObjectKind) -> ObjectId {
    ObjectId::new(1, kind)
}

impl<L: Link> Device<L> {
    pub(crate) fn new(config: ClientConfig, link: L) -> Self {
        // Another program on the device has another number, so that the agent does not take it for a duplicate.
        let connection = saltus_node::system_now().as_nanos() as u32;
        Self { client: Client::with_connection(config, connection), link, events: DeviceEvents::default() }
    }

    /// Creates a node.
    pub(crate) fn create_node(&mut self, name: &str) {
        let definition = Definition::Participant { name: Some(name.into()) };
        self.client.create(id(ObjectKind::Participant), Entity { parent: Parent::Domain(0), definition });
    }

    /// Creates a publisher and a subscription of a topic in the node, and asks for messages.
    pub(crate) fn create_ends(&mut self, topic: &str, type_name: &str, qos: EndpointQos) {
        let of = |kind| Parent::Object(id(kind));
        let topic = Topic { name: topic.into(), type_name: type_name.into() };
        let end = Endpoint { topic: TopicReference::Object(id(ObjectKind::Topic)), qos };
        for (parent, definition) in [
            (of(ObjectKind::Participant), Definition::Topic(topic)),
            (of(ObjectKind::Participant), Definition::Publisher),
            (of(ObjectKind::Participant), Definition::Subscriber),
            (of(ObjectKind::Publisher), Definition::DataWriter(end.clone())),
            (of(ObjectKind::Subscriber), Definition::DataReader(end)),
        ] {
            self.client.create(id(definition.kind()), Entity { parent, definition });
        }
        let stream = if qos.is_reliable { StreamId::RELIABLE } else { StreamId::BEST_EFFORT };
        self.client.read(id(ObjectKind::DataReader), stream, DataLimits::NONE);
    }

    /// Creates a service client or server in the node, and asks for responses or requests.
    pub(crate) fn create_service(&mut self, name: &str, package: &str, ty: &str, is_server: bool) {
        let service = Service {
            name: name.into(),
            request_type: format!("{package}::srv::dds_::{ty}_Request_"),
            reply_type: format!("{package}::srv::dds_::{ty}_Response_"),
            request_topic: Some(format!("rq{name}Request")),
            reply_topic: Some(format!("rr{name}Reply")),
        };
        let definition =
            if is_server { Definition::Replier(service) } else { Definition::Requester(service) };
        let object = id(definition.kind());
        self.client
            .create(object, Entity { parent: Parent::Object(id(ObjectKind::Participant)), definition });
        self.client.read(object, StreamId::RELIABLE, DataLimits::NONE);
    }

    /// Exchanges messages once.
    pub(crate) fn step(&mut self) {
        let Self { client, link, events } = self;
        let now = saltus_node::monotonic_now();
        client.poll(now, |message| link.send(message), |event| events.note(&event));
        if let Some(message) = link.receive() {
            let clock = saltus_node::system_now().as_nanos();
            client.handle(saltus_node::monotonic_now(), clock, &message, |event| events.note(&event));
        }
    }

    /// Exchanges messages until `is_done`.
    pub(crate) fn run_until(&mut self, what: &str, mut is_done: impl FnMut(&mut Self) -> bool) {
        let started = Instant::now();
        while !is_done(self) {
            assert!(started.elapsed() < LONG, "{what}: {:?}, {:?}", self.events, self.client);
            self.step();
        }
    }

    /// Connects, and waits for the answers to all requests.
    pub(crate) fn connect(&mut self, objects: usize) {
        self.run_until("connected", |device| device.events.answers >= objects);
        assert_eq!(self.events.refusals, [""; 0]);
    }

    pub(crate) fn write(&mut self, kind: ObjectKind, data: &[u8], stream: StreamId) {
        let mut result = self.client.write(stream, id(kind), data);
        let started = Instant::now();
        while result.is_err() {
            assert!(started.elapsed() < LONG, "{result:?}");
            self.step();
            result = self.client.write(stream, id(kind), data);
        }
    }
}

impl DeviceEvents {
    fn note(&mut self, event: &ClientEvent<'_>) {
        match event {
            ClientEvent::Connected => self.connected += 1,
            ClientEvent::Disconnected { .. } => self.disconnected += 1,
            ClientEvent::Status(reply) if reply.status.is_ok() => self.answers += 1,
            ClientEvent::Data { request, data } => self.data.push((request.object, data.to_vec())),
            ClientEvent::Time { offset, round_trip } => self.time = Some((*offset, *round_trip)),
            ClientEvent::Pong { .. } => {}
            other => self.refusals.push(format!("{other:?}")),
        }
    }
}

/// Returns the CDR of a string, without encapsulation.
pub(crate) fn string(text: &str) -> Vec<u8> {
    let mut bytes = (text.len() as u32 + 1).to_le_bytes().to_vec();
    bytes.extend_from_slice(text.as_bytes());
    bytes.push(0);
    bytes
}
