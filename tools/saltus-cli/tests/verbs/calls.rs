//! The verbs of services, actions and parameters.

use std::{fs, io::Read};

use saltus::{
    Node,
    msgs::{
        example_interfaces::{
            action::{Fibonacci, Fibonacci_Feedback, Fibonacci_Result},
            srv::{AddTwoInts, AddTwoInts_Response},
        },
        nav_msgs::srv::{GetPlan, GetPlan_Response},
        nav2_msgs::action::{NavigateToPose, NavigateToPose_Result},
    },
    service::ServiceIntrospection,
};

use super::{LONG, Scene, expect};

/// A node with a service, an action and parameters. A thread spins it.
struct Working {
    scene: Scene,
    node: Node,
    thread: Option<std::thread::JoinHandle<()>>,
    _service: saltus::Server<AddTwoInts>,
    action: saltus::ActionServer<Fibonacci>,
}

impl Working {
    fn new() -> Self {
        let scene = Scene::new();
        let node = scene.node("/robot", "worker");
        let service = node.service::<AddTwoInts>("add").introspection(ServiceIntrospection::Contents);
        let service = service.callback(|request| AddTwoInts_Response { sum: request.a + request.b }).unwrap();
        let action = saltus::ActionServer::<Fibonacci>::on(&node, "count")
            .on_goal(|goal| match goal.view().unwrap().order {
                ..0 => saltus::action::GoalResponse::Reject,
                _ => saltus::action::GoalResponse::AcceptAndExecute,
            })
            .on_cancel(|_| saltus::action::CancelResponse::Accept)
            .execute(|goal| {
                std::thread::spawn(move || work(&goal));
            })
            .unwrap();
        node.parameter("speed")
            .description("in m/s")
            .floating_point_range(0.0, 2.0, 0.0)
            .declare(1.0)
            .unwrap();
        node.parameter("serial").read_only().declare(String::from("X1")).unwrap();
        node.parameter("arm.joints").declare(vec![String::from("a, b"), String::from("y")]).unwrap();
        node.parameter("arm.count").integer_range(0, 10, 2).declare(4i64).unwrap();
        node.parameter("gains").declare(vec![1.0, 2.5]).unwrap();
        node.parameter("old").dynamic_typing().declare(true).unwrap();
        let spun = node.clone();
        let thread = std::thread::spawn(move || saltus::spin(&spun).unwrap());
        Self { scene, node, thread: Some(thread), _service: service, action }
    }
}

/// Executes a goal: counts up. A goal of 1000 is executed until it is cancelled.
fn work(goal: &saltus::action::GoalHandle<Fibonacci>) {
    let order = goal.goal().unwrap().order;
    goal.publish_feedback(&Fibonacci_Feedback { sequence: vec![0] }).unwrap();
    while order == 1000 && !goal.is_canceling() {
        std::thread::yield_now();
    }
    let result = Fibonacci_Result { sequence: (0..order.min(3)).collect() };
    if goal.is_canceling() { goal.canceled(result).unwrap() } else { goal.succeed(result).unwrap() }
}

/// Returns the number of goals that have not ended.
fn active(action: &saltus::ActionServer<Fibonacci>) -> usize {
    action.status().active
}

impl Drop for Working {
    fn drop(&mut self) {
        self.scene.context.shut_down();
        self.thread.take().unwrap().join().unwrap();
    }
}

