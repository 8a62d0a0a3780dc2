//! What nodes log: on the console in ROS's format, and on `/rosout`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{io::Read, process::Stdio, time::Duration};

use saltus::{QoS, context::ContextOptions, graph::EndpointKind, msgs::rcl_interfaces::msg::Log};
use saltus_e2e::{Actor, Stage};

const ACTOR: &str = env!("CARGO_BIN_EXE_actor");
const LONG: Duration = Duration::from_secs(10);

/// Runs a talker with these arguments. Returns what it prints on the console, and what it publishes on `/rosout`.
fn run_talker(words: &[&str], format: Option<&str>) -> (String, Vec<Log>) {
    let stage = Stage::new();
    let context =
        ContextOptions::default().domain(0).folder(stage.folder()).handle_signals(false).create().unwrap();
    let node = context.node("listener").create().unwrap();
    let rosout = node.subscription::<Log>("/rosout").qos(QoS::rosout()).create().unwrap();
    let mut command = stage.command(ACTOR, &[&["speak"], words].concat());
    command.env_remove("RCUTILS_COLORIZED_OUTPUT").env_remove("RCUTILS_LOGGING_USE_STDOUT");
    match format {
        Some(format) => command.env("RCUTILS_CONSOLE_OUTPUT_FORMAT", format),
        None => command.env_remove("RCUTILS_CONSOLE_OUTPUT_FORMAT"),
    };
    let mut talker = Actor::start(command.stderr(Stdio::piped()));
    assert_eq!(talker.line(), "ready");
    let silent = words.contains(&"--disable-rosout-logs");
    let mut logs = Vec::new();
    // The subscription matched before the last message was logged, and the earlier messages are kept.
    if silent {
        let domain = ContextOptions::default().domain(0).folder(stage.folder()).domain_id().unwrap();
        let graph = saltus::graph::observe_graph(&domain).unwrap();
        assert!(graph.nodes.iter().any(|node| node.name == "talker"));
        assert!(!graph.endpoints.iter().any(|end| end.kind == EndpointKind::Publisher), "{graph:?}");
    }
    context.wait_until(if silent { Duration::ZERO } else { LONG }, || {
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
fn the_console_and_rosout_have_what_a_node_logs() {
    let (console, logs) = run_talker(&[], None);
    let lines = [
        "[INFO] [robot.talker]: the answer is 42",
        "[WARN] [robot.talker]: said once",
        "[ERROR] [robot.talker]: said seldom",
        "[FATAL] [robot.talker.arm]: the end",
    ];
    assert_eq!(timeless(&console), lines);
    let said: Vec<_> = logs.iter().map(|log| (log.level, &*log.name, &*log.msg)).collect();
    let want = [
        (20, "robot.talker", "the answer is 42"),
        (30, "robot.talker", "said once"),
        (40, "robot.talker", "said seldom"),
        (50, "robot.talker.arm", "the end"),
    ];
    assert_eq!(said, want);
    assert!(logs.iter().all(|log| log.file.ends_with("actor.rs") && log.line > 0 && log.stamp.sec > 0));
}

#[test]
fn levels_and_switches_of_the_command_line_hold() {
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
fn the_console_has_the_form_that_the_environment_says() {
    let (console, _) = run_talker(&[], Some("{severity}|{name}|{message}|{nothing}"));
    assert_eq!(console.lines().next(), Some("INFO|robot.talker|the answer is 42|{nothing}"));
}
