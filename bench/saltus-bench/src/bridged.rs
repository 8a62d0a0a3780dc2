//! The row whose messages go over a domain bridge.

use std::process::Command;

use saltus::executor::WaitStrategy;
use saltus_bench_pingpong::{Usage, pin};
use saltus_domain_bridge::{BridgeOptions, Config, DomainBridge, GraphId, Kind, Pattern, Rule};

use crate::{
    peer::Peer,
    process::{Process, at_end_of_stdin, print_line},
};

type Error = Box<dyn std::error::Error>;

/// The first part of the name of a mode whose messages go over a bridge.
pub(crate) const MODE: &str = "bridged";

/// Returns the domain of ping and the domain of pong.
fn domains() -> [u32; 2] {
    let of_ping = std::env::var("ROS_DOMAIN_ID").ok().and_then(|text| text.parse().ok()).unwrap_or(0_u32);
    [of_ping, if of_ping < 200 { of_ping + 1 } else { of_ping - 1 }]
}

/// A running bridge. It ends when this value is dropped.
pub(crate) struct Bridge(Process);

impl Bridge {
    /// Starts a bridge if the row needs one. If ping and pong run on one CPU, the bridge runs on that CPU too.
    pub(crate) fn start_for(peer: &Peer, cpus: (i32, i32)) -> Result<Option<Self>, String> {
        if !is_bridged(peer) {
            return Ok(None);
        }
        let cpu = if cpus.0 == cpus.1 { cpus.0 } else { -1 };
        let process = Process::start("bridge", &[cpu.to_string()]);
        process.map(|process| Some(Self(process))).map_err(|error| error.to_string())
    }

    /// Ends the bridge. Returns the line that it prints, which contains the CPU time that it used.
    pub(crate) fn end(mut self) -> String {
        self.0.close_and_read()
    }
}

fn is_bridged(peer: &Peer) -> bool {
    peer.mode.starts_with(MODE)
}

/// Makes pong join its own domain if the messages of the row go over a bridge.
pub(crate) fn place_pong(peer: &Peer, role: &str, command: &mut Command) {
    if is_bridged(peer) && role == "pong" {
        command.env("ROS_DOMAIN_ID", domains()[1].to_string());
    }
}

/// Runs the bridge until the standard input closes.
pub(crate) fn run_role(words: &[String]) -> Result<(), Error> {
    if let Some(cpu) = words.first().and_then(|word| word.parse::<usize>().ok()) {
        pin(cpu)?;
    }
    let [ping, pong] = domains().map(|domain| GraphId { domain, group: None });
    let mut config = Config::default();
    for topics in ["ping_*", "pong_*"] {
        config.add(&ping, &pong, true, &Rule::new(Kind::Topic, Pattern::parse(topics)?));
    }
    let options = BridgeOptions { wait: WaitStrategy::Adaptive, ..BridgeOptions::default() };
    let bridge = DomainBridge::join(&config, &options)?;
    let stopper = bridge.stopper();
    at_end_of_stdin(move || stopper.stop());
    let usage = Usage::now();
    print_line("ready")?;
    bridge.run()?;
    print_line(&usage.elapsed(std::time::Duration::ZERO))
}
