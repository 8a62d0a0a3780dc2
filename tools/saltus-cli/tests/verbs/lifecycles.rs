//! The verb of lifecycle nodes.

use std::sync::mpsc;

use saltus::lifecycle::{CallbackResult, CallbackReturn, Lifecycle, LifecycleNode, State};

use super::Scene;

/// A lifecycle node that can't be cleaned up.
struct Dirty;

impl Lifecycle for Dirty {
    fn on_cleanup(&mut self, _node: &LifecycleNode, _previous: State) -> CallbackResult {
        Ok(CallbackReturn::Failure)
    }
}

/// Two lifecycle nodes, a hidden one, and a node without a lifecycle. A thread spins them.
struct Working {
    scene: Scene,
    thread: Option<std::thread::JoinHandle<()>>,
    _nodes: Vec<LifecycleNode>,
}

impl Working {
    fn new() -> Self {
        let scene = Scene::new();
        let plain = scene.node("/", "plain");
        let names = [("/robot", "arm"), ("/", "camera"), ("/", "_hidden")];
        let nodes: Vec<LifecycleNode> = names
            .map(|(namespace, name)| LifecycleNode::new(&scene.node(namespace, name), Dirty).unwrap())
            .to_vec();
        let mut executor = saltus::SingleThreadedExecutor::new(&scene.context).unwrap();
        use saltus::Executor;
        nodes.iter().for_each(|node| executor.add_node(node));
        executor.add_node(&plain);
        let thread = std::thread::spawn(move || executor.spin().unwrap());
        Self { scene, thread: Some(thread), _nodes: nodes }
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.scene.context.shut_down();
        self.thread.take().unwrap().join().unwrap();
    }
}

#[test]
fn the_nodes_and_their_states_are_printed_as_by_ros2() {
    let Working { scene, .. } = &Working::new();
    assert_eq!(scene.text(&["lifecycle", "nodes"]), "/camera\n/robot/arm\n");
    assert_eq!(scene.text(&["lifecycle", "nodes", "-a"]), "/_hidden\n/camera\n/robot/arm\n");
    assert_eq!(scene.text(&["lifecycle", "nodes", "-c"]), "2\n");
    assert_eq!(scene.text(&["lifecycle", "get", "/camera"]), "unconfigured [1]\n");
    assert_eq!(
        scene.text(&["lifecycle", "get"]),
        "/camera: unconfigured [1]\n/robot/arm: unconfigured [1]\n"
    );
}

#[test]
fn transitions_are_listed_and_requested_as_by_ros2() {
    let Working { scene, .. } = &Working::new();
    assert_eq!(
        scene.text(&["lifecycle", "list", "camera"]),
        "- configure [1]\n\tStart: unconfigured\n\tGoal: configuring\n- shutdown [5]\n\tStart: unconfigured\n\tGoal: \
         shuttingdown\n"
    );
    assert_eq!(scene.text(&["lifecycle", "list", "camera", "--all"]).matches("- ").count(), 25);
    assert_eq!(scene.text(&["lifecycle", "set", "camera", "configure"]), "Transitioning successful\n");
    assert_eq!(scene.text(&["lifecycle", "set", "camera", "3"]), "Transitioning successful\n");
    assert_eq!(scene.text(&["lifecycle", "get", "camera"]), "active [3]\n");
    assert_eq!(scene.text(&["lifecycle", "set", "camera", "deactivate"]), "Transitioning successful\n");
    assert_eq!(scene.failure(&["lifecycle", "set", "camera", "cleanup"]), "saltus: Transitioning failed\n");
    assert_eq!(
        scene.failure(&["lifecycle", "set", "camera", "deactivate"]),
        "saltus: Unknown transition requested, available ones are:\n- cleanup [2]\n- activate [3]\n- shutdown [6]\n"
    );
}

#[test]
fn a_node_that_has_no_lifecycle_is_an_error() {
    let Working { scene, .. } = &Working::new();
    assert_eq!(
        scene.failure(&["lifecycle", "get", "/plain", "--timeout", "0.1"]),
        "saltus: '/plain' has no service 'get_state': it is no lifecycle node\n"
    );
    assert_eq!(
        scene.failure(&["lifecycle", "set", "/nowhere", "configure", "--timeout", "0.1"]),
        "saltus: Node not found\n"
    );
}

/// Waits for permission to be configured.
struct Slow {
    begun: mpsc::Sender<()>,
    may_end: mpsc::Receiver<()>,
}

impl Lifecycle for Slow {
    fn on_configure(&mut self, _node: &LifecycleNode, _previous: State) -> CallbackResult {
        self.begun.send(())?;
        self.may_end.recv()?;
        Ok(CallbackReturn::Success)
    }
}

#[test]
fn a_transition_may_take_long_and_the_verb_can_be_interrupted() {
    let scene = Scene::new();
    let ((begun, has_begun), (permit, may_end)) = (mpsc::channel(), mpsc::channel());
    let node = LifecycleNode::new(&scene.node("/", "slow"), Slow { begun, may_end }).unwrap();
    let spun = node.clone();
    let thread = std::thread::spawn(move || saltus::spin(&spun).unwrap());
    let mut set = scene.start(&["lifecycle", "set", "/slow", "configure", "--timeout", "0.5"]);
    has_begun.recv().unwrap();
    assert_eq!(set.interrupt(), Some(130));
    permit.send(()).unwrap();
    // The transition continues without the verb.
    let until = std::time::Instant::now() + super::LONG;
    while node.state() != State::Inactive {
        assert!(std::time::Instant::now() < until);
        std::thread::yield_now();
    }
    scene.context.shut_down();
    thread.join().unwrap();
}
