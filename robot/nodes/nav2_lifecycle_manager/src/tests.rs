//! A manager brings up map servers, and watches them.

use std::{
    thread,
    time::{Duration, Instant},
};

use nav2_map_server::MapServer;
use saltus::{
    Context, Executor, Node, SingleThreadedExecutor,
    component::{Component, NodeOptions},
    context::ContextOptions,
    executor::ExecutorHandle,
    lifecycle::State,
    msgs::{
        diagnostic_msgs::msg::DiagnosticArray,
        nav2_msgs::srv::{ManageLifecycleNodes, ManageLifecycleNodes_Request as Command},
        std_srvs::srv::{Trigger, Trigger_Request},
    },
};

use super::*;

const LONG: Duration = Duration::from_secs(20);

/// A component that runs on a thread of its own until this is dropped.
struct Running<C> {
    component: C,
    handle: ExecutorHandle,
    thread: Option<thread::JoinHandle<()>>,
}

impl<C> Running<C> {
    /// Stops the callbacks. The node stays.
    fn silence(&mut self) {
        self.handle.cancel();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

impl<C> Drop for Running<C> {
    fn drop(&mut self) {
        self.silence();
    }
}

struct Scene {
    _folder: tempfile::TempDir,
    context: Context,
    user: Node,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let context = ContextOptions::default().folder(folder.path()).create().unwrap();
        let user = context.node("user").create().unwrap();
        Self { _folder: folder, context, user }
    }

    fn run<C: Component>(&self, words: &[&str]) -> Running<C> {
        let words = [&["--ros-args"], words].concat();
        let component = C::new(&NodeOptions::new(&self.context).arguments(words).unwrap()).unwrap();
        let mut executor = SingleThreadedExecutor::new(&self.context).unwrap();
        executor.add_node(component.node());
        let handle = executor.handle();
        let thread = Some(thread::spawn(move || executor.spin().unwrap()));
        Running { component, handle, thread }
    }

    fn server(&self, name: &str) -> Running<MapServer> {
        self.run(&["-r", &format!("__node:={name}")])
    }

    fn manager(&self, parameters: &[&str]) -> Running<LifecycleManager> {
        let names = ["-p", "node_names:=[first, second]", "-p", "bond_timeout:=4.0"];
        let parameters: Vec<&str> = parameters.iter().flat_map(|parameter| ["-p", parameter]).collect();
        self.run(&[&names[..], &parameters].concat())
    }

    fn manage(&self, command: u8) -> bool {
        let client =
            self.user.client::<ManageLifecycleNodes>("lifecycle_manager/manage_nodes").create().unwrap();
        assert!(client.wait_for_service(LONG));
        client.call(&Command { command }, LONG).unwrap().success
    }

    fn is_active(&self) -> bool {
        let client = self.user.client::<Trigger>("lifecycle_manager/is_active").create().unwrap();
        assert!(client.wait_for_service(LONG));
        client.call(&Trigger_Request::default(), LONG).unwrap().success
    }
}

fn state(server: &Running<MapServer>) -> State {
    server.component.lifecycle().state()
}

/// Waits until something is so. It must be within 20 s.
fn wait(is_so: impl Fn() -> bool) {
    let end = Instant::now() + LONG;
    while !is_so() {
        assert!(Instant::now() < end, "it takes too long");
        thread::yield_now();
    }
}

#[test]
fn nodes_are_brought_up_and_down() {
    let scene = Scene::new();
    let (first, second) = (scene.server("first"), scene.server("second"));
    let _manager = scene.manager(&[]);
    assert!(!scene.is_active());
    let states = || (state(&first), state(&second));
    let steps = [
        (Command::STARTUP, State::Active),
        (Command::PAUSE, State::Inactive),
        (Command::RESUME, State::Active),
        (Command::RESET, State::Unconfigured),
        (Command::CONFIGURE, State::Inactive),
        (Command::CLEANUP, State::Unconfigured),
        (Command::STARTUP, State::Active),
        (Command::SHUTDOWN, State::Finalized),
    ];
    for (command, wanted) in steps {
        assert!(scene.manage(command), "{command}");
        assert_eq!(states(), (wanted, wanted), "{command}");
        assert_eq!(scene.is_active(), wanted == State::Active);
    }
    assert!(!scene.manage(Command::RESUME) && !scene.manage(99));
}

#[test]
fn nodes_are_brought_up_as_soon_as_all_are_there() {
    let scene = Scene::new();
    let first = scene.server("first");
    let _manager = scene.manager(&["autostart:=true"]);
    let second = scene.server("second");
    wait(|| scene.is_active());
    assert_eq!((state(&first), state(&second)), (State::Active, State::Active));
}

#[test]
fn the_others_stop_when_a_node_is_gone_and_go_on_when_it_is_back() {
    let scene = Scene::new();
    let (first, second) = (scene.server("first"), scene.server("second"));
    let _manager = scene.manager(&["autostart:=true"]);
    wait(|| scene.is_active());
    drop(second);
    wait(|| state(&first) == State::Unconfigured && !scene.is_active());
    let second = scene.server("second");
    wait(|| scene.is_active());
    assert_eq!((state(&first), state(&second)), (State::Active, State::Active));
}

#[test]
fn the_others_stop_after_a_command_that_failed() {
    let scene = Scene::new();
    let (first, second) = (scene.server("first"), scene.server("second"));
    let _manager = scene.manager(&["autostart:=true"]);
    wait(|| scene.is_active());
    // They are active already.
    assert!(!scene.manage(Command::STARTUP));
    drop(second);
    wait(|| state(&first) == State::Unconfigured);
}

#[test]
fn the_others_stop_when_a_node_is_silent() {
    let scene = Scene::new();
    let (first, mut second) = (scene.server("first"), scene.server("second"));
    let _manager = scene.manager(&["autostart:=true", "attempt_respawn_reconnection:=false"]);
    wait(|| scene.is_active());
    second.silence();
    wait(|| state(&first) == State::Unconfigured);
    // It can't be reported to stop.
    assert_eq!(state(&second), State::Active);
}

/// It must not be brought up again while it says nothing: that would never end.
#[test]
fn a_silent_node_does_not_block_the_manager() {
    let scene = Scene::new();
    let (first, mut second) = (scene.server("first"), scene.server("second"));
    let _manager = scene.manager(&["autostart:=true"]);
    wait(|| scene.is_active());
    second.silence();
    wait(|| state(&first) == State::Unconfigured);
    // The one that is silent can't be configured. But there is an answer after its time.
    drop(second);
    assert!(!scene.manage(Command::CONFIGURE));
}

#[test]
fn a_node_without_a_bond_is_not_brought_up() {
    let scene = Scene::new();
    let _first = scene.server("first");
    let _second: Running<MapServer> =
        scene.run(&["-r", "__node:=second", "-p", "bond_heartbeat_period:=0.0"]);
    let _manager = scene.manager(&[]);
    assert!(!scene.manage(Command::STARTUP));
    drop(_manager);
    let _manager = scene.manager(&["bond_timeout:=0.0"]);
    wait(|| scene.manage(Command::RESET) || scene.manage(Command::CLEANUP));
    assert!(scene.manage(Command::STARTUP));
}

#[test]
fn a_manager_that_waits_can_be_closed() {
    let scene = Scene::new();
    let manager = scene.manager(&["autostart:=true"]);
    let start = Instant::now();
    drop(manager);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn the_state_is_in_the_diagnostics() {
    let scene = Scene::new();
    let (_first, _second) = (scene.server("first"), scene.server("second"));
    let _manager = scene.manager(&[]);
    let (sender, received) = std::sync::mpsc::channel();
    let tell = move |array: DiagnosticArray| drop(sender.send(array.status[0].clone()));
    let _subscription = scene.user.subscription("/diagnostics").callback(tell).unwrap();
    let mut executor = SingleThreadedExecutor::new(&scene.context).unwrap();
    executor.add_node(&scene.user);
    let mut next = |wanted: &str| loop {
        executor.spin_once(Some(LONG)).unwrap();
        if let Some(status) = received.try_iter().find(|status| status.message == wanted) {
            break status;
        }
    };
    let status = next("Managed nodes are unconfigured");
    assert_eq!(
        (status.name.as_str(), status.hardware_id.as_str()),
        ("lifecycle_manager: Nav2 Health", "Nav2")
    );
    assert!(scene.manage(Command::STARTUP));
    next("Managed nodes are active");
}
