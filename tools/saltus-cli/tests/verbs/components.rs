//! The verb of components.

use saltus::{
    Executor, Node, SingleThreadedExecutor,
    component::{Component, ComponentError, ComponentManager, Isolation, NodeOptions, Registry},
};

use super::Scene;

/// A component with a parameter.
struct Camera(Node);

impl Component for Camera {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        let node = options.node("camera").create()?;
        match node.declare_parameter("rate", 30.0)? {
            rate if rate > 0.0 => Ok(Self(node)),
            rate => Err(format!("the rate {rate} is not positive").into()),
        }
    }

    fn node(&self) -> &Node {
        &self.0
    }
}

/// Two containers, and a thread that spins them.
struct Working {
    scene: Scene,
    managers: Vec<ComponentManager>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Working {
    fn new() -> Self {
        let scene = Scene::new();
        let mut executor = SingleThreadedExecutor::new(&scene.context).unwrap();
        let managers = [("/", "left"), ("/arm", "right")].map(|(namespace, name)| {
            let node = scene.node(namespace, name);
            executor.add_node(&node);
            let registry = Registry::default().with::<Camera>("vision", "vision::Camera");
            ComponentManager::new(&node, executor.handle(), registry, Isolation::Shared).unwrap()
        });
        let thread = std::thread::spawn(move || executor.spin().unwrap());
        Self { scene, managers: managers.into(), thread: Some(thread) }
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.managers.clear();
        self.scene.context.shut_down();
        self.thread.take().unwrap().join().unwrap();
    }
}

const LOAD: [&str; 5] = ["component", "load", "/left", "vision", "vision::Camera"];

#[test]
fn components_are_loaded_listed_and_unloaded_as_by_ros2() {
    let Working { scene, .. } = &Working::new();
    assert_eq!(scene.text(&LOAD), "Loaded component 1 into '/left' container node as '/camera'\n");
    let more = [
        "-n",
        "eye",
        "--node-namespace",
        "/head",
        "-p",
        "rate:=5.0",
        "-r",
        "a:=b",
        "--log-level",
        "info",
        "-q",
    ];
    assert_eq!(scene.text(&[&LOAD[..], &more].concat()), "2  /head/eye\n");
    assert_eq!(scene.text(&["param", "get", "/head/eye", "rate"]), "Double value is: 5.0\n");
    assert_eq!(scene.text(&["component", "list", "left"]), "1  /camera\n2  /head/eye\n");
    assert_eq!(scene.text(&["component", "list"]), "/arm/right\n/left\n  1  /camera\n  2  /head/eye\n");
    assert_eq!(scene.text(&["component", "list", "--containers-only"]), "/arm/right\n/left\n");
    assert_eq!(
        scene.text(&["component", "unload", "/left", "1"]),
        "Unloaded component 1 from '/left' container node\n"
    );
    assert_eq!(scene.text(&["component", "unload", "/left", "2", "--quiet"]), "2\n");
    assert_eq!(scene.text(&["component", "list", "/left"]), "");
}

#[test]
fn errors_of_containers_are_printed() {
    let Working { scene, .. } = &Working::new();
    let error = |more: &[&str]| scene.failure(&[&LOAD[..], more].concat());
    assert_eq!(
        error(&["-p", "rate:=-1.0"]),
        "saltus: Failed to load component: Component constructor threw an exception: the rate -1 is not positive\n"
    );
    assert_eq!(
        error(&["-e", "use_intra_process_comms:=1"]),
        "saltus: Failed to load component: Extra component argument 'use_intra_process_comms' must be a boolean\n"
    );
    assert_eq!(error(&["-p", "rate=5"]), "saltus: expected `name:=value`, found `rate=5`\n");
    assert_eq!(
        scene.failure(&["component", "load", "/left", "vision", "vision::Lidar"]),
        "`saltus component types vision` lists the names of its components\n\
         saltus: Failed to load component: Failed to find class with the requested plugin name.\n"
    );
    assert_eq!(
        scene.failure(&["component", "unload", "/left", "7"]),
        "saltus: Failed to unload component 7 from '/left' container node\n    No node found with unique_id: 7\n"
    );
    assert_eq!(
        scene.failure(&["component", "list", "/nowhere", "--timeout", "0.1"]),
        "saltus: Unable to find container node '/nowhere'\n"
    );
}
