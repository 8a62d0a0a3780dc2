//! zenoh in the mode `peer`, between two processes. `tcp` uses no shared memory. In `tcp-shm`, both processes have a
//! provider, which allocates messages in shared memory. In `query-tcp` and `query-tcp-shm`, ping has a querier and pong
//! has a queryable, as services over zenoh do.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, channel},
    },
    time::Duration,
};

use saltus_bench_pingpong::{Arguments, Echoes, PingTransport, Reply, Role, ping};
use zenoh::{
    Config, Session, Wait,
    bytes::ZBytes,
    pubsub::Publisher,
    qos::CongestionControl,
    shm::{BlockOn, GarbageCollect, PosixShmProviderBackend, ShmProvider, ShmProviderBuilder},
};

mod query;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// The size of the shared memory in bytes. It is enough for several messages of a megabyte at the same time.
const SHARED: usize = 32 << 20;

/// The sending half of an exchange.
struct Sender {
    session: Session,
    publisher: Publisher<'static>,
    provider: Provider,
}

struct Ping {
    sender: Sender,
    received: Receiver<ZBytes>,
}

/// Returns a port that depends on the tag. It is above the ports that Linux assigns automatically.
fn port(tag: &str) -> u16 {
    let hash = tag.bytes().fold(7u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
    61_000 + (hash % 4_000) as u16
}

fn config(arguments: &Arguments) -> Result<Config, Error> {
    let endpoint = format!("[\"tcp/127.0.0.1:{}\"]", port(&arguments.tag));
    let (listen, connect) = match arguments.role {
        Role::Pong => (endpoint.as_str(), "[]"),
        Role::Ping => ("[]", endpoint.as_str()),
    };
    let mut config = Config::default();
    for (key, value) in [
        ("mode", "\"peer\""),
        ("scouting/multicast/enabled", "false"),
        ("listen/endpoints", listen),
        ("connect/endpoints", connect),
        ("connect/timeout_ms", "5000"),
        ("connect/exit_on_failure", "false"),
        ("transport/shared_memory/enabled", if is_shared(arguments) { "true" } else { "false" }),
    ] {
        config.insert_json5(key, value)?;
    }
    Ok(config)
}

fn is_shared(arguments: &Arguments) -> bool {
    arguments.mode.ends_with("shm")
}

/// The allocator of messages in shared memory; `None` if messages are not in shared memory.
type Provider = Option<ShmProvider<PosixShmProviderBackend>>;

fn provider(arguments: &Arguments) -> Result<Provider, Error> {
    Ok(if is_shared(arguments) { Some(ShmProviderBuilder::default_backend(SHARED).wait()?) } else { None })
}

/// Returns a message with a copy of the data.
fn filled(provider: &Provider, data: &[u8]) -> Result<ZBytes, Error> {
    let Some(provider) = provider else { return Ok(data.into()) };
    let mut buffer = provider.alloc(data.len()).with_policy::<BlockOn<GarbageCollect>>().wait()?;
    buffer.copy_from_slice(data);
    Ok(buffer.into())
}

/// Returns two keys: the one that this end sends to, and the one that it receives from.
fn keys(arguments: &Arguments) -> (String, String) {
    let (ping, pong) = (format!("ping/{}", arguments.tag), format!("pong/{}", arguments.tag));
    if arguments.role == Role::Ping { (ping, pong) } else { (pong, ping) }
}

impl Sender {
    fn open(arguments: &Arguments) -> Result<Self, Error> {
        let session = zenoh::open(config(arguments)?).wait()?;
        let publisher = session
            .declare_publisher(keys(arguments).0)
            .congestion_control(CongestionControl::Block)
            .express(true)
            .wait()?;
        let provider = provider(arguments)?;
        Ok(Self { session, publisher, provider })
    }

    /// Calls `callback` with each message, on a thread of the library.
    fn on_message(
        &self,
        arguments: &Arguments,
        callback: impl Fn(&ZBytes) + Send + Sync + 'static,
    ) -> Result<(), Error> {
        let from = keys(arguments).1;
        let subscriber = self.session.declare_subscriber(from);
        subscriber.callback(move |sample| callback(sample.payload())).background().wait()
    }

    fn wait_for_other_end(&self) -> Result<(), Error> {
        for _ in 0..1000 {
            if self.publisher.matching_status().wait()?.matching() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Err("the other process was not found in time".into())
    }

    fn send(&self, data: &[u8]) -> Result<(), Error> {
        self.publisher.put(filled(&self.provider, data)?).wait()
    }
}

impl PingTransport for Ping {
    fn round_trip(&mut self, data: &[u8], whole: bool, timeout: Duration) -> Result<Option<Reply>, String> {
        self.send(data)?;
        Ok(self.received.recv_timeout(timeout).ok().map(|payload| Reply::of(&payload.to_bytes(), whole)))
    }

    fn send(&mut self, data: &[u8]) -> Result<(), String> {
        self.sender.send(data).map_err(|e| e.to_string())
    }
}

fn main() -> Result<(), Error> {
    let arguments = Arguments::parse(&std::env::args().skip(1).collect::<Vec<_>>())?;
    arguments.pin()?;
    if arguments.mode.starts_with("query") {
        return query::run(&arguments);
    }
    let sender = Sender::open(&arguments)?;
    match arguments.role {
        Role::Ping => run_ping(&arguments, sender),
        Role::Pong => run_pong(&arguments, sender),
    }
}

fn run_ping(arguments: &Arguments, sender: Sender) -> Result<(), Error> {
    let (received_by_callback, received) = channel();
    sender.on_message(arguments, move |payload| {
        let _ = received_by_callback.send(payload.clone());
    })?;
    sender.wait_for_other_end()?;
    Ok(ping(arguments, "1.10.2", &mut Ping { sender, received })?)
}

/// Answers in the callback. A separate thread for answers would have to be woken for each message.
fn run_pong(arguments: &Arguments, sender: Sender) -> Result<(), Error> {
    let (over, ended) = channel();
    let echoes = Mutex::new(Echoes::new(arguments));
    let sender = Arc::new(sender);
    let reply = sender.clone();
    sender.on_message(arguments, move |payload| {
        let data = payload.to_bytes();
        let mut echoes = echoes.lock().unwrap_or_else(PoisonError::into_inner);
        if !echoes.note(&data) {
            let _ = over.send(echoes.report());
        } else if let Err(error) = reply.send(&data) {
            eprintln!("{error}");
        }
    })?;
    sender.wait_for_other_end()?;
    ended.recv()?;
    Ok(())
}