#[test]
fn services_are_listed_described_and_called() {
    let Working { scene, node, .. } = &Working::new();
    let _client = node.client::<AddTwoInts>("add").create().unwrap();
    expect("service-list.txt", &scene.text(&["service", "list", "-t"]));
    assert_eq!(scene.text(&["service", "list", "-c"]), "7\n");
    assert_eq!(scene.text(&["service", "list", "-c", "-a"]), "10\n");
    let ty = "example_interfaces/srv/AddTwoInts";
    assert_eq!(scene.text(&["service", "type", "/robot/add"]), format!("{ty}\n"));
    assert_eq!(scene.text(&["service", "find", ty]), "/robot/add\n");
    expect("service-info.txt", &scene.text(&["service", "info", "/robot/add"]));
    expect("service-info-verbose.txt", &scene.text(&["service", "info", "robot/add", "--verbose"]));
    expect("service-call.txt", &scene.text(&["service", "call", "/robot/add", ty, "{a: 2, b: 40}"]));
    let json = scene.text(&["service", "call", "/robot/add", ty, "{a: 1}", "--json"]);
    assert_eq!(json, "{\"sum\":1}\n");
    assert_eq!(scene.failure(&["service", "type", "/none"]), "saltus: Unknown service '/none'\n");
    let missing = scene.failure(&["service", "call", "/none", ty, "{}", "--timeout", "0.05"]);
    assert!(missing.contains("no server for service '/none'"), "{missing}");
    let wrong = scene.failure(&["service", "call", "/robot/add", ty, "{c: 1}"]);
    assert!(wrong.contains('c') && wrong.starts_with("saltus: the values:"), "{wrong}");
    let topic = scene.failure(&["service", "call", "/robot/add", "std_msgs/msg/String"]);
    assert!(topic.contains("is not a service type"), "{topic}");
}

#[test]
fn the_calls_of_a_service_can_be_printed() {
    let Working { scene, .. } = &Working::new();
    let mut echo = scene.start(&["service", "echo", "/robot/add", "--csv"]);
    let listens = || {
        let graph = scene.context.graph();
        graph.endpoints.iter().any(|end| {
            end.topic == "/robot/add/_service_event" && end.kind == saltus::graph::EndpointKind::Subscription
        })
    };
    assert!(scene.context.wait_until(LONG, listens));
    let ty = "example_interfaces/srv/AddTwoInts";
    scene.text(&["service", "call", "/robot/add", ty, "{a: 2, b: 40}"]);
    let (asked, answered) = (echo.line(), echo.line());
    assert!(asked.starts_with("1,") && asked.ends_with(",1,2,40,\n"), "{asked}");
    assert!(answered.starts_with("2,") && answered.ends_with(",1,,42\n"), "{answered}");
    assert_eq!(echo.interrupt(), Some(0));
}

#[test]
fn actions_are_listed_and_described_and_goals_are_sent() {
    let Working { scene, node, action, .. } = &Working::new();
    let _client = saltus::ActionClient::<Fibonacci>::on(node, "count").create().unwrap();
    assert_eq!(scene.text(&["action", "list"]), "/robot/count\n");
    let ty = "example_interfaces/action/Fibonacci";
    assert_eq!(scene.text(&["action", "list", "-t"]), format!("/robot/count [{ty}]\n"));
    assert_eq!(scene.text(&["action", "type", "/robot/count"]), format!("{ty}\n"));
    assert_eq!(scene.text(&["action", "find", ty]), "/robot/count\n");
    expect("action-info.txt", &scene.text(&["action", "info", "/robot/count", "-t"]));
    let send = ["action", "send_goal", "/robot/count", ty];
    let text = scene.text(&[&send[..], &["{order: 3}", "--feedback"]].concat());
    let id = text.split("ID: ").nth(1).unwrap().split('\n').next().unwrap().to_owned();
    assert_eq!(id.len(), 32);
    expect("action-send-goal.txt", &text.replace(&id, "…"));
    assert_eq!(scene.failure(&[&send[..], &["{order: -1}"]].concat()), "saltus: Goal was rejected.\n");
    let mut running = scene.start(&[&send[..], &["{order: 1000}"]].concat());
    while !running.line().starts_with("Goal accepted") {}
    assert_eq!(running.interrupt(), Some(130), "the goal was not finished");
    let mut rest = String::new();
    running.output.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "\n\nCanceling goal...\nGoal canceled.\n");
    let late = scene.failure(&[&send[..], &["{order: 1000}", "--timeout", "0.2"]].concat());
    assert!(late.contains("did not answer within 200ms"), "{late}");
    // A goal whose client has ended is cancelled, and the thread that executes it is notified.
    while active(action) > 0 {
        std::thread::yield_now();
    }
}

