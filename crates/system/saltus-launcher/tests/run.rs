//! Runs launch files with small programs of the system, and reads the log file of the launch.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    fs,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use nix::sys::signal::SigSet;
use saltus_executor::{Executor, SingleThreadedExecutor};
use saltus_launch_file::{Environment, Evaluator};
use saltus_launcher::{Machine, Options, environment, run};
use saltus_msgs::{
    composition_interfaces::srv::{LoadNode, LoadNode_Response},
    lifecycle_msgs::{
        msg::{State, Transition, TransitionEvent},
        srv::{ChangeState, ChangeState_Response},
    },
};
use saltus_node::ContextOptions;

/// A launch blocks signals in its thread and collects all children of this program, so the tests run one after the other in
/// the main thread.
fn main() {
    processes_are_started_in_order_and_everything_ends_with_a_required_one();
    a_process_that_fails_is_started_again_and_those_that_wait_for_it_are_not_started();
    a_timer_ends_the_launch_for_a_reason();
    a_second_ctrl_c_sends_the_next_signal_at_once();
    // The threads of nodes must not get the signals of a launch.
    SigSet::all().thread_block().unwrap();
    a_lifecycle_node_is_ready_when_it_is_active();
    a_lifecycle_node_that_refuses_a_transition_is_started_again();
    an_error_of_a_lifecycle_node_is_reported();
    a_process_waits_for_a_component_of_a_container_that_runs_elsewhere();
}

/// The behavior of the node that a test runs beside its launch.
#[derive(Clone, Copy, PartialEq)]
enum Behavior {
    /// It makes every transition, and loads every component.
    Works,
    /// It refuses every transition.
    Refuses,
    /// It publishes again and again that an error was handled.
    ReportsErrors,
}

/// Stops the thread of a node, also if a test panics.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs a launch beside a node. In the actions, `NODE` is the name of the node.
fn launch_beside(behavior: Behavior, actions: &str) -> (i32, Vec<String>, String) {
    let (is_stopped, name) = (AtomicBool::new(false), format!("launch_test_{}", std::process::id()));
    thread::scope(|scope| {
        scope.spawn(|| run_node(behavior, &name, &is_stopped));
        let _stop = Stop(&is_stopped);
        let (code, lines) = launch(&actions.replace("NODE", &name));
        (code, lines, name.clone())
    })
}

/// The period in which a node publishes errors.
const PERIOD: Duration = Duration::from_millis(200);

fn run_node(behavior: Behavior, name: &str, is_stopped: &AtomicBool) {
    let context = ContextOptions::default().handle_signals(false).create().unwrap();
    let node = context.node(name).start_parameter_services(false).create().unwrap();
    let success = behavior != Behavior::Refuses;
    let change = node.service::<ChangeState>("~/change_state");
    let _change = change.callback(move |_| ChangeState_Response { success }).unwrap();
    let load = node.service::<LoadNode>("~/_container/load_node");
    let _load = load
        .callback(|request| LoadNode_Response {
            success: true,
            full_node_name: format!("/{}", request.node_name),
            ..LoadNode_Response::default()
        })
        .unwrap();
    let events = node.publisher::<TransitionEvent>("~/transition_event").create().unwrap();
    let state = |id: u8, label: &str| State { id, label: label.into() };
    let error = TransitionEvent {
        transition: Transition { id: 60, label: "transition_success".into() },
        start_state: state(State::TRANSITION_STATE_ERRORPROCESSING, "errorprocessing"),
        goal_state: state(State::PRIMARY_STATE_UNCONFIGURED, "unconfigured"),
        ..TransitionEvent::default()
    };
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&node);
    while !is_stopped.load(Ordering::Relaxed) {
        executor.spin_once(Some(PERIOD)).unwrap();
        if behavior == Behavior::ReportsErrors {
            events.publish(&error).unwrap();
        }
    }
}

