//! Machines as nodes: what they publish, what they take, and when they do what they do by themselves.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};

use saltus_executor::{Executor, SingleThreadedExecutor};
use saltus_machine::{
    Definition, MachineClient, MachineNode, MachineNodeBuilder, TriggerError, described_state,
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

/// What a client heard, in order.
type Heard = Arc<Mutex<Vec<String>>>;

struct Scene {
    executor: SingleThreadedExecutor,
    client: MachineClient,
    heard: Heard,
    context: Context,
    _folder: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
        let options = ContextOptions::default().folder(folder.path()).handle_signals(false);
        let context = options.create().unwrap();
        let heard = Heard::default();
        let (events, states) = (heard.clone(), heard.clone());
        let client = MachineClient::builder()
            .on_event(move |event| events.lock().unwrap().push(format!("! {event}")))
            .on_state(move |state| states.lock().unwrap().push(state.into()))
            .create(&context)
            .unwrap();
        let executor = SingleThreadedExecutor::new(&context).unwrap();
        executor.add_node(client.node());
        Self { executor, client, heard, context, _folder: folder }
    }

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
        while !is_enough(&self.heard.lock().unwrap()) {
            assert!(monotonic_now() < end, "only came {:?}", self.heard.lock().unwrap());
            self.executor.spin_once(Some(Duration::from_millis(100))).unwrap();
        }
    }

    fn take_heard(&self) -> Vec<String> {
        std::mem::take(&mut *self.heard.lock().unwrap())
    }
}

fn sorted(mut heard: Vec<String>) -> Vec<String> {
    heard.sort();
    heard
}

#[test]
fn triggers_are_taken_and_events_and_states_told() {
    let mut scene = Scene::new();
    let machine = scene.machine(MATTER, |machine| machine);
    scene.client.trigger("melt").unwrap();
    scene.spin_until(|heard| heard.len() == 2);
    assert_eq!(sorted(scene.take_heard()), ["! melt", "liquid"]);
    // What can't be is refused, and not told as an event; what is internal changes no state.
    for trigger in ["melt", "fly", "look", "boil"] {
        scene.client.trigger(trigger).unwrap();
    }
    scene.spin_until(|heard| heard.len() == 3);
    assert_eq!(sorted(scene.take_heard()), ["! boil", "! look", "gas"]);
    assert_eq!(machine.state(), "gas");
    let refused = machine.trigger("melt").unwrap_err();
    assert_eq!(refused.to_string(), "trigger `melt` can't be pulled in state `gas`");
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
    assert_eq!(described_state(&text).unwrap().as_deref(), Some("liquid"));
}

#[test]
fn triggers_of_callbacks_come_after_what_happens_and_may_look_at_the_machine() {
    let mut scene = Scene::new();
    let seen = Heard::default();
    let seen_by_callback = seen.clone();
    let machine = scene.machine(MATTER, |machine| {
        machine
            .on_event(|pulling, event| {
                if event == "melt" {
                    pulling.trigger("boil");
                    pulling.trigger("nonsense");
                }
            })
            .on_state(move |_, state| seen_by_callback.lock().unwrap().push(state.into()))
    });
    machine.trigger("melt").unwrap();
    assert_eq!(*seen.lock().unwrap(), ["liquid", "gas"]);
    assert_eq!(machine.state(), "gas");
}