#[test]
fn the_feedback_and_states_of_an_action_can_be_printed() {
    let Working { scene, .. } = &Working::new();
    let mut echo = scene.start(&["action", "echo", "/robot/count"]);
    let listens = || {
        let graph = scene.context.graph();
        let of = |end: &&saltus::graph::EndpointInfo| end.kind == saltus::graph::EndpointKind::Subscription;
        graph.endpoints.iter().filter(of).filter(|end| end.topic.starts_with("/robot/count/_action/")).count()
            == 2
    };
    assert!(scene.context.wait_until(LONG, listens));
    let ty = "example_interfaces/action/Fibonacci";
    scene.text(&["action", "send_goal", "/robot/count", ty, "{order: 1}"]);
    let mut seen = Vec::new();
    while !seen.contains(&"  status: 4\n".to_owned())
        || !seen.contains(&"interface: FEEDBACK_TOPIC\n".to_owned())
    {
        seen.push(echo.line());
    }
    assert!(seen.contains(&"interface: STATUS_TOPIC\n".to_owned()), "{seen:?}");
    assert_eq!(echo.interrupt(), Some(0));
}

#[test]
fn parameters_are_listed_read_set_described_deleted_dumped_and_loaded() {
    let Working { scene, node, .. } = &Working::new();
    expect("param-list.txt", &scene.text(&["param", "list"]));
    expect("param-list-types.txt", &scene.text(&["param", "list", "/robot/worker", "--param-type"]));
    assert_eq!(
        scene.text(&["param", "list", "/robot/worker", "--param-prefixes", "arm"]),
        "  arm.count\n  arm.joints\n"
    );
    let get = |name| scene.text(&["param", "get", "/robot/worker", name]);
    assert_eq!(get("speed"), "Double value is: 1.0\n");
    assert_eq!(get("arm.joints"), "String values are: ['a, b', 'y']\n");
    assert_eq!(get("gains"), "Double values are: [1.0, 2.5]\n");
    assert_eq!(get("use_sim_time"), "Boolean value is: False\n");
    assert_eq!(scene.text(&["param", "get", "--hide-type", "/robot/worker", "arm.count"]), "4\n");
    let set = ["param", "set", "/robot/worker"];
    assert_eq!(scene.text(&[&set[..], &["speed", "1.5"]].concat()), "Set parameter successful\n");
    assert_eq!(node.get_parameter("speed"), Ok(1.5));
    let refused = scene.failure(&[&set[..], &["speed", "-1.0"]].concat());
    assert_eq!(
        refused,
        "saltus: Setting parameter failed: parameter 'speed': -1 is not in the range from 0 to 2\n"
    );
    // All dumped values can be read again, including those whose type YAML can't tell.
    node.parameter("z.bytes").declare(vec![1u8, 2]).unwrap();
    node.parameter("z.no_bytes").declare(Vec::<u8>::new()).unwrap();
    node.parameter("z.no_truths").declare(Vec::<bool>::new()).unwrap();
    node.parameter("z.no_numbers").declare(Vec::<i64>::new()).unwrap();
    node.parameter("z.no_doubles").declare(Vec::<f64>::new()).unwrap();
    node.parameter("z.text").declare(String::from("1e5")).unwrap();
    assert_eq!(scene.text(&[&set[..], &["z.text", "y"]].concat()), "Set parameter successful\n");
    assert_eq!(scene.text(&[&set[..], &["z.text", ""]].concat()), "Set parameter successful\n");
    assert_eq!(node.get_parameter("z.text"), Ok(String::new()));
    node.set_parameter("z.text", String::from("1e5")).unwrap();
    expect(
        "param-describe.txt",
        &scene.text(&["param", "describe", "/robot/worker", "speed", "serial", "arm.count"]),
    );
    expect("param-dump.txt", &scene.text(&["param", "dump", "/robot/worker"]));
    let file = scene.folder.join("params.yaml");
    fs::write(&file, scene.text(&["param", "dump", "/robot/worker"]).replace("1.5", "0.5")).unwrap();
    let load = scene.run(&["param", "load", "/robot/worker", file.to_str().unwrap()]);
    assert_eq!(node.get_parameter("speed"), Ok(0.5));
    let joints = vec![String::from("a, b"), String::from("y")];
    assert_eq!(node.get_parameter("arm.joints"), Ok(joints), "the dumped value is read again");
    assert_eq!(node.get_parameter("z.text"), Ok(String::from("1e5")));
    let said = String::from_utf8(load.stdout).unwrap();
    for name in ["z.bytes", "z.no_bytes", "z.no_truths", "z.no_numbers", "z.no_doubles", "z.text"] {
        assert!(said.contains(&format!("Set parameter {name} successful\n")), "{said}");
    }
    assert!(said.contains("Set parameter speed successful\n"), "{said}");
    let failed = String::from_utf8(load.stderr).unwrap();
    assert!(failed.starts_with("Set parameter serial failed: parameter 'serial' is read-only\n"), "{failed}");
    assert_eq!(scene.text(&["param", "delete", "/robot/worker", "old"]), "Deleted parameter successfully\n");
    assert!(!node.has_parameter("old"));
    let fixed = scene.failure(&["param", "delete", "/robot/worker", "speed"]);
    assert!(fixed.starts_with("saltus: Deleting parameter failed:"), "{fixed}");
    assert_eq!(scene.failure(&["param", "list", "/none", "--timeout", "0.05"]), "saltus: Node not found\n");
    let unknown = scene.failure(&["param", "get", "/robot/worker", "none"]);
    assert!(unknown.contains("one of these parameters is not declared, or has no value: none"), "{unknown}");
    for words in
        [&["get", "spede"][..], &["set", "spede", "1.0"], &["delete", "spede"], &["describe", "spede"]]
    {
        let typo = scene.failure(&[&["param", words[0], "/robot/worker"], &words[1..]].concat());
        assert!(typo.starts_with("there is no parameter 'spede'; did you mean 'speed'?\nsaltus: "), "{typo}");
    }
}

