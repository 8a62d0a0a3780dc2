//! Parameters of a node: their use by the node's own program and by other nodes.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    sync::{Arc, Mutex, mpsc},
    thread,
    time::Duration,
};

use saltus_executor::{Executor, SingleThreadedExecutor};
use saltus_msgs::rcl_interfaces::msg::ParameterEvent;
use saltus_node::{
    Context, ContextOptions, Node, Parameter, ParameterClient, ParameterError, ParameterType, ParameterValue,
    RemoteParameterError, RosArgs, observe_graph,
};
use saltus_types::QoS;

const LONG: Duration = Duration::from_secs(20);

struct Spun {
    node: Node,
    thread: Option<thread::JoinHandle<()>>,
}

impl Spun {
    fn new(node: Node) -> Self {
        let spun = node.clone();
        let spin = move || SingleThreadedExecutor::new(spun.context()).unwrap().spin_node(&spun).unwrap();
        Self { node, thread: Some(thread::spawn(spin)) }
    }
}

impl Drop for Spun {
    fn drop(&mut self) {
        self.node.context().shut_down();
        self.thread.take().unwrap().join().unwrap();
    }
}

struct Scene {
    folder: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        Self { folder: tempfile::TempDir::new_in("/dev/shm").unwrap() }
    }

    fn options(&self) -> ContextOptions {
        let options = ContextOptions::default().folder(self.folder.path()).handle_signals(false);
        options.install_logging(false).rosout(false)
    }

    fn context(&self) -> Context {
        self.options().create().unwrap()
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.into()).collect()
}

#[test]
fn arguments_override_defaults_and_the_last_argument_counts() {
    let scene = Scene::new();
    let args = ["prog", "--ros-args", "-p", "rate:=5.0", "-p", "other:rate:=7.0", "-p", "rate:=6.0"];
    let args = RosArgs::parse(args.map(String::from)).unwrap();
    let context = scene.options().args(args).create().unwrap();
    let node = context.node("talker").create().unwrap();
    assert_eq!(node.declare_parameter("rate", 1.0), Ok(6.0));
    let other = context.node("other").create().unwrap();
    assert_eq!(other.declare_parameter("rate", 1.0), Ok(6.0));
    let automatic =
        context.node("auto").automatically_declare_parameters_from_overrides(true).create().unwrap();
    assert_eq!(automatic.get_parameter("rate"), Ok(6.0));
}

#[test]
fn callbacks_are_called_in_order_and_the_last_added_may_refuse_first() {
    let scene = Scene::new();
    let context = scene.context();
    let node = context.node("node").create().unwrap();
    node.declare_parameter("a", 1i64).unwrap();
    node.declare_parameter("b", 1i64).unwrap();
    let log = Arc::new(Mutex::new(Vec::new()));
    let (pre, first, second, post) = (log.clone(), log.clone(), log.clone(), log.clone());
    let _pre = node.on_pre_set_parameters(move |list| {
        pre.lock().unwrap().push("pre");
        list.push(Parameter::new("b", ParameterValue::Integer(2)));
    });
    let _first = node.on_set_parameters(move |_| {
        first.lock().unwrap().push("first");
        Ok(())
    });
    let _second = node.on_set_parameters(move |list| {
        second.lock().unwrap().push("second");
        let too_large = list.iter().any(|one| one.value == ParameterValue::Integer(100));
        if too_large { Err("too large".into()) } else { Ok(()) }
    });
    let post = node.on_post_set_parameters(move |_| post.lock().unwrap().push("post"));
    node.set_parameter("a", 5i64).unwrap();
    assert_eq!(*log.lock().unwrap(), ["pre", "second", "first", "post"]);
    assert_eq!((node.get_parameter("a"), node.get_parameter("b")), (Ok(5i64), Ok(2i64)));
    log.lock().unwrap().clear();
    assert_eq!(node.set_parameter("a", 100i64), Err(ParameterError::Rejected("too large".into())));
    assert_eq!(*log.lock().unwrap(), ["pre", "second"]);
    assert_eq!(node.get_parameter("a"), Ok(5i64));
    drop(post);
    log.lock().unwrap().clear();
    node.declare_parameter("c", 1i64).unwrap();
    assert_eq!(*log.lock().unwrap(), ["second", "first"], "a declaration calls no pre-set callbacks");
}

#[test]
fn a_callback_may_read_parameters_but_not_set_them() {
    let scene = Scene::new();
    let context = scene.context();
    let node = context.node("node").create().unwrap();
    node.declare_parameter("a", 1i64).unwrap();
    let (inner, seen) = (node.clone(), Arc::new(Mutex::new(None)));
    let note = seen.clone();
    let _callback = node.on_set_parameters(move |_| {
        let outcome = (inner.get_parameter::<i64>("a"), inner.set_parameter("a", 3i64));
        *note.lock().unwrap() = Some(outcome);
        Ok(())
    });
    node.set_parameter("a", 2i64).unwrap();
    assert_eq!(*seen.lock().unwrap(), Some((Ok(1), Err(ParameterError::InCallback))));
    assert_eq!(node.get_parameter("a"), Ok(2i64));
}

