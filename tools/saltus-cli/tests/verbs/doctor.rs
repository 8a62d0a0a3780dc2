//! The findings of `doctor`. Each finding has a fix.

use std::{
    io::BufReader,
    net::UdpSocket,
    time::{Duration, Instant},
};

use saltus_xrce::{
    Client, ClientConfig, ClientKey, Definition, Entity, ObjectId, ObjectKind, Parent, StreamId,
};

use saltus::{
    Context, Executor, Node, QoS, SingleThreadedExecutor,
    context::{ContextOptions, DomainId},
    graph::Report,
    msgs::{
        diagnostic_msgs::srv::{SelfTest, SelfTest_Response},
        rosgraph_msgs::msg::Clock,
        std_msgs::msg::{Int32, String as Text, UInt64},
    },
};

use crate::{LONG, Running, Scene, recently, topics::dead_pipe};

/// Returns the problems that `doctor` prints.
fn problems(scene: &Scene, flags: &[&str]) -> Vec<String> {
    let output = scene.run(&[&["doctor"], flags].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    let found: Vec<String> = text
        .lines()
        .skip_while(|line| *line != "Problems:")
        .skip(1)
        .map(|line| line.trim().to_owned())
        .collect();
    assert_eq!(output.status.code(), Some(if found.is_empty() { 0 } else { 3 }), "{text}");
    found
}

fn one_problem(scene: &Scene, flags: &[&str]) -> String {
    let found = problems(scene, flags);
    assert_eq!(found.len(), 1, "{found:?}");
    found.into_iter().next().unwrap()
}

fn other_context(scene: &Scene) -> Context {
    ContextOptions::default().domain(0).folder(&scene.folder).handle_signals(false).create().unwrap()
}

#[test]
fn two_nodes_with_the_same_name_are_a_problem() {
    let scene = Scene::new();
    let _nodes: [Node; 2] = [scene.node("/", "twin"), scene.node("/", "twin")];
    let found = one_problem(&scene, &[]);
    let want =
        format!("2 nodes have the name /twin (pid {}): give each node its own name", std::process::id());
    assert!(found.starts_with(&want), "{found}");
}

#[test]
fn a_bridge_is_told_with_the_nodes_that_do_not_join_by_it() {
    let scene = Scene::new();
    let text = || String::from_utf8(scene.run(&["doctor"]).stdout).unwrap();
    let says = || text().contains("Nodes on Fast DDS or Cyclone DDS do not join");
    assert!(!says());
    let bridge = scene.node("/", "saltus_bridge");
    assert!(!says(), "a node with that name may be another one");
    let server = bridge.service::<SelfTest>("~/self_test").callback(|_| SelfTest_Response::default());
    let _server = server.unwrap();
    assert!(says());
    // Nobody spins the node.
    assert!(text().contains("/saltus_bridge does not say how it is"));
}

#[test]
fn two_types_on_a_topic_are_a_problem() {
    let scene = Scene::new();
    let node = scene.node("/", "confused");
    let _one = node.publisher::<Text>("mixed").create().unwrap();
    let _other = node.publisher::<Int32>("mixed").create().unwrap();
    let found = one_problem(&scene, &[]);
    assert!(
        found.starts_with("/mixed has the types std_msgs/msg/Int32 and std_msgs/msg/String: give all"),
        "{found}"
    );
    // A publisher and a subscription of different types are one finding, not two.
    let listener = scene.node("/", "listener");
    let _heard = listener.subscription::<UInt64>("odd").create().unwrap();
    let _said = node.publisher::<Text>("odd").create().unwrap();
    assert_eq!(problems(&scene, &[]).iter().filter(|found| found.contains("/odd")).count(), 1);
}

#[test]
fn the_waiting_time_of_a_message_is_known() {
    let scene = Scene::new();
    let node = scene.node("/", "sleeper");
    let _heard = node.subscription::<Text>("chatter").callback(|_| {}).unwrap();
    let chatter = scene.node("/", "talker").publisher::<Text>("chatter").create().unwrap();
    chatter.publish(&Text::default()).unwrap();
    assert!(problems(&scene, &[]).is_empty(), "a message may wait for a while");
    let waiting = || {
        let report = Report::observe(DomainId::in_folder(&scene.folder, 0)).unwrap();
        let connection = report.connections.into_iter().find(|connection| connection.waiting == 1);
        connection.and_then(|connection| connection.oldest).unwrap()
    };
    let before = waiting();
    assert!(waiting() > before);
}

#[test]
fn a_subscription_that_keeps_too_many_messages_is_a_problem() {
    let scene = Scene::new();
    let chatter = scene.node("/", "talker").publisher::<Text>("chatter").qos(100).create().unwrap();
    let node = scene.node("/", "hoarder");
    let heard = node.subscription::<Text>("chatter").qos(100).borrow_limit(2).create().unwrap();
    for _ in 0..5 {
        chatter.publish(&Text { data: "x".repeat(5000) }).unwrap();
    }
    let kept: Vec<_> = std::iter::from_fn(|| heard.take_sample()).collect();
    assert_eq!((kept.len(), heard.status().copied), (5, 3));
    let found = one_problem(&scene, &[]);
    assert!(
        found.starts_with("/chatter: /hoarder keeps more messages than its borrow limit, so 3 were copied"),
        "{found}"
    );
    assert!(problems(&scene, &["--since", "0"]).is_empty(), "the copies are longer ago than --since");
}

#[test]
fn a_loss_is_a_problem_only_while_it_is_recent() {
    let scene = Scene::new();
    let node = scene.node("/", "listener");
    let heard = node.subscription::<Text>("chatter").create().unwrap();
    let chatter = scene.node("/", "talker").publisher::<Text>("chatter").create().unwrap();
    chatter.publish_bytes(&[0, 1, 0, 0, 255, 255, 255, 255]).unwrap();
    assert!(heard.take().unwrap().is_err());
    let found = one_problem(&scene, &[]);
    assert!(recently(&found).starts_with(
        "/chatter: messages lost at /listener: deserialization error 1, the last … s ago: build"
    ));
    assert!(problems(&scene, &["--since", "0"]).is_empty());
    let text = scene.text(&["doctor", "--since", "0"]);
    assert!(
        text.contains("Messages lost: 1 (deserialization error 1)") && text.contains("No problems found"),
        "{text}"
    );
}

#[test]
fn a_replaced_message_of_a_subscription_that_keeps_one_is_not_lost() {
    let scene = Scene::new();
    let node = scene.node("/", "listener");
    let newest = node.subscription::<Text>("chatter").qos(1).create().unwrap();
    let chatter = scene.node("/", "talker").publisher::<Text>("chatter").create().unwrap();
    let publish = |count: usize| (0..count).for_each(|_| chatter.publish(&Text::default()).unwrap());
    publish(8);
    assert_eq!(newest.status().losses.total(), 7);
    let text = scene.text(&["doctor"]);
    assert!(text.contains("Messages lost: 0\nMessages replaced by newer ones (keep_last 1): 7\n"), "{text}");
    // The losses of another subscription of the topic remain.
    let _few = node.subscription::<Text>("chatter").qos(2).create().unwrap();
    publish(5);
    let text = scene.text(&["doctor"]);
    let want = "Messages lost: 3 (queue overflow 3)\n  /chatter at /listener: 3 (queue overflow 3)\n  \
        /chatter at /talker: 3 (queue overflow 3)\nMessages replaced by newer ones (keep_last 1): 12\n";
    assert!(text.contains(want), "{text}");
}

#[test]
fn a_graph_in_another_domain_is_mentioned() {
    let scene = Scene::new();
    let options = ContextOptions::default().domain(7).folder(&scene.folder).handle_signals(false);
    let elsewhere = options.create().unwrap();
    let _node = elsewhere.node("far").create().unwrap();
    let output = scene.run(&["topic", "list"]);
    let hint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(hint, "there are other graphs on this host: 1 node in domain 7 (set ROS_DOMAIN_ID=7)\n");
    for words in [["topic", "info", "/x"], ["node", "info", "/x"], ["service", "type", "/x"]] {
        let error = scene.failure(&words);
        assert!(error.contains("; there are other graphs on this host: 1 node in domain 7"), "{error}");
    }
    assert!(scene.text(&["doctor"]).contains("Another graph: 1 node in domain 7"));
}

#[test]
fn warnings_and_reports_are_printed_if_requested() {
    let scene = Scene::new();
    let context = other_context(&scene);
    let node = context.node("talker").create().unwrap();
    let _chatter = node.publisher::<Text>("chatter").qos(QoS::keep_last(3)).create().unwrap();
    let _heard = scene.node("/", "listener").subscription::<Text>("silence").create().unwrap();
    assert!(scene.context.wait_until(LONG, || scene.context.graph().nodes.len() == 2));
    assert!(problems(&scene, &[]).is_empty());
    let found = problems(&scene, &["-iw"]);
    let want =
        ["/chatter has a publisher and no subscription: ", "/silence has a subscription and no publisher: "];
    assert!(
        found.iter().zip(want).all(|(found, want)| found.starts_with(want)) && found.len() == 2,
        "{found:?}"
    );
    let report = scene.text(&["doctor", "-r"]);
    for head in ["PLATFORM INFORMATION", "SALTUS INFORMATION", "TOPIC LIST", "QOS COMPATIBILITY LIST"] {
        assert!(report.contains(&format!("\n   {head}\n")), "{report}");
    }
    assert!(report.contains("topic               : /chatter\n"), "{report}");
    let failed = String::from_utf8(scene.run(&["doctor", "-rf", "-iw"]).stdout).unwrap();
    assert!(failed.contains("Problems:") && failed.contains("TOPIC LIST"), "{failed}");
}

/// Lets a device exchange messages with its agent until a condition is true.
fn run_device(client: &mut Client, socket: &UdpSocket, is_done: impl Fn(&Client) -> bool) {
    let begun = Instant::now();
    while !is_done(client) {
        assert!(begun.elapsed() < LONG, "the agent does not answer");
        let now = begun.elapsed().as_nanos() as u64;
        // Sending fails while no agent listens.
        client.poll(now, |message| drop(socket.send(message)), |_| {});
        let mut buffer = [0; 2048];
        if let Ok(len) = socket.recv(&mut buffer) {
            client.handle(now, 0, &buffer[..len], |_| {});
        }
    }
}

/// Returns a port that no agent uses.
fn free_port() -> u16 {
    UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Returns a device with the node `mcu` in a domain, and the socket with which it reaches its agent.
fn device(port: u16, domain: i16) -> (Client, UdpSocket) {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(("127.0.0.1", port)).unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
    let mut client = Client::with_connection(ClientConfig::new(ClientKey([0x5A, 0, 0, 1])), 7);
    let definition = Definition::Participant { name: Some("mcu".into()) };
    let id = ObjectId::new(1, ObjectKind::Participant);
    client.create(id, Entity { parent: Parent::Domain(domain), definition });
    (client, socket)
}

#[test]
fn a_device_that_leaves_the_domain_to_the_agent_is_in_that_of_the_variable() {
    let scene = Scene::new();
    let port = free_port();
    let mut agent = scene.command(&["agent", "udp4", "--port", &port.to_string()]);
    let child = agent.env("XRCE_DOMAIN_ID_OVERRIDE", "51").spawn().unwrap();
    let _agent = Running { child, output: BufReader::new(dead_pipe()) };
    let options = ContextOptions::default().domain(51).folder(&scene.folder).handle_signals(false);
    let context = options.create().unwrap();
    let (mut client, socket) = device(port, 255);
    let is_there = || context.graph().nodes.iter().any(|node| node.name == "mcu");
    run_device(&mut client, &socket, |_| is_there());
    assert!(scene.context.graph().nodes.iter().all(|node| node.name != "mcu"));
}

#[test]
fn devices_and_their_losses_are_shown() {
    let scene = Scene::new();
    let port = free_port();
    let _agent = scene.start(&["agent", "udp4", "--port", &port.to_string()]);
    let (mut client, socket) = device(port, 0);
    let id = |kind| ObjectId::new(1, kind);
    let is_there = || scene.context.graph().nodes.iter().any(|node| node.name == "mcu");
    run_device(&mut client, &socket, |_| is_there());
    client.write(StreamId::RELIABLE, id(ObjectKind::DataWriter), b"lost").unwrap();
    run_device(&mut client, &socket, Client::is_acknowledged);
    // The agent updates the counts that tools read five times in a second.
    let reported = || scene.run(&["doctor"]).stdout;
    let begun = Instant::now();
    let mut text = String::new();
    while !text.contains("Problems:") {
        assert!(begun.elapsed() < LONG, "{text}");
        text = String::from_utf8(reported()).unwrap();
    }
    let text = recently(&text);
    let address = socket.local_addr().unwrap();
    for expected in [
        "Devices: 2".to_owned(),
        format!("  agent: udp4 port {port}, last heard "),
        format!("  device 0x5A000001: udp {address}, last heard "),
        "lost: 1 (for no usable object 1)".to_owned(),
        "device 0x5A000001: 1 messages for no usable object, the last … s ago: create the objects".to_owned(),
    ] {
        assert!(text.contains(&expected), "{expected}: {text}");
    }
    assert_eq!(scene.text(&["node", "list"]), "/mcu\n");
}

#[test]
fn a_simulated_time_that_nobody_publishes_is_a_problem() {
    let scene = Scene::new();
    let node = scene.node("/", "driver");
    node.use_sim_time(true).unwrap();
    let want =
        "/clock: nobody has published a time, and these nodes wait for it: /driver: start the simulator";
    assert!(one_problem(&scene, &[]).starts_with(want));
    let simulator = scene.node("/", "simulator").publisher::<Clock>("/clock").create().unwrap();
    simulator.publish(&Clock::default()).unwrap();
    assert_eq!(problems(&scene, &[]), [""; 0]);
    // The simulator may have ended since then.
    let mut executor = SingleThreadedExecutor::new(node.context()).unwrap();
    executor.add_node(&node);
    assert!(executor.spin_once(Some(LONG)).unwrap());
    drop(simulator);
    assert_eq!(problems(&scene, &[]), [""; 0]);
}

#[test]
fn a_stopped_process_is_a_problem_although_its_queue_overflows() {
    let scene = Scene::new();
    let publisher =
        scene.node("/", "camera").publisher::<Text>("/image").qos(QoS::keep_last(1)).create().unwrap();
    let mut reader = scene.start(&["topic", "echo", "/image", "std_msgs/msg/String"]);
    assert!(publisher.wait_for_subscriptions(1, LONG));
    let pid = rustix::process::Pid::from_child(&reader.child);
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    let want = format!("process {} (", reader.child.id());
    let is_told = || {
        problems(&scene, &[]).iter().any(|line| {
            line.starts_with(&want) && line.contains("is stopped, so it takes no messages; the last one ")
        })
    };
    let begin = Instant::now();
    while !is_told() {
        assert!(begin.elapsed() < LONG);
        publisher.publish(&Text::default()).unwrap();
    }
    drop(publisher);
    assert!(is_told(), "also after the end of the publisher");
    rustix::process::kill_process(pid, rustix::process::Signal::CONT).unwrap();
    reader.interrupt();
}
