//! Runs launch files with small programs of the system, and reads the log file of the launch.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;

use saltus_launch_file::{Environment, Evaluator};
use saltus_launcher::{Machine, Options, environment, run};

/// A launch blocks signals in its thread and collects all children of this program, so the tests run one after the other in
/// the main thread.
fn main() {
    processes_are_started_in_order_and_everything_ends_with_a_required_one();
    a_process_that_fails_is_started_again_and_those_that_wait_for_it_are_not_started();
    a_timer_ends_the_launch_for_a_reason();
    a_second_ctrl_c_sends_the_next_signal_at_once();
}

/// Runs the actions of a launch file in YAML. Returns the exit code, and the lines of the log file without their times.
fn launch(actions: &str) -> (i32, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robot.launch.yaml");
    fs::write(&file, format!("launch:\n{actions}")).unwrap();
    let machine = Machine::new(folder.path().join("log"), None, |_, _| false);
    let environment: Environment = environment();
    let mut evaluator = Evaluator::new(&machine, environment);
    let plan = evaluator.plan(&file, &[]).unwrap();
    let code = run(plan, evaluator, &machine, Options::default()).unwrap();
    let log = fs::read_to_string(folder.path().join("log/launch.log")).unwrap();
    let without_time = |line: &str| line.split_once(' ').unwrap().1.to_owned();
    (code, log.lines().map(without_time).collect())
}

/// Returns the index of the line that contains a text.
#[track_caller]
fn index(lines: &[String], text: &str) -> usize {
    let found = lines.iter().position(|line| line.contains(text));
    found.unwrap_or_else(|| panic!("no line contains {text:?}: {lines:#?}"))
}

fn processes_are_started_in_order_and_everything_ends_with_a_required_one() {
    let (code, lines) = launch(
        "- executable: {cmd: sleep 30, name: first}\n\
         - executable: {cmd: sh -c 'sleep 0.2; exit 3', name: second, after: first, on_exit: shutdown}\n",
    );
    assert_eq!(code, 3);
    assert!(
        index(&lines, "[INFO] [first-1]: process started with pid")
            < index(&lines, "[INFO] [second-2]: process started")
    );
    index(&lines, "[INFO] [launch]: all 2 processes are ready after ");
    index(&lines, "[ERROR] [second-2]: process has died [pid ");
    let ends = index(&lines, "[WARNING] [second-2]: the process is required; everything ends");
    let signal = index(&lines, "[INFO] [first-1]: sending signal 'SIGINT' to process[first-1]");
    assert!(ends < signal && signal < index(&lines, "[INFO] [first-1]: process has finished cleanly [pid "));
}

fn a_process_that_fails_is_started_again_and_those_that_wait_for_it_are_not_started() {
    let (code, lines) = launch(
        "- executable: {cmd: /no/such/program, name: missing, ready: {topic: /none}, restart: {policy: on-failure, backoff: 0, max: 1}}\n\
         - executable: {cmd: 'true', name: waiting, after: missing}\n",
    );
    assert_eq!(code, 127);
    index(&lines, "[ERROR] [missing-1]: can't start '/no/such/program': ");
    index(&lines, "[INFO] [missing-1]: restart 1 in 0.1 s");
    index(
        &lines,
        "[ERROR] [waiting-2]: the process is not started, because missing-1 has ended before it was ready",
    );
}

fn a_timer_ends_the_launch_for_a_reason() {
    let (code, lines) = launch(
        "- executable: {cmd: sleep 30, name: sleeper}\n\
         - timer: {period: 30, children: [log: {message: never}]}\n\
         - timer: {period: 0.1, children: [log: {message: soon}, shutdown: {reason: it is enough}]}\n",
    );
    assert_eq!(code, 0);
    index(&lines, "[INFO] [launch]: the process is ready after ");
    assert!(
        index(&lines, "[INFO] [launch.user]: soon")
            < index(&lines, "[INFO] [launch]: shutdown requested: it is enough")
    );
    assert!(!lines.iter().any(|line| line.contains("never")));
}

fn a_second_ctrl_c_sends_the_next_signal_at_once() {
    let (code, lines) = launch(
        "- executable: {cmd: \"sh -c 'trap : INT; kill -INT $PPID; sleep 0.5; kill -INT $PPID; sleep 30'\", name: user}\n",
    );
    // A process that the user has ended has not failed.
    assert_eq!(code, 0);
    let texts = [
        "[INFO] [launch]: user interrupted with ctrl-c (SIGINT)",
        "[INFO] [user-1]: sending signal 'SIGINT' to process[user-1]",
        "[WARNING] [launch]: SIGINT again: the next signal is sent at once",
        "[ERROR] [user-1]: sending signal 'SIGTERM' to process[user-1]",
        "[ERROR] [user-1]: process has died [pid ",
    ];
    assert!(texts.map(|text| index(&lines, text)).is_sorted(), "{lines:#?}");
}
