//! What `saltus bench bridge` measures beside the bridge: the same exchanges with zenoh alone.
//!
//! `bare-zenoh ping|pong …` takes the arguments of `bench/peers/README.md`, `bare-zenoh send SECONDS STREAM…` and
//! `bare-zenoh receive STREAM…` pass streams, and `bare-zenoh idle` does nothing. `BARE_ZENOH_LISTEN` and `BARE_ZENOH_CONNECT` have the
//! addresses. `bench/peers/rust/zenoh` has all features of zenoh; this has those of the bridge, and is built with it. The mode of an exchange is `default`, or `express` for messages that are not sent together with others.

use std::{
    env,
    io::{self, Read, Write},
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, channel},
    },
    time::{Duration, Instant},
};

use saltus_bench_pingpong::{
    Arguments, Arrivals, Echoes, PingTransport, Reply, Role, Stream, ping, send_streams, stamp_at,
};
use saltus_types::lock;
use zenoh::{Config, Session, Wait, bytes::ZBytes, pubsub::Publisher, qos::CongestionControl};

type Error = Box<dyn std::error::Error + Send + Sync>;

/// How often the other end is looked for, and the pause between two looks.
const LOOKS: u32 = 1000;
const PAUSE: Duration = Duration::from_millis(10);

fn main() -> Result<(), Error> {
    let words: Vec<String> = env::args().skip(1).collect();
    match words.split_first().map(|(role, rest)| (role.as_str(), rest)) {
        Some(("idle", _)) => idle(),
        Some(("send", [seconds, streams @ ..])) => send(seconds.parse()?, &parse(streams)?),
        Some(("receive", streams)) => receive(&parse(streams)?),
        _ => exchange(&Arguments::parse(&words)?),
    }
}

fn parse(words: &[String]) -> Result<Vec<Stream>, String> {
    words.iter().map(|word| word.parse()).collect()
}

/// Opens a session as the bridge does, without what the bridge adds.
fn open() -> Result<Session, Error> {
    let list = |name| match env::var(name) {
        Ok(address) => format!("[\"{address}\"]"),
        Err(_) => "[]".to_owned(),
    };
    let mut config = Config::default();
    for (key, value) in [
        ("mode", "\"peer\""),
        ("scouting/multicast/enabled", "false"),
        ("listen/endpoints", &list("BARE_ZENOH_LISTEN")),
        ("connect/endpoints", &list("BARE_ZENOH_CONNECT")),
        ("connect/timeout_ms", "-1"),
        ("connect/exit_on_failure", "false"),
        ("timestamping/enabled", "true"),
    ] {
        config.insert_json5(key, value)?;
    }
    zenoh::open(config).wait()
}

fn ready() -> io::Result<()> {
    println!("ready");
    io::stdout().flush()
}

fn wait_for_end_of_input() -> io::Result<()> {
    io::stdin().read_to_end(&mut Vec::new()).map(drop)
}

fn idle() -> Result<(), Error> {
    let _session = open()?;
    ready()?;
    Ok(wait_for_end_of_input()?)
}

fn wait_for_subscriber(publisher: &Publisher<'_>) -> Result<(), Error> {
    for _ in 0..LOOKS {
        if publisher.matching_status().wait()?.matching() {
            return Ok(());
        }
        // A pause between two looks at the other process.
        std::thread::sleep(PAUSE);
    }
    Err("the other process was not found in time".into())
}

fn send(seconds: u64, streams: &[Stream]) -> Result<(), Error> {
    let session = open()?;
    let publishers: Vec<Publisher<'_>> = streams
        .iter()
        .map(|stream| session.declare_publisher(stream.name.clone()).wait())
        .collect::<Result<_, _>>()?;
    publishers.iter().try_for_each(wait_for_subscriber)?;
    ready()?;
    let sent = send_streams(streams, Duration::from_secs(seconds), |stream, data| {
        publishers[stream].put(data).wait()
    })?;
    for (stream, sent) in streams.iter().zip(sent) {
        println!("stream={} sent={sent}", stream.name);
    }
    Ok(wait_for_end_of_input()?)
}

fn receive(streams: &[Stream]) -> Result<(), Error> {
    let session = open()?;
    let all: Vec<Arc<Mutex<Arrivals>>> = streams.iter().map(|_| Arc::default()).collect();
    for (stream, arrivals) in streams.iter().zip(&all) {
        let arrivals = arrivals.clone();
        let note = move |payload: &ZBytes| lock(&arrivals).note(&payload.to_bytes());
        let subscriber = session.declare_subscriber(stream.name.clone());
        subscriber.callback(move |sample| note(sample.payload())).background().wait()?;
    }
    ready()?;
    wait_for_end_of_input()?;
    for (stream, arrivals) in streams.iter().zip(&all) {
        println!("{}", lock(arrivals).report(&stream.name));
    }
    Ok(())
}

struct Ping {
    publisher: Publisher<'static>,
    received: Receiver<ZBytes>,
}

impl PingTransport for Ping {
    fn round_trip(&mut self, data: &[u8], whole: bool, timeout: Duration) -> Result<Option<Reply>, String> {
        self.send(data)?;
        let begin = Instant::now();
        // Over a network with losses, the reply to an earlier message may come after its time.
        while let Ok(payload) = self.received.recv_timeout(timeout.saturating_sub(begin.elapsed())) {
            let reply = Reply::of(&payload.to_bytes(), whole);
            if reply.first == stamp_at(data, 0) {
                return Ok(Some(reply));
            }
        }
        Ok(None)
    }

    fn send(&mut self, data: &[u8]) -> Result<(), String> {
        self.publisher.put(data).wait().map_err(|error| error.to_string())
    }
}

fn exchange(arguments: &Arguments) -> Result<(), Error> {
    arguments.pin()?;
    let (ping_key, pong_key) = (format!("ping/{}", arguments.tag), format!("pong/{}", arguments.tag));
    let (to, from) = match arguments.role {
        Role::Ping => (ping_key, pong_key),
        Role::Pong => (pong_key, ping_key),
    };
    let session = open()?;
    let publisher = session
        .declare_publisher(to)
        // Nothing is lost: the next message is sent after the answer to the last one.
        .congestion_control(CongestionControl::Block)
        .express(arguments.mode == "express")
        .wait()?;
    let subscriber = session.declare_subscriber(from);
    match arguments.role {
        Role::Ping => {
            let (sender, received) = channel();
            let pass = move |payload: &ZBytes| _ = sender.send(payload.clone());
            subscriber.callback(move |sample| pass(sample.payload())).background().wait()?;
            wait_for_subscriber(&publisher)?;
            Ok(ping(arguments, "1.10.2", &mut Ping { publisher, received })?)
        }
        Role::Pong => {
            let (over, ended) = channel();
            let echoes = Mutex::new(Echoes::new(arguments));
            let answer = move |payload: &ZBytes| {
                let data = payload.to_bytes();
                let mut echoes = lock(&echoes);
                if !echoes.note(&data) {
                    echoes.report();
                    // It fails if the end was noted before.
                    let _ = over.send(());
                } else if let Err(error) = publisher.put(&*data).wait() {
                    eprintln!("{error}");
                }
            };
            subscriber.callback(move |sample| answer(sample.payload())).background().wait()?;
            Ok(ended.recv()?)
        }
    }
}
