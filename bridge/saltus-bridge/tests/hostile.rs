//! Tokens and messages of a session that means harm.
//!
//! `SALTUS_HOSTILE` sets how many there are of each (20,000 by default).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{BridgeProcess, Received, Spun, TwoHosts, wait};
use saltus::{QoS, msgs::std_msgs::msg::UInt64};
use saltus_rmw::{Attachment, data_key};
use zenoh::{Session, Wait, liveliness::LivelinessToken};

/// How much memory a bridge may need more afterwards, in KB. The most endpoints that it shows of a session need some.
const MORE: u64 = 100_000;
/// How much more it may need meanwhile, in KB: for the tokens that are there, and for the names in zenoh that were there before.
const MOST: u64 = 250_000;
/// The most tokens that are there at a time.
const AT_A_TIME: usize = 10_000;

fn count() -> u64 {
    std::env::var("SALTUS_HOSTILE").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000)
}

/// Random numbers, with a fixed seed (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn bytes(&mut self, most: u64) -> Vec<u8> {
        (0..self.below(most)).map(|_| self.next() as u8).collect()
    }

    fn choose<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len() as u64) as usize]
    }

    /// Returns a token whose parts are valid or not.
    fn token(&mut self) -> String {
        let number = self.below(30_000).to_string();
        let long = "x".repeat(self.below(2000) as usize + 1);
        let parts = [
            self.choose(&["@ros2_lv", "@saltus", "@ros2_lv", "@ros2_lv"]).to_owned(),
            self.choose(&["0", "0", "0", "1", "x"]).to_owned(),
            self.choose(&["ab12", "0000", "ffffffffffffffffffffffffffffffff", "bridge"]).to_owned(),
            number.clone(),
            self.choose(&[number.as_str(), "-1", "99999999999999999999", "0"]).to_owned(),
            self.choose(&["MP", "MS", "SS", "SC", "NN", "XX"]).to_owned(),
            self.choose(&["%", "enclave"]).to_owned(),
            self.choose(&["%", "%robot", "%%%", "a b"]).to_owned(),
            self.choose(&["talker", "1", long.as_str()]).to_owned(),
            format!("{}{number}", self.choose(&["%traffic", "%chatter", "chatter", "%a%_action%send_goal"])),
            self.choose(&["std_msgs::msg::dds_::UInt64_", "x", "::", long.as_str()]).to_owned(),
            self.choose(&["RIHS01_00", "TypeHashNotSupported", "RIHS01_zz"]).to_owned(),
            self.choose(&["::,10:,:,:,,", "1:1:1,4294967296:,:,:,,", "::::", ",", "2::,1:,:,:,,"]).to_owned(),
        ];
        let length = self.below(parts.len() as u64) as usize + 1;
        parts[..length.max(3)].join("/")
    }
}

/// Returns the memory of a bridge in KB.
fn memory(bridge: &BridgeProcess) -> u64 {
    memory_of(bridge, "VmRSS:")
}

/// Returns a number of KB that the system knows of a bridge.
fn memory_of(bridge: &BridgeProcess, what: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{}/status", bridge.id())).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(what)).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// A session that connects to a bridge, and what it announces.
struct Attacker {
    session: Session,
    tokens: Vec<LivelinessToken>,
}

impl Attacker {
    fn new(bridge: &BridgeProcess) -> Self {
        let mut config = zenoh::Config::default();
        config.insert_json5("mode", "\"client\"").unwrap();
        config.insert_json5("scouting/multicast/enabled", "false").unwrap();
        config.insert_json5("connect/endpoints", &format!("[\"{}\"]", bridge.address)).unwrap();
        Self { session: zenoh::open(config).wait().unwrap(), tokens: Vec::new() }
    }

    /// Whether it must be replaced: it has announced much, or its bridge has ended the connection.
    fn is_done(&self) -> bool {
        self.tokens.len() >= AT_A_TIME || self.session.info().routers_zid().wait().next().is_none()
    }
}

#[test]
fn hostile_tokens_and_messages_take_little_memory_and_harm_nobody() {
    let hosts = TwoHosts::new();
    let (here, there) = (Spun::new(&hosts.folders[0], "here"), Spun::new(&hosts.folders[1], "there"));
    let publisher = here.node.publisher::<UInt64>("/traffic").create().unwrap();
    let received = Received::new(&there, "/traffic", QoS::keep_last(1000));
    wait("the subscription", || received.subscription.status().matched == 1);
    let end = here.context.graph().endpoints.iter().find(|end| end.topic == "/traffic").unwrap().clone();
    let key = data_key(0, "/traffic", &end.type_name, end.type_hash).unwrap();
    let before: Vec<u64> = hosts.bridges.iter().map(memory).collect();
    let mut random = Random(0x5EED);
    let (mut attacker, mut sessions) = (Attacker::new(&hosts.bridges[0]), 1);
    for number in 0..count() {
        if number % (count() / 10).max(1) == 0 {
            println!("{number} tokens: {:?} KB", hosts.bridges.iter().map(memory).collect::<Vec<_>>());
        }
        if attacker.is_done() {
            attacker = Attacker::new(&hosts.bridges[0]);
            sessions += 1;
        }
        let Attacker { session, tokens } = &mut attacker;
        // Zenoh refuses some texts itself.
        tokens.extend(session.liveliness().declare_token(random.token()).wait());
        if number % 2 == 0 && !tokens.is_empty() {
            drop(tokens.swap_remove(random.below(tokens.len() as u64) as usize));
        }
        let attachment = match random.below(3) {
            0 => random.bytes(64),
            // Of the publisher itself, with a number that it has not sent.
            1 => Attachment {
                sequence: random.next() as i64,
                source_time: Default::default(),
                gid: Default::default(),
            }
            .to_bytes()
            .to_vec(),
            _ => Vec::new(),
        };
        let payload = random.bytes(300);
        let put = session.put(key.as_str(), payload).attachment(attachment);
        put.wait().unwrap();
        if number % 100 == 0 {
            publisher.publish(&UInt64 { data: number }).unwrap();
        }
    }
    drop(attacker);
    println!("{sessions} sessions");
    let last = count();
    wait("a message after the attack", || {
        publisher.publish(&UInt64 { data: last }).unwrap();
        received.numbers.lock().unwrap().contains(&last)
    });
    for (bridge, before) in hosts.bridges.iter().zip(before) {
        wait("the memory that is free again", || memory(bridge) < before + MORE);
        let (after, peak) = (memory(bridge), memory_of(bridge, "VmHWM:"));
        println!("{before} KB before, {after} KB after, at most {peak} KB");
        assert!(peak < before + MOST, "at most {peak} KB");
    }
}
