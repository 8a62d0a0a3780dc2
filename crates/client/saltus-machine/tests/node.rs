//! Machines as nodes: their topics, their callbacks and their timeouts.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};

use saltus_executor::{Executor, SingleThreadedExecutor};
use saltus_machine::{
    Definition, MachineClient, MachineNode, MachineNodeBuilder, TriggerError, state_of_description,
};
use saltus_msgs::{
    builtin_interfaces::msg::Time as TimeMsg,
    rosgraph_msgs::msg::Clock,
    std_srvs::srv::{Trigger, Trigger_Request},
};
use saltus_node::{Context, ContextOptions, RosArgs, Severity, monotonic_now, set_logger_level};

const LONG: Duration = Duration::from_secs(20);

const MATTER: &str = "{states: [solid, liquid, gas], initial: solid,
    transitions: [[melt, solid, liquid], [boil, liquid, gas], [reset, '*', solid], [look, '*', null]]}";

/// The events and states that a client has received, in order. An event begins with `!`.
type Received = Arc<Mutex<Vec<String>>>;

/// A domain in its own folder with a client of a machine, and an executor that spins their nodes.
struct Scene {
    executor: SingleThreadedExecutor,
    client: MachineClient,
    received: Received,
    context: Context,
    _folder: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
        let options = ContextOptions::default().folder(folder.path()).handle_signals(false);
        let context = options.create().unwrap();
        let received = Received::default();
        let (events, states) = (received.clone(), received.clone());
        let client = MachineClient::builder()
            .on_event(move |event| events.lock().unwrap().push(format!("! {event}")))
            .on_state(move |state| states.lock().unwrap().push(state.into()))
            .create(&context)
            .unwrap();
        let executor = SingleThreadedExecutor::new(&context).unwrap();
        executor.add_node(client.node());
        Self { executor, client, received, context, _folder: folder }
    }

    /// Creates a machine's node with an adapted builder, and waits until the client has found it.
    fn machine(
        &mut self,
        text: &str,
        change: impl FnOnce(MachineNodeBuilder) -> MachineNodeBuilder,
    ) -> MachineNode {
        let definition = Definition::from_yaml(text).unwrap();
        let machine = change(MachineNode::builder(definition)).create(&self.context).unwrap();
        assert!(self.client.wait_for_machine(LONG));
        self.executor.add_node(machine.node());
        machine
    }

    fn spin_until(&mut self, mut is_enough: impl FnMut(&[String]) -> bool) {
        let end = monotonic_now() + LONG.as_nanos() as u64;
        while !is_enough(&self.received.lock().unwrap()) {
            assert!(monotonic_now() < end, "received only {:?}", self.received.lock().unwrap());
            self.executor.spin_once(Some(Duration::from_millis(100))).unwrap();
        }
    }

    fn take_received(&self) -> Vec<String> {
        std::mem::take(&mut *self.received.lock().unwrap())
    }
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

#[test]
fn a_machine_receives_triggers_and_publishes_events_and_states() {
    let mut scene = Scene::new();
    let machine = scene.machine(MATTER, |machine| machine);
    scene.client.trigger("melt").unwrap();
    scene.spin_until(|received| received.len() == 2);
    assert_eq!(sorted(scene.take_received()), ["! melt", "liquid"]);
    // A refused trigger is not published as an event. An internal transition is an event, but changes no state.
    for trigger in ["melt", "fly", "look", "boil"] {
        scene.client.trigger(trigger).unwrap();
    }
    scene.spin_until(|received| received.len() == 3);
    assert_eq!(sorted(scene.take_received()), ["! boil", "! look", "gas"]);
    assert_eq!(machine.state(), "gas");
    let refused = machine.trigger("melt").unwrap_err();
    assert_eq!(refused.to_string(), "trigger `melt` is not allowed in state `gas`");
    assert_eq!(machine.trigger("fly"), Err(TriggerError::Unknown("fly".into())));
}

