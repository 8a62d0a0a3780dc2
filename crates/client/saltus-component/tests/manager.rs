//! Containers, used through their services.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    sync::Arc,
    thread::JoinHandle,
    time::{Duration, Instant},
};

use saltus::{
    Client, Context, Executor, MultiThreadedExecutor, Node, Publisher, SingleThreadedExecutor, Subscription,
    cdr::Service,
    component::{
        Component, ComponentError, ComponentManager, Factory, Isolation, LoadError, Loader, NodeOptions,
        Registry,
    },
    context::ContextOptions,
    msgs::{
        composition_interfaces::srv::{
            ListNodes, ListNodes_Request, LoadNode, LoadNode_Request, LoadNode_Response, UnloadNode,
            UnloadNode_Request, UnloadNode_Response,
        },
        rcl_interfaces::msg::{Parameter, ParameterEvent, ParameterValue},
        std_msgs::msg::UInt64,
    },
};

const LONG: Duration = Duration::from_secs(10);
const MODES: [Isolation; 3] = [Isolation::Shared, Isolation::Thread, Isolation::Threads(2)];

/// Multiplies numbers by a parameter. The number 13 makes its callback panic, 99 makes it block.
struct Multiplier {
    node: Node,
    _numbers: Subscription<UInt64>,
}

impl Component for Multiplier {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        let node = options.node("multiplier").create()?;
        let factor: i64 = node.declare_parameter("factor", 2)?;
        let products = node.publisher::<UInt64>("products").create()?;
        let context = node.context().clone();
        let numbers = node.subscription::<UInt64>("numbers").qos(1000).callback(move |number| {
            match number.data {
                13 => panic!("13 is no good number"),
                99 => drop(context.wait_until(LONG, || false)),
                _ => {}
            }
            let _ = products.publish(&UInt64 { data: number.data * factor as u64 });
        })?;
        Ok(Self { node, _numbers: numbers })
    }

    fn node(&self) -> &Node {
        &self.node
    }
}

/// Can't be created.
struct Broken(Node);

impl Component for Broken {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        let node = options.node("broken").create()?;
        if node.declare_parameter("panics", false)? {
            panic!("the constructor panicked");
        }
        Err("the device is missing".into())
    }

    fn node(&self) -> &Node {
        &self.0
    }
}

/// A container, and clients of its services.
struct Scene {
    _folder: tempfile::TempDir,
    context: Context,
    node: Node,
    spinning: Vec<JoinHandle<()>>,
    manager: Option<ComponentManager>,
    load: Client<LoadNode>,
    unload: Client<UnloadNode>,
    list: Client<ListNodes>,
}

