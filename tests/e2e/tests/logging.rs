//! The log messages of nodes: on the console in ROS's format, and on `/rosout`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{io::Read, process::Stdio, time::Duration};

use saltus::{QoS, context::ContextOptions, graph::EndpointKind, msgs::rcl_interfaces::msg::Log};
use saltus_e2e::{Actor, ShmFolder};

const ACTOR: &str = env!("CARGO_BIN_EXE_actor");
const LONG: Duration = Duration::from_secs(10);

/// Runs a talker with these arguments. Returns its output on the console, and the messages that it published on
/// `/rosout`.
fn run_talker(words: &[&str], format: Option<&str>) -> (String, Vec<Log>) {
    let shm = ShmFolder::new();
    let context =
        ContextOptions::default().domain(0).folder(shm.path()).handle_signals(false).create().unwrap();
    let node = context.node("listener").create().unwrap();
    let rosout = node.subscription::<Log>("/rosout").qos(QoS::rosout()).create().unwrap();
    let mut command = shm.command(ACTOR, &[&["log"], words].concat());
    command.env_remove("RCUTILS_COLORIZED_OUTPUT").env_remove("RCUTILS_LOGGING_USE_STDOUT");
    match format {
        Some(format) => command.env("RCUTILS_CONSOLE_OUTPUT_FORMAT", format),
        None => command.env_remove("RCUTILS_CONSOLE_OUTPUT_FORMAT"),
    };
    let mut talker = Actor::start(command.stderr(Stdio::piped()));
    assert_eq!(talker.read_line(), "ready");
    let without_rosout = words.contains(&"--disable-rosout-logs");
    let mut logs = Vec::new();
    // The subscription was matched before the last message was logged, and earlier messages are kept for it.
    if without_rosout {
        let domain = ContextOptions::default().domain(0).folder(shm.path()).domain_id().unwrap();
        let graph = saltus::graph::observe_graph(&domain).unwrap();
        assert!(graph.nodes.iter().any(|node| node.name == "talker"));
        assert!(!graph.endpoints.iter().any(|end| end.kind == EndpointKind::Publisher), "{graph:?}");
    }
    context.wait_until(if without_rosout { Duration::ZERO } else { LONG }, || {
        logs.extend(std::iter::from_fn(|| rosout.take()).map(|log| log.unwrap().0));
        logs.iter().any(|log| log.msg == "the end")
    });
    let mut console = String::new();
    let mut stderr = talker.stderr();
    drop(talker);
    stderr.read_to_string(&mut console).unwrap();
    (console, logs)
}

/// Returns the lines without their times.
fn timeless(console: &str) -> Vec<String> {
    let line = |line: &str| {
        let (severity, rest) = line.split_once("] [").unwrap();
        let (time, rest) = rest.split_once("] [").unwrap();
        assert!(time.split('.').all(|digits| digits.bytes().all(|b| b.is_ascii_digit())), "{time}");
        format!("{severity}] [{rest}")
    };
    console.lines().map(line).collect()
}

#[test]
fn log_messages_are_printed_and_published() {
    let (console, logs) = run_talker(&[], None);
    let lines = [
        "[INFO] [robot.talker]: the answer is 42",
        "[WARN] [robot.talker]: logged once",
        "[ERROR] [robot.talker]: logged seldom",
        "[FATAL] [robot.talker.arm]: the end",
    ];
    assert_eq!(timeless(&console), lines);
    let published: Vec<_> = logs.iter().map(|log| (log.level, &*log.name, &*log.msg)).collect();
    let expected = [
        (20, "robot.talker", "the answer is 42"),
        (30, "robot.talker", "logged once"),
        (40, "robot.talker", "logged seldom"),
        (50, "robot.talker.arm", "the end"),
    ];
    assert_eq!(published, expected);
    assert!(logs.iter().all(|log| log.file.ends_with("actor.rs") && log.line > 0 && log.stamp.sec > 0));
}

#[test]
fn levels_and_switches_of_the_command_line_are_applied() {
    let (console, logs) =
        run_talker(&["--ros-args", "--log-level", "debug", "--log-level", "robot.talker.arm:=unset"], None);
    assert_eq!((timeless(&console).len(), logs.len()), (5, 5), "{console}");
    let (console, logs) = run_talker(&["--ros-args", "--log-level", "robot.talker:=fatal"], None);
    assert_eq!((timeless(&console).len(), logs.len()), (1, 1), "{console}");
    let (console, logs) = run_talker(&["--ros-args", "--disable-stdout-logs"], None);
    assert_eq!((&*console, logs.len()), ("", 4));
    let (console, logs) = run_talker(&["--ros-args", "--disable-rosout-logs"], None);
    assert_eq!((timeless(&console).len(), logs.len()), (4, 0));
}

#[test]
fn the_environment_sets_the_format_of_the_console() {
    let (console, _) = run_talker(&[], Some("{severity}|{name}|{message}|{nothing}"));
    assert_eq!(console.lines().next(), Some("INFO|robot.talker|the answer is 42|{nothing}"));
}