#[test]
fn a_machine_describes_itself() {
    let mut scene = Scene::new();
    let machine = scene.machine(MATTER, |machine| machine);
    machine.trigger("melt").unwrap();
    let client = scene.client.node().client::<Trigger>("describe").create().unwrap();
    assert!(client.wait_for_service(LONG));
    let call = client.call_async(&Trigger_Request::default()).unwrap();
    let answer = scene.executor.spin_until_future_complete(call, Some(LONG)).unwrap();
    let text = answer.unwrap().unwrap().message;
    assert_eq!(Definition::from_yaml(&text).unwrap(), Definition::from_yaml(MATTER).unwrap());
    assert_eq!(state_of_description(&text).unwrap().as_deref(), Some("liquid"));
}

#[test]
fn triggers_of_callbacks_are_processed_after_the_current_trigger() {
    let mut scene = Scene::new();
    let states = Received::default();
    let sink = states.clone();
    let machine = scene.machine(MATTER, |machine| {
        machine
            .on_event(|pulling, event| {
                if event == "melt" {
                    pulling.trigger("boil");
                    pulling.trigger("nonsense");
                }
            })
            .on_state(move |_, state| sink.lock().unwrap().push(state.into()))
    });
    machine.trigger("melt").unwrap();
    assert_eq!(*states.lock().unwrap(), ["liquid", "gas"]);
    assert_eq!(machine.state(), "gas");
}

#[test]
fn a_timed_state_is_left_in_time_and_the_next_timeout_counts_from_its_deadline() {
    let mut scene = Scene::new();
    let text = "{states: [idle, {name: on, timeout: 0.01, on_timeout: toggle}, {name: off, timeout: 0.01, on_timeout: toggle}],
        transitions: [[start, idle, on], [toggle, on, off], [toggle, off, on], [stop, '*', idle]]}";
    let dues = Arc::<Mutex<Vec<i64>>>::default();
    let sink = dues.clone();
    let machine = scene.machine(text, |machine| {
        machine.on_state(move |pulling, _| sink.lock().unwrap().push(pulling.due().as_nanos()))
    });
    assert_eq!(machine.deadline(), None);
    machine.trigger("start").unwrap();
    scene.spin_until(|_| dues.lock().unwrap().len() >= 8);
    let steps: Vec<i64> = dues.lock().unwrap().windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(steps.iter().all(|step| *step == 10_000_000), "{steps:?}");
    assert!(machine.deadline().is_some());
    // The timeout of a state ends when the state is left.
    machine.trigger("stop").unwrap();
    assert_eq!((machine.deadline(), machine.state().as_str()), (None, "idle"));
    scene.take_received();
    let until = monotonic_now() + 50_000_000;
    while monotonic_now() < until {
        scene.executor.spin_once(Some(Duration::from_millis(10))).unwrap();
    }
    assert_eq!(machine.state(), "idle");
}

#[test]
fn an_initial_state_is_left_by_its_timeout_and_on_enter_triggers_are_processed() {
    let mut scene = Scene::new();
    let text =
        "{states: [{name: boot, timeout: 0.005, on_timeout: ready}, {name: check, on_enter: [go]}, run],
        transitions: [[ready, boot, check], [go, check, run]]}";
    let machine = scene.machine(text, |machine| machine);
    scene.spin_until(|received| received.iter().any(|one| one == "run"));
    assert_eq!(machine.state(), "run");
}

#[test]
fn triggers_of_several_threads_are_processed_one_by_one() {
    let mut scene = Scene::new();
    let text = "{states: [a, b], transitions: [[next, a, b], [next, b, a]]}";
    set_logger_level("machine.node", Severity::Warn);
    let count = Arc::<Mutex<u64>>::default();
    let counted = count.clone();
    let machine = scene.machine(text, |machine| machine.on_state(move |_, _| *counted.lock().unwrap() += 1));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..250).for_each(|_| machine.trigger("next").unwrap()));
        }
    });
    assert_eq!((*count.lock().unwrap(), machine.state().as_str()), (1000, "a"));
}