#[test]
fn a_post_set_callback_may_set_parameters_and_all_changes_are_reported_in_order() {
    let scene = Scene::new();
    let context = scene.context();
    let node = context.node("node").create().unwrap();
    node.declare_parameter("a", 1i64).unwrap();
    node.declare_parameter("b", 1i64).unwrap();
    let (inner, reported) = (node.clone(), Arc::new(Mutex::new(Vec::new())));
    let note = reported.clone();
    let _callback = node.on_post_set_parameters(move |list| {
        note.lock().unwrap().push(list[0].clone());
        if let ("a", ParameterValue::Integer(value)) = (&*list[0].name, &list[0].value) {
            inner.set_parameter("b", value * 10).unwrap();
        }
    });
    node.set_parameter("a", 2i64).unwrap();
    let parameter = |name, value| Parameter::new(name, ParameterValue::Integer(value));
    assert_eq!(*reported.lock().unwrap(), [parameter("a", 2), parameter("b", 20)]);
}

#[test]
fn a_batch_is_set_atomically_or_one_by_one() {
    let scene = Scene::new();
    let context = scene.context();
    let node = context.node("node").create().unwrap();
    node.declare_parameter("a", 1i64).unwrap();
    let batch = || {
        vec![
            Parameter::new("a", ParameterValue::Integer(2)),
            Parameter::new("missing", ParameterValue::Integer(2)),
        ]
    };
    let missing = ParameterError::NotDeclared("missing".into());
    assert_eq!(node.set_parameters_atomically(batch()), Err(missing.clone()));
    assert_eq!(node.get_parameter("a"), Ok(1i64));
    assert_eq!(node.set_parameters(batch()), [Ok(()), Err(missing)]);
    assert_eq!(node.get_parameter("a"), Ok(2i64));
}

#[test]
fn other_nodes_read_set_list_and_describe_parameters() {
    let scene = Scene::new();
    let spun = Spun::new(scene.context().node("driver").namespace("/robot").create().unwrap());
    spun.node
        .parameter("speed")
        .description("in m/s")
        .floating_point_range(0.0, 2.0, 0.0)
        .declare(1.0)
        .unwrap();
    spun.node.declare_parameter("arm.joints", names(&["a", "b"])).unwrap();
    spun.node.parameter("serial").read_only().declare(String::from("X1")).unwrap();
    let context = scene.context();
    let node = context.node("tuner").create().unwrap();
    let client = ParameterClient::new(&node, "/robot/driver", LONG);
    assert_eq!(client.list(&[], 0).unwrap().names, ["arm.joints", "serial", "speed", "use_sim_time"]);
    let joints = ParameterValue::StringArray(names(&["a", "b"]));
    assert_eq!(client.get(&names(&["speed", "arm.joints"])).unwrap(), [ParameterValue::Double(1.0), joints]);
    assert_eq!(client.types(&names(&["serial"])).unwrap(), [ParameterType::String]);
    let described = client.describe(&names(&["speed"])).unwrap();
    assert_eq!(described, [spun.node.describe_parameter("speed").unwrap()]);
    let set = |name: &str, value| client.set(vec![Parameter::new(name, value)]).unwrap().remove(0);
    assert_eq!(set("speed", ParameterValue::Double(1.5)), Ok(()));
    assert_eq!(spun.node.get_parameter("speed"), Ok(1.5));
    assert_eq!(
        set("speed", ParameterValue::Double(2.5)),
        Err("parameter 'speed': 2.5 is not in the range from 0 to 2".into())
    );
    assert_eq!(
        set("serial", ParameterValue::String("X2".into())),
        Err("parameter 'serial' is read-only".into())
    );
    assert_eq!(set("none", ParameterValue::Bool(true)), Err("parameter 'none' is not declared".into()));
    let batch = vec![
        Parameter::new("speed", ParameterValue::Double(0.5)),
        Parameter::new("none", ParameterValue::Bool(true)),
    ];
    assert!(matches!(client.set_atomically(batch), Err(RemoteParameterError::Refused(_))));
    assert_eq!(spun.node.get_parameter("speed"), Ok(1.5));
    assert!(matches!(client.get(&names(&["speed", "none"])), Err(RemoteParameterError::Unknown { .. })));
    assert!(matches!(client.describe(&names(&["none"])), Err(RemoteParameterError::Unknown { .. })));
}

