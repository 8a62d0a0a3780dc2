//! Chooses the role of a process of the harness.

use saltus_bench_pingpong::Arguments;

use crate::{bridged, calls, crowd, fan_out, hosts, micro, role, shown, soak, systems, timer, whole};

type Error = Box<dyn std::error::Error>;

/// Runs the role that the arguments name: `ping`, `pong`, or a role of another measurement.
pub(crate) fn run_role(arguments: &[String]) -> Result<(), Error> {
    if let Some(name) = arguments.first().filter(|name| name.starts_with("fan-")) {
        return fan_out::run_role(name, &arguments[1..]);
    }
    if arguments.first().is_some_and(|name| name == "machine") {
        return timer::run_machine(&arguments[1..]);
    }
    if arguments.first().is_some_and(|name| name == "timer") {
        return timer::run_timer_role(&arguments[1..]);
    }
    if let Some((name, words)) = arguments.split_first().filter(|(name, _)| !name.starts_with('p')) {
        return match name.as_str() {
            "bridge" => bridged::run_role(words),
            "stream" => hosts::run_role(words),
            "graph-watcher" | "graph-node" => shown::run_role(name),
            "crowd" => crowd::run_role(name, words),
            "micro-crowd" => micro::run_crowd(words),
            "micro-memory" => micro::run_memory(words),
            "micro-host" => micro::run_role(words),
            "nav" => crate::navigation::run_manual(words.first().map_or("", String::as_str))
                .map_err(|error| error as Error),
            "traffic" => systems::run_role(words).map_err(|error| error as Error),
            "soak-server" | "soak-client" => soak::run_role(name, words),
            _ => whole::run_role(name, words),
        };
    }
    let arguments = Arguments::parse(arguments)?;
    arguments.pin()?;
    if let Some(done) = calls::run(&arguments) {
        return done;
    }
    role::run(&arguments)
}
