//! zenoh between two peers: `tcp` without shared memory, `tcp-shm` with a provider on both sides.

use std::{
    sync::mpsc::{Receiver, channel},
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

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Room for a few messages of a megabyte in flight.
const SHARED: usize = 32 << 20;

struct Exchange {
    _session: Session,
    publisher: Publisher<'static>,
    received: Receiver<ZBytes>,
    provider: Option<ShmProvider<PosixShmProviderBackend>>,
}

/// A port that depends on the tag, above those that systems hand out.
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
        ("transport/shared_memory/enabled", if arguments.mode == "tcp-shm" { "true" } else { "false" }),
    ] {
        config.insert_json5(key, value)?;
    }
    Ok(config)
}

impl Exchange {
    fn open(arguments: &Arguments) -> Result<Self, Error> {
        let session = zenoh::open(config(arguments)?).wait()?;
        let (ping, pong) = (format!("ping/{}", arguments.tag), format!("pong/{}", arguments.tag));
        let (to, from) = if arguments.role == Role::Ping { (ping, pong) } else { (pong, ping) };
        let (sender, received) = channel();
        session
            .declare_subscriber(from)
            .callback(move |sample| {
                let _ = sender.send(sample.payload().clone());
            })
            .background()
            .wait()?;
        let publisher = session
            .declare_publisher(to)
            .congestion_control(CongestionControl::Block)
            .express(true)
            .wait()?;
        let provider = match arguments.mode.as_str() {
            "tcp-shm" => Some(ShmProviderBuilder::default_backend(SHARED).wait()?),
            _ => None,
        };
        for _ in 0..1000 {
            if publisher.matching_status().wait()?.matching() {
                return Ok(Self { _session: session, publisher, received, provider });
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Err("the other end did not come".into())
    }

    fn send(&self, data: &[u8]) -> Result<(), Error> {
        let Some(provider) = &self.provider else { return self.publisher.put(data).wait() };
        let mut buffer = provider.alloc(data.len()).with_policy::<BlockOn<GarbageCollect>>().wait()?;
        buffer.copy_from_slice(data);
        self.publisher.put(buffer).wait()
    }
}

impl PingTransport for Exchange {
    fn round_trip(&mut self, data: &[u8], whole: bool, timeout: Duration) -> Result<Option<Reply>, String> {
        Exchange::send(self, data).map_err(|e| e.to_string())?;
        Ok(self.received.recv_timeout(timeout).ok().map(|payload| Reply::of(&payload.to_bytes(), whole)))
    }

    fn send(&mut self, data: &[u8]) -> Result<(), String> {
        Exchange::send(self, data).map_err(|e| e.to_string())
    }
}

fn main() -> Result<(), Error> {
    let arguments = Arguments::parse(&std::env::args().skip(1).collect::<Vec<_>>())?;
    arguments.pin()?;
    let mut exchange = Exchange::open(&arguments)?;
    if arguments.role == Role::Ping {
        return Ok(ping(&arguments, "1.10.2", &mut exchange)?);
    }
    let mut echoes = Echoes::new(&arguments);
    while let Ok(payload) = exchange.received.recv_timeout(Duration::from_secs(10)) {
        let data = payload.to_bytes();
        if !echoes.note(&data) {
            break;
        }
        exchange.send(&data)?;
    }
    echoes.report();
    Ok(())
}