impl Scene {
    fn new(isolation: Isolation) -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").unwrap();
        let options = ContextOptions::default().domain(0).folder(folder.path()).handle_signals(false);
        let context = options.create().unwrap();
        let container = context.node("container").create().unwrap();
        let executor = SingleThreadedExecutor::new(&context).unwrap();
        let registry = Registry::default()
            .with::<Multiplier>("demo", "demo::Multiplier")
            .with::<Broken>("demo", "demo::Broken");
        let manager = ComponentManager::new(&container, executor.handle(), registry, isolation).unwrap();
        executor.add_node(&container);
        let node = context.node("user").create().unwrap();
        let user = MultiThreadedExecutor::new(&context).unwrap().threads(1);
        user.add_node(&node);
        let scene = Self {
            load: node.client("/container/_container/load_node").create().unwrap(),
            unload: node.client("/container/_container/unload_node").create().unwrap(),
            list: node.client("/container/_container/list_nodes").create().unwrap(),
            spinning: vec![spin(executor), spin(user)],
            manager: Some(manager),
            context,
            node,
            _folder: folder,
        };
        assert!(scene.load.wait_for_service(LONG) && scene.unload.wait_for_service(LONG));
        assert!(scene.list.wait_for_service(LONG));
        scene
    }

    fn call<S: Service>(client: &Client<S>, request: &S::Request) -> S::Response {
        client.call(request, LONG).unwrap()
    }

    fn load(&self, request: LoadNode_Request) -> LoadNode_Response {
        Self::call(&self.load, &request)
    }

    /// Loads a component that must be loaded. Returns its id and its name.
    fn loads(&self, request: LoadNode_Request) -> (u64, String) {
        let response = self.load(request);
        assert_eq!((response.success, response.error_message.as_str()), (true, ""));
        (response.unique_id, response.full_node_name)
    }

    /// Loads a component that can't be loaded. Returns the text of the error.
    fn refuses(&self, request: LoadNode_Request) -> String {
        let response = self.load(request);
        assert_eq!((response.success, response.unique_id), (false, 0));
        assert_eq!(response.full_node_name, "");
        response.error_message
    }

    fn unload(&self, unique_id: u64) -> UnloadNode_Response {
        Self::call(&self.unload, &UnloadNode_Request { unique_id })
    }

    fn listed(&self) -> (Vec<u64>, Vec<String>) {
        let response = Self::call(&self.list, &ListNodes_Request {});
        (response.unique_ids, response.full_node_names)
    }

    fn has_node(&self, name: &str) -> bool {
        self.context.graph().nodes.iter().any(|node| node.name == name)
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        drop(self.manager.take());
        self.context.shut_down();
        self.spinning.drain(..).for_each(|thread| thread.join().unwrap());
    }
}

fn spin(mut executor: impl Executor + Send + 'static) -> JoinHandle<()> {
    std::thread::spawn(move || executor.spin().unwrap())
}

fn request(plugin: &str) -> LoadNode_Request {
    LoadNode_Request { package_name: "demo".into(), plugin_name: plugin.into(), ..Default::default() }
}

fn multiplier(name: &str) -> LoadNode_Request {
    LoadNode_Request { node_name: name.into(), ..request("demo::Multiplier") }
}