#[test]
fn the_present_time_is_filled_into_requests_and_goals() {
    let scene = Scene::new();
    let node = scene.node("/", "planner");
    let (sent, stamps) = std::sync::mpsc::channel();
    let goals = sent.clone();
    let _service = node
        .service::<GetPlan>("plan")
        .callback(move |request| {
            sent.send([request.start.header.stamp.sec, request.goal.header.stamp.sec]).unwrap();
            GetPlan_Response::default()
        })
        .unwrap();
    let _action = saltus::ActionServer::<NavigateToPose>::on(&node, "go")
        .execute(move |goal| {
            let stamp = goal.goal_value().unwrap().pose.header.stamp.sec;
            goals.send([stamp, stamp]).unwrap();
            goal.succeed(NavigateToPose_Result::default()).unwrap();
        })
        .unwrap();
    let spun = node.clone();
    let thread = std::thread::spawn(move || saltus::spin(&spun).unwrap());
    let before = saltus::time::system_now().as_nanos() / 1_000_000_000;
    scene.text(&[
        "service",
        "call",
        "/plan",
        "nav_msgs/srv/GetPlan",
        "{start: {header: auto}, goal: {header: {stamp: now}}}",
    ]);
    scene.text(&["action", "send_goal", "/go", "nav2_msgs/action/NavigateToPose", "{pose: {header: auto}}"]);
    let stamps: Vec<i32> = stamps.try_iter().flatten().collect();
    assert_eq!(stamps.len(), 4);
    assert!(stamps.iter().all(|stamp| i64::from(*stamp) >= before), "{stamps:?}");
    scene.context.shut_down();
    thread.join().unwrap();
}

#[test]
fn a_parameter_whose_name_begins_with_a_dot_is_dumped_and_loaded() {
    let scene = Scene::new();
    let node = scene.node("/", "worker");
    for name in [".x", ".x.y", "z"] {
        node.parameter(name).declare(1_i64).unwrap();
    }
    let spun = node.clone();
    let thread = std::thread::spawn(move || saltus::spin(&spun).unwrap());
    let file = scene.folder.join("params.yaml");
    fs::write(&file, scene.text(&["param", "dump", "/worker"]).replace(": 1", ": 2")).unwrap();
    scene.text(&["param", "load", "/worker", file.to_str().unwrap()]);
    for name in [".x", ".x.y", "z"] {
        assert_eq!(node.get_parameter(name), Ok(2_i64), "{name}");
    }
    scene.context.shut_down();
    thread.join().unwrap();
}