/// Runs the actions of a launch file in YAML. In them, `LOG` is the path of the log file. Returns the exit code, and the lines of the
/// log file without their times.
fn launch(actions: &str) -> (i32, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robot.launch.yaml");
    let logs = folder.path().join("log");
    fs::write(&file, format!("launch:\n{actions}").replace("LOG", logs.join("launch.log").to_str().unwrap()))
        .unwrap();
    let machine = Machine::new(logs.clone(), || panic!("no package is needed"), |_, _| false);
    let environment: Environment = environment();
    let mut evaluator = Evaluator::new(&machine, environment);
    let plan = evaluator.plan(&file, &[]).unwrap();
    let code = run(plan, evaluator, &machine, Options::default()).unwrap();
    let log = fs::read_to_string(logs.join("launch.log")).unwrap();
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
    // The programs ignore the first signal of the launcher.
    let script = r#"trap \"\" INT; kill -INT $PPID; sleep 0.5; kill -INT $PPID; sleep 30"#;
    let (code, lines) = launch(&format!("- executable: {{cmd: \"sh -c '{script}'\", name: user}}\n"));
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

fn a_lifecycle_node_is_ready_when_it_is_active() {
    let (code, lines, _) = launch_beside(
        Behavior::Works,
        "- lifecycle_node: {exec: sh -c 'sleep 30' sh, exec_name: lifecycle, name: NODE, namespace: '', autostart: true}\n\
         - executable: {cmd: 'true', name: last, after: /NODE, on_exit: shutdown}\n",
    );
    assert_eq!(code, 0);
    index(&lines, "[INFO] [last-2]: process started with pid");
}

/// Returns a lifecycle node whose process ends when the log file has a text, or after 30 seconds. In the text, `.*` stands for
/// more text. The launch ends with the process.
fn lifecycle_node_until(text: &str) -> String {
    let pattern = text.replace(' ', ".");
    let exec = format!("timeout 30 sh -c \"until grep -zq {pattern} LOG; do sleep 0.05; done\"");
    format!(
        "- lifecycle_node:\n    exec: '{exec}'\n    exec_name: lifecycle\n    name: NODE\n    namespace: ''\n"
    )
}

fn a_lifecycle_node_that_refuses_a_transition_is_started_again() {
    let (_, lines, name) = launch_beside(
        Behavior::Refuses,
        &format!(
            "{}    autostart: true\n    restart: {{policy: always, backoff: 0, max: 1}}\n",
            lifecycle_node_until("Failed to make.*Failed to make")
        ),
    );
    let text = format!("[ERROR] [launch]: Failed to make transition 'configure' for LifecycleNode '/{name}'");
    let signal = index(&lines, "[INFO] [lifecycle-1]: sending signal 'SIGINT' to process[lifecycle-1]");
    let restart = index(&lines, "[INFO] [lifecycle-1]: restart 1 in 0.0 s");
    assert!(index(&lines, &text) < signal && signal < restart);
    // The second start fails, too, but it was the last one.
    assert_eq!(lines.iter().filter(|line| line.contains(&text)).count(), 2, "{lines:#?}");
}

fn an_error_of_a_lifecycle_node_is_reported() {
    let text = "had an error, and is unconfigured now";
    let (_, lines, name) = launch_beside(Behavior::ReportsErrors, &lifecycle_node_until(text));
    index(&lines, &format!("[ERROR] [lifecycle-1]: the lifecycle node /{name} {text}"));
}

fn a_process_waits_for_a_component_of_a_container_that_runs_elsewhere() {
    let (code, lines, name) = launch_beside(
        Behavior::Works,
        "- executable: {cmd: 'true', name: last, after: /part, on_exit: shutdown}\n\
         - load_composable_node: {target: /NODE, composable_node: [{pkg: demo, plugin: 'demo::Part', name: part}]}\n",
    );
    assert_eq!(code, 0);
    let loaded = index(&lines, &format!("[INFO] [launch]: Loaded node '/part' in container '/{name}'"));
    assert!(loaded < index(&lines, "[INFO] [last-1]: process started with pid"));
}