#[test]
fn a_timed_state_is_left_in_time_and_the_next_counts_from_when_it_was_due() {
    let mut scene = Scene::new();
    let text = "{states: [idle, {name: on, timeout: 0.01, on_timeout: toggle}, {name: off, timeout: 0.01, on_timeout: toggle}],
        transitions: [[start, idle, on], [toggle, on, off], [toggle, off, on], [stop, '*', idle]]}";
    let dues = Arc::<Mutex<Vec<i64>>>::default();
    let told = dues.clone();
    let machine = scene.machine(text, |machine| {
        machine.on_state(move |pulling, _| told.lock().unwrap().push(pulling.due().as_nanos()))
    });
    assert_eq!(machine.deadline(), None);
    machine.trigger("start").unwrap();
    scene.spin_until(|_| dues.lock().unwrap().len() >= 8);
    let steps: Vec<i64> = dues.lock().unwrap().windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(steps.iter().all(|step| *step == 10_000_000), "{steps:?}");
    assert!(machine.deadline().is_some());
    // What was left has no time any more.
    machine.trigger("stop").unwrap();
    assert_eq!((machine.deadline(), machine.state().as_str()), (None, "idle"));
    scene.take_heard();
    let until = monotonic_now() + 50_000_000;
    while monotonic_now() < until {
        scene.executor.spin_once(Some(Duration::from_millis(10))).unwrap();
    }
    assert_eq!(machine.state(), "idle");
}

#[test]
fn an_initial_state_with_a_time_is_left_by_itself_and_passed_states_pass() {
    let mut scene = Scene::new();
    let text =
        "{states: [{name: boot, timeout: 0.005, on_timeout: ready}, {name: check, on_enter: [go]}, run],
        transitions: [[ready, boot, check], [go, check, run]]}";
    let machine = scene.machine(text, |machine| machine);
    scene.spin_until(|heard| heard.iter().any(|one| one == "run"));
    assert_eq!(machine.state(), "run");
}

#[test]
fn threads_that_trigger_at_once_are_taken_one_by_one() {
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
fn who_hears_of_a_refusal_may_trigger_the_machine() {
    let mut scene = Scene::new();
    let recovered = Arc::<OnceLock<MachineNode>>::default();
    // The machine holds what it calls, which must not hold the machine.
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
    scene.spin_until(|heard| heard.iter().any(|one| one == "gas"));
    assert_eq!(machine.state(), "gas");
}

#[test]
fn a_state_that_was_left_in_the_end_is_not_timed_out() {
    let mut scene = Scene::new();
    let text = "{states: [{name: on, timeout: 0.001, on_timeout: toggle}, off],
        transitions: [[toggle, on, off], [toggle, off, on], [leave, on, off]]}";
    let (begun, has_begun) = std::sync::mpsc::channel();
    let (go_on, may_go_on) = std::sync::mpsc::channel::<()>();
    let machine = scene.machine(text, |machine| {
        machine.on_event(move |_, event| {
            if event == "leave" {
                begun.send(()).unwrap();
                may_go_on.recv().unwrap();
            }
        })
    });
    std::thread::scope(|scope| {
        let leaving = scope.spawn(|| machine.trigger("leave").unwrap());
        has_begun.recv().unwrap();
        // The time is up while it is being left: what that pulls waits for its turn.
        let deadline = machine.deadline().unwrap().as_nanos() as u64;
        while monotonic_now() < deadline + 1_000_000 {
            scene.executor.spin_once(Some(Duration::from_millis(1))).unwrap();
        }
        go_on.send(()).unwrap();
        leaving.join().unwrap();
    });
    assert_eq!((machine.state().as_str(), machine.deadline()), ("off", None));
}

#[test]
fn states_that_pull_each_other_without_end_end_with_the_context() {
    let scene = Scene::new();
    set_logger_level("machine.node", Severity::Error);
    let text =
        "{states: [{name: a, on_enter: go}, {name: b, on_enter: go}], transitions: [[go, a, b], [go, b, a]]}";
    let ended = scene.context.clone();
    let turns = std::sync::atomic::AtomicU32::new(0);
    let machine = MachineNode::builder(Definition::from_yaml(text).unwrap()).on_event(move |_, _| {
        if turns.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 1000 {
            ended.shut_down();
        }
    });
    drop(machine.create(&scene.context).unwrap());
}

#[test]
fn simulated_time_that_begins_or_goes_back_leaves_what_is_left_of_a_states_time() {
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