#[test]
fn parameter_services_are_opened_on_the_first_call_but_the_graph_shows_them_before() {
    let scene = Scene::new();
    let spun = Spun::new(scene.context().node("driver").create().unwrap());
    let domain = scene.options().domain_id().unwrap();
    let services = || {
        let graph = observe_graph(&domain).unwrap();
        let mut names: Vec<String> = graph.servers.into_iter().map(|server| server.topic).collect();
        names.sort();
        names
    };
    let all = [
        "/driver/describe_parameters",
        "/driver/get_parameter_types",
        "/driver/get_parameters",
        "/driver/list_parameters",
        "/driver/set_parameters",
        "/driver/set_parameters_atomically",
    ];
    assert_eq!(services(), all);
    let is_open = |server: &saltus_host::EndpointInfo| !server.is_offered();
    let opened = || observe_graph(&domain).unwrap().servers.iter().filter(|one| is_open(one)).count();
    assert_eq!(opened(), 0);
    let context = scene.context();
    let node = context.node("tuner").start_parameter_services(false).create().unwrap();
    ParameterClient::new(&node, "/driver", LONG).list(&[], 0).unwrap();
    assert_eq!((services(), opened()), (all.map(String::from).to_vec(), 1));
    drop(spun);
    assert!(
        context.wait_until(LONG, || context.graph().servers.is_empty()),
        "the services are removed with the node"
    );
}

#[test]
fn changes_are_published_as_parameter_events() {
    let scene = Scene::new();
    let spun = Spun::new(scene.context().node("driver").create().unwrap());
    spun.node.parameter("a").dynamic_typing().declare(1i64).unwrap();
    let (sender, events) = mpsc::channel();
    let listener = scene.context().node("listener").start_parameter_services(false).create().unwrap();
    let listener = Spun::new(listener);
    let subscription = listener
        .node
        .subscription::<ParameterEvent>("/parameter_events")
        .qos(QoS::parameter_events())
        .callback(move |event| drop(sender.send(event)))
        .unwrap();
    assert!(subscription.wait_for_publishers(1, LONG));
    spun.node.set_parameter("a", 2i64).unwrap();
    spun.node.declare_parameter("b", true).unwrap();
    spun.node.undeclare_parameter("a").unwrap();
    let changes: Vec<_> = (0..3)
        .map(|_| {
            let event = events.recv().unwrap();
            assert_eq!(event.node, "/driver");
            let names = |list: &[saltus_msgs::rcl_interfaces::msg::Parameter]| {
                list.iter().map(|one| one.name.clone()).collect::<Vec<_>>()
            };
            [names(&event.new_parameters), names(&event.changed_parameters), names(&event.deleted_parameters)]
        })
        .collect();
    let (a, b, none) = (names(&["a"]), names(&["b"]), names(&[]));
    assert_eq!(
        changes,
        [[none.clone(), a.clone(), none.clone()], [b, none.clone(), none.clone()], [none.clone(), none, a]]
    );
}

#[test]
fn events_of_parameters_and_their_services_are_independent() {
    let scene = Scene::new();
    let context = scene.context();
    let silent = context.node("silent").start_parameter_event_publisher(false).create().unwrap();
    silent.declare_parameter("a", 1i64).unwrap();
    let graph = context.graph();
    assert!(graph.endpoints.iter().all(|one| &*one.topic != "/parameter_events"), "{:?}", graph.endpoints);
    let (sender, events) = mpsc::channel();
    let listener = scene.context().node("listener").start_parameter_services(false).create().unwrap();
    let listener = Spun::new(listener);
    let subscription = listener
        .node
        .subscription::<ParameterEvent>("/parameter_events")
        .qos(QoS::parameter_events())
        .callback(move |event| drop(sender.send(event.node)))
        .unwrap();
    let telling = context.node("telling").start_parameter_services(false);
    let telling = telling.start_parameter_event_publisher(true).create().unwrap();
    assert!(subscription.wait_for_publishers(1, LONG));
    silent.set_parameter("a", 2i64).unwrap();
    telling.declare_parameter("a", 1i64).unwrap();
    assert_eq!(events.recv().unwrap(), "/telling");
    let servers = context.graph().servers;
    assert!(servers.iter().all(|one| one.topic.starts_with("/silent/")), "{servers:?}");
}

#[test]
fn use_sim_time_is_a_parameter_that_other_nodes_can_set() {
    let scene = Scene::new();
    let spun = Spun::new(scene.context().node("driver").create().unwrap());
    let context = scene.context();
    let node = context.node("tuner").create().unwrap();
    let client = ParameterClient::new(&node, "/driver", LONG);
    let set = |value| client.set(vec![Parameter::new("use_sim_time", value)]).unwrap().remove(0);
    assert_eq!(set(ParameterValue::Bool(true)), Ok(()));
    assert!(spun.node.clock().is_simulated());
    assert!(set(ParameterValue::Integer(1)).is_err());
    assert_eq!(set(ParameterValue::Bool(false)), Ok(()));
    assert!(!spun.node.clock().is_simulated());
    let args = RosArgs::parse(["p", "--ros-args", "-p", "use_sim_time:=true"].map(String::from)).unwrap();
    let simulated = scene.options().args(args).create().unwrap().node("sim").create().unwrap();
    assert!(simulated.clock().is_simulated());
}

#[test]
fn a_missing_node_is_an_error_within_the_timeout() {
    let scene = Scene::new();
    let context = scene.context();
    let node = context.node("tuner").create().unwrap();
    let client = ParameterClient::new(&node, "/missing", Duration::from_millis(10));
    assert!(matches!(client.list(&[], 0), Err(RemoteParameterError::Call(_))));
}