fn boolean(name: &str, value: bool) -> Parameter {
    let value = ParameterValue { r#type: 1, bool_value: value, ..Default::default() };
    Parameter { name: name.into(), value }
}

/// The topics of a multiplier, from the user's side.
struct Topics {
    numbers: Publisher<UInt64>,
    products: std::sync::mpsc::Receiver<u64>,
    subscription: Subscription<UInt64>,
}

impl Topics {
    fn new(scene: &Scene, numbers: &str, products: &str) -> Self {
        let (sender, receiver) = std::sync::mpsc::channel();
        let subscription = scene.node.subscription::<UInt64>(products).qos(1000);
        let topics = Self {
            numbers: scene.node.publisher(numbers).qos(1000).create().unwrap(),
            subscription: subscription
                .callback(move |product| {
                    let _ = sender.send(product.data);
                })
                .unwrap(),
            products: receiver,
        };
        assert!(topics.numbers.wait_for_subscriptions(1, LONG));
        assert!(topics.subscription.wait_for_publishers(1, LONG));
        topics
    }

    fn send(&self, data: u64) {
        self.numbers.publish(&UInt64 { data }).unwrap();
    }

    fn product(&self) -> u64 {
        self.products.recv_timeout(LONG).unwrap()
    }
}

#[test]
fn components_are_loaded_listed_and_unloaded() {
    for isolation in MODES {
        let scene = Scene::new(isolation);
        assert_eq!(scene.listed(), (vec![], vec![]));
        assert_eq!(scene.loads(request("demo::Multiplier")), (1, "/multiplier".into()));
        let factor = ParameterValue { r#type: 2, integer_value: 5, ..Default::default() };
        let left = LoadNode_Request {
            node_namespace: "/arm".into(),
            remap_rules: vec!["numbers:=/left/numbers".into(), "products:=out".into()],
            parameters: vec![Parameter { name: "factor".into(), value: factor }],
            ..multiplier("left")
        };
        assert_eq!(scene.loads(left), (2, "/arm/left".into()));
        assert_eq!(scene.listed(), (vec![1, 2], vec!["/multiplier".into(), "/arm/left".into()]));
        let (first, second) =
            (Topics::new(&scene, "/numbers", "/products"), Topics::new(&scene, "/left/numbers", "/arm/out"));
        first.send(21);
        second.send(3);
        assert_eq!((first.product(), second.product()), (42, 15));
        assert_eq!(scene.unload(1), UnloadNode_Response { success: true, error_message: String::new() });
        assert!(scene.context.wait_until(LONG, || !scene.has_node("multiplier")), "{isolation:?}");
        assert_eq!(scene.listed(), (vec![2], vec!["/arm/left".into()]));
        second.send(4);
        assert_eq!(second.product(), 20);
        // Ids are never used again, and names may be equal.
        assert_eq!(scene.loads(multiplier("left")), (3, "/left".into()));
        assert_eq!(scene.loads(multiplier("left")), (4, "/left".into()));
    }
}

#[test]
fn errors_have_the_texts_of_ros_2() {
    let scene = Scene::new(Isolation::Thread);
    let nowhere = LoadNode_Request { package_name: "nowhere".into(), ..request("demo::Multiplier") };
    assert_eq!(scene.refuses(nowhere), "Could not find requested resource in ament index");
    assert_eq!(
        scene.refuses(request("demo::Unknown")),
        "Failed to find class with the requested plugin name."
    );
    let extra = |parameter| LoadNode_Request { extra_arguments: vec![parameter], ..multiplier("extra") };
    let number = ParameterValue { r#type: 2, integer_value: 1, ..Default::default() };
    assert_eq!(
        scene.refuses(extra(Parameter { name: "use_intra_process_comms".into(), value: number })),
        "Extra component argument 'use_intra_process_comms' must be a boolean"
    );
    assert_eq!(
        scene.refuses(extra(boolean("use_magic", true))),
        "Extra component argument 'use_magic' is not supported"
    );
    assert_eq!(
        scene.refuses(request("demo::Broken")),
        "Component constructor threw an exception: the device is missing"
    );
    let panics = LoadNode_Request { parameters: vec![boolean("panics", true)], ..request("demo::Broken") };
    assert_eq!(scene.refuses(panics), "Component constructor threw an exception: the constructor panicked");
    let wrong = LoadNode_Request { remap_rules: vec!["a=b".into()], ..request("demo::Multiplier") };
    assert_eq!(
        scene.refuses(wrong),
        "Component constructor threw an exception: -r: invalid remapping rule `a=b`: expected `from:=to`"
    );
    let untyped = Parameter { name: "x".into(), value: ParameterValue { r#type: 77, ..Default::default() } };
    let untyped = LoadNode_Request { parameters: vec![untyped], ..multiplier("untyped") };
    assert!(scene.refuses(untyped).starts_with("Component constructor threw an exception: "));
    // Four components could not be created. Each of them has used up an id.
    assert_eq!(scene.loads(extra(boolean("start_parameter_services", false))), (5, "/extra".into()));
    assert_eq!(
        scene.unload(4),
        UnloadNode_Response { success: false, error_message: "No node found with unique_id: 4".into() }
    );
    assert!(!scene.has_node("broken"));
    let graph = scene.context.graph();
    assert!(!graph.servers.iter().any(|server| server.topic.starts_with("/extra/")));
}

#[test]
fn a_component_without_the_publisher_of_parameter_events() {
    let scene = Scene::new(Isolation::Thread);
    let (sender, events) = std::sync::mpsc::channel();
    let subscription = scene.node.subscription::<ParameterEvent>("/parameter_events");
    let subscription = subscription.callback(move |event| drop(sender.send(event.node))).unwrap();
    assert!(subscription.wait_for_publishers(1, LONG));
    // Each of them declares a parameter.
    for (name, start) in [("silent", false), ("telling", true)] {
        let argument = boolean("start_parameter_event_publisher", start);
        scene.loads(LoadNode_Request { extra_arguments: vec![argument], ..multiplier(name) });
    }
    assert_eq!(events.recv_timeout(LONG).unwrap(), "/telling");
}

#[test]
fn an_isolated_component_does_not_delay_or_end_others() {
    for isolation in [Isolation::Thread, Isolation::Threads(2)] {
        let scene = Scene::new(isolation);
        let loads = |name: &str| {
            let rules = ["numbers", "products"].map(|topic| format!("{topic}:=/{name}/{topic}")).to_vec();
            let (id, _) = scene.loads(LoadNode_Request { remap_rules: rules, ..multiplier(name) });
            (id, Topics::new(&scene, &format!("/{name}/numbers"), &format!("/{name}/products")))
        };
        let ((_, slow), (bad, dying), (_, good)) = (loads("slow"), loads("dying"), loads("good"));
        slow.send(99);
        dying.send(13);
        for number in 1..100 {
            good.send(number + 1000);
            assert_eq!(good.product(), 2 * (number + 1000));
        }
        assert!(scene.unload(bad).success);
        assert!(scene.context.wait_until(LONG, || !scene.has_node("dying")));
        // The callback of the slow component ends with the context.
        scene.context.shut_down();
    }
}

#[test]
fn loading_and_unloading_loses_no_message_of_others() {
    for isolation in MODES {
        let scene = Scene::new(isolation);
        scene.loads(multiplier("steady"));
        let topics = Topics::new(&scene, "/numbers", "/products");
        let rules = ["numbers", "products"].map(|topic| format!("{topic}:=/other/{topic}")).to_vec();
        let started = Instant::now();
        for round in 0..50 {
            topics.send(round + 100);
            let other = LoadNode_Request { remap_rules: rules.clone(), ..multiplier("other") };
            let (id, _) = scene.loads(other);
            assert_eq!(id, round + 2);
            topics.send(round + 1000);
            assert!(scene.unload(id).success);
        }
        let products: Vec<u64> = (0..100).map_while(|_| topics.products.recv_timeout(LONG).ok()).collect();
        let expected: Vec<u64> = (0..50).flat_map(|round| [2 * (round + 100), 2 * (round + 1000)]).collect();
        assert_eq!(products, expected, "{isolation:?}");
        let losses = [topics.numbers.status().losses, topics.subscription.status().losses];
        assert_eq!(losses.map(|losses| losses.total()), [0, 0]);
        println!("{isolation:?}: 50 loads and unloads in {:?}", started.elapsed());
    }
}

/// Finds one component in each package, which a function creates.
struct Only(Factory);

impl Loader for Only {
    fn factory(&mut self, _package: &str, _plugin: &str) -> Result<Factory, LoadError> {
        Ok(self.0.clone())
    }
}

#[test]
fn a_component_of_a_function_is_dropped_when_its_manager_is_closed() {
    let context = Context::new().unwrap();
    let node = context.node("container").create().unwrap();
    let executor = SingleThreadedExecutor::new(&context).unwrap();
    let held = Arc::new(());
    let object = held.clone();
    let factory = Factory::from_fn(move |options| {
        let node = options.node("function").create()?;
        Ok((node, object.clone()))
    });
    let manager = ComponentManager::new(&node, executor.handle(), Only(factory), Isolation::Shared).unwrap();
    let request = LoadNode_Request::default;
    assert_eq!(manager.load(request()), Ok((1, "/function".into())));
    assert_eq!(Arc::strong_count(&held), 3);
    manager.close();
    assert_eq!(Arc::strong_count(&held), 2);
    assert_eq!(manager.load(request()), Err("the container ends".into()));
    assert_eq!(manager.unload(1), Err("the container ends".into()));
}
