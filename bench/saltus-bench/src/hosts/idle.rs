//! What a bridge costs while no messages pass.

use std::{fmt::Write, thread, time::Duration};

use super::{
    options::HostsOptions,
    scene::{Hosts, Program, Used},
};

type Error = Box<dyn std::error::Error>;

/// How long it takes until everything that happens at the start has happened.
const SETTLE: Duration = Duration::from_secs(2);

/// Returns a table of a bridge and of a session of zenoh alone.
pub(super) fn measure(options: &HostsOptions) -> Result<String, Error> {
    let time = Duration::from_secs(options.seconds);
    let mut hosts = Hosts::new(&Default::default(), None)?;
    hosts.start_bridges("")?;
    let bridge = used_in(&hosts.bridges[1], time)?;
    drop(hosts);
    let hosts = Hosts::new(&Default::default(), None)?;
    let start = |host| {
        let mut command = hosts.bare_zenoh(host)?;
        command.arg("idle");
        Program::start_ready(command)
    };
    let (_router, session) = (start(0)?, start(1)?);
    let bare = used_in(&session, time)?;
    let mut table = format!("\nidle for {} s\n\n| | CPU | PSS |\n|---|---|---|\n", options.seconds);
    for (name, used) in [("saltus bridge", bridge), ("zenoh alone", bare)] {
        let percent = used.cpu.as_secs_f64() / time.as_secs_f64() * 100.0;
        writeln!(table, "| {name} | {percent:.2} % of a core | {:.1} MB |", used.pss as f64 / 1024.0)?;
    }
    Ok(table)
}

fn used_in(program: &Program, time: Duration) -> Result<Used, Error> {
    // What is measured is the time in which nothing happens.
    thread::sleep(SETTLE);
    let before = program.used()?.cpu;
    thread::sleep(time);
    let after = program.used()?;
    Ok(Used { cpu: after.cpu - before, ..after })
}