#[test]
fn a_callback_for_refused_triggers_may_trigger_the_machine() {
    let mut scene = Scene::new();
    let recovered = Arc::<OnceLock<MachineNode>>::default();
    // The machine owns its callbacks, so a callback must not own the machine.
    let own = Arc::downgrade(&recovered);
    let machine = scene.machine(MATTER, |machine| {
        machine.on_refused(move |pulling, error| {
            if matches!(error, TriggerError::NotAllowed { .. }) {
                own.upgrade().unwrap().get().unwrap().trigger("melt").unwrap();
                pulling.trigger("boil");
            }
        })
    });
    recovered.set(machine.clone()).unwrap();
    scene.client.trigger("boil").unwrap();
    scene.spin_until(|received| received.iter().any(|one| one == "gas"));
    assert_eq!(machine.state(), "gas");
}

#[test]
fn a_timeout_that_is_due_while_its_state_is_being_left_is_ignored() {
    let mut scene = Scene::new();
    let text = "{states: [{name: on, timeout: 0.001, on_timeout: toggle}, off],
        transitions: [[toggle, on, off], [toggle, off, on], [leave, on, off]]}";
    let (begin, has_begun) = std::sync::mpsc::channel();
    let (resume, may_resume) = std::sync::mpsc::channel::<()>();
    let machine = scene.machine(text, |machine| {
        machine.on_event(move |_, event| {
            if event == "leave" {
                begin.send(()).unwrap();
                may_resume.recv().unwrap();
            }
        })
    });
    std::thread::scope(|scope| {
        let leaving = scope.spawn(|| machine.trigger("leave").unwrap());
        has_begun.recv().unwrap();
        // The timeout is due while the state is being left, so its trigger is queued.
        let deadline = machine.deadline().unwrap().as_nanos() as u64;
        while monotonic_now() < deadline + 1_000_000 {
            scene.executor.spin_once(Some(Duration::from_millis(1))).unwrap();
        }
        resume.send(()).unwrap();
        leaving.join().unwrap();
    });
    assert_eq!((machine.state().as_str(), machine.deadline()), ("off", None));
}

#[test]
fn states_that_trigger_each_other_without_end_stop_when_the_context_shuts_down() {
    let scene = Scene::new();
    set_logger_level("machine.node", Severity::Error);
    let text =
        "{states: [{name: a, on_enter: go}, {name: b, on_enter: go}], transitions: [[go, a, b], [go, b, a]]}";
    let ended = scene.context.clone();
    let count = std::sync::atomic::AtomicU32::new(0);
    let machine = MachineNode::builder(Definition::from_yaml(text).unwrap()).on_event(move |_, _| {
        if count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 1000 {
            ended.shut_down();
        }
    });
    drop(machine.create(&scene.context).unwrap());
}

#[test]
fn a_timeout_keeps_its_remaining_time_when_simulated_time_begins_or_goes_back() {
    let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
    let args = RosArgs::parse(["test", "--ros-args", "-p", "use_sim_time:=true"].map(str::to_owned)).unwrap();
    let options = ContextOptions::default().folder(folder.path()).handle_signals(false).args(args);
    let context = options.create().unwrap();
    let text = "{states: [{name: a, timeout: 2, on_timeout: next}, {name: b, timeout: 2, on_timeout: next}],
        transitions: [[next, a, b], [next, b, a]]}";
    let machine = MachineNode::builder(Definition::from_yaml(text).unwrap()).create(&context).unwrap();
    let clock = machine.node().publisher::<Clock>("/clock").create().unwrap();
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(machine.node());
    let mut at = |sec: i32| {
        clock.publish(&Clock { clock: TimeMsg { sec, nanosec: 0 } }).unwrap();
        let wanted = i64::from(sec) * 1_000_000_000;
        let end = monotonic_now() + LONG.as_nanos() as u64;
        while machine.clock().now().as_nanos() != wanted && monotonic_now() < end {
            executor.spin_once(Some(Duration::from_millis(1))).unwrap();
        }
        for _ in 0..5 {
            executor.spin_once(Some(Duration::ZERO)).unwrap();
        }
        machine.state()
    };
    assert_eq!([at(1000), at(1001), at(1002), at(1003), at(1004)], ["a", "a", "b", "b", "a"]);
    assert_eq!([at(10), at(11), at(12), at(14)], ["a", "a", "b", "a"]);
}
