//! What `saltus doctor` says about a bridge: its links, the names that rules stop, and sessions that announce too much.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::{process::Command, time::Duration};

use common::{BridgeProcess, Spun, TwoHosts, ZenohNode, command, doctor, statuses, wait};
use saltus::{
    QoS,
    advanced::TypeHash,
    msgs::{
        example_interfaces::srv::{AddTwoInts, AddTwoInts_Response},
        std_msgs::msg::UInt64,
    },
};
use saltus_e2e::ShmFolder;
use saltus_rmw::EntityKind;
use serde_json::Value;
use zenoh::Wait;

/// The most endpoints of a session that are shown.
const MAX_OF_SESSION: usize = 5_000;

#[test]
fn the_links_of_a_bridge_and_the_rules_that_stop_names_are_told() {
    let folders = [ShmFolder::new(), ShmFolder::new()];
    let rules = folders[0].path().join("rules.yaml");
    let text = "default: deny\nnamespace: robot1\nrules:\n- deny: /camera/*\n- {allow: /open}\n- {deny: /add, kind: service}\n";
    std::fs::write(&rules, text).unwrap();
    let words = ["--router", "--listen", "tcp/127.0.0.1:0", "--rules", &rules.display().to_string()];
    let first = BridgeProcess::start(&folders[0], &words);
    let _second = BridgeProcess::start(&folders[1], &["--connect", &first.address]);
    let (here, there) = (Spun::new(&folders[0], "here"), Spun::new(&folders[1], "there"));
    let publish = |host: &Spun, topic| host.node.publisher::<UInt64>(topic).create().unwrap();
    let subscribe = |host: &Spun, topic| host.node.subscription::<UInt64>(topic).callback(|_| {}).unwrap();
    let _stopped =
        [publish(&here, "/camera/image"), publish(&here, "/state"), publish(&there, "/robot1/cmd_vel")];
    let _wanted = [
        subscribe(&there, "/robot1/camera/image"),
        subscribe(&there, "/robot1/state"),
        subscribe(&here, "/cmd_vel"),
    ];
    let server = here.node.service::<AddTwoInts>("/add").callback(|_| AddTwoInts_Response::default());
    let _server = server.unwrap();
    let _client = there.node.client::<AddTwoInts>("/robot1/add").create().unwrap();
    // Nobody wants it on the other host.
    let _alone = publish(&here, "/camera/depth");
    let (publisher, open) = (publish(&here, "/open"), subscribe(&there, "/robot1/open"));
    wait("the open topic", || open.status().matched == 1 && publisher.status().matched == 1);
    let host = host_name();
    let expected = [
        (
            "/camera/image",
            format!(
                "does not pass from /here to /there (host {host}): stopped by `deny: /camera/*` in line 4"
            ),
        ),
        ("/cmd_vel", format!("does not pass from /there (host {host}) to /here: no rule lets it pass")),
        ("/state", format!("does not pass from /here to /there (host {host}): no rule lets it pass")),
        (
            "/add",
            format!("does not pass from /here to /there (host {host}): stopped by `deny: /add` in line 6"),
        ),
    ];
    let expected = expected.map(|(name, message)| (name.to_owned(), message));
    let names = |all: &[(String, String)]| -> Vec<(String, String)> {
        all.iter().filter(|(name, _)| name.starts_with('/')).cloned().collect()
    };
    wait("what the rules stop", || names(&statuses(&doctor(&folders[0]))).len() == expected.len());
    let said = doctor(&folders[0]);
    let all = statuses(&said);
    assert_eq!(names(&all), expected);
    assert!(all[0].0 == "this bridge" && all[0].1.contains("domain 0, at tcp/127.0.0.1:"), "{all:?}");
    let link = all.iter().find(|(name, _)| *name == format!("host {host}")).unwrap();
    assert!(link.1.starts_with("tcp/127.0.0.1:"), "{all:?}");
    assert!(said["problems"].as_array().unwrap().is_empty(), "{said:#}");
}

/// Returns the name of this host.
fn host_name() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim().to_owned()
}

#[test]
fn sessions_that_announce_too_much_are_told_and_shown_when_there_is_room() {
    const MORE: usize = 7;
    let hosts = TwoHosts::new();
    let here = Spun::new(&hosts.folders[0], "here");
    let node = ZenohNode::connected_to(&hosts.bridges[0]);
    let ty = ("std_msgs/msg/UInt64", TypeHash::UNKNOWN);
    for number in 0..MAX_OF_SESSION + MORE {
        node.announce(EntityKind::Publisher, &format!("/topic{number}"), ty, QoS::keep_last(1));
    }
    let session = node.session.zid().to_string();
    let invalid = node.session.liveliness().declare_token(format!("@ros2_lv/0/{session}/0/9/XX/nonsense"));
    let invalid = invalid.wait().unwrap();
    let shown =
        || here.context.graph().endpoints.iter().filter(|end| end.topic.starts_with("/topic")).count();
    wait("the endpoints", || shown() == MAX_OF_SESSION);
    let problem = format!(
        "endpoints that are not shown (at most {MAX_OF_SESSION} of a session are): {MORE}; tokens that can't be read: 1"
    );
    let short = format!("zenoh {}", &session[..8]);
    let said = || statuses(&doctor(&hosts.folders[0]));
    wait(&problem, || said().iter().any(|(name, message)| *name == short && message.ends_with(&problem)));
    let problems = doctor(&hosts.folders[0])["problems"].to_string();
    assert!(problems.contains(&format!("/saltus_bridge: {short}")), "{problems}");
    // There is room for the last ones when the first have gone.
    invalid.undeclare().wait().unwrap();
    node.withdraw(MORE);
    wait("the other endpoints", || {
        let graph = here.context.graph();
        let has = |number: usize| graph.endpoints.iter().any(|end| end.topic == format!("/topic{number}"));
        (MAX_OF_SESSION..MAX_OF_SESSION + MORE).all(has)
    });
    assert_eq!(shown(), MAX_OF_SESSION);
    assert!(doctor(&hosts.folders[0])["problems"].as_array().unwrap().is_empty());
}

#[test]
fn a_bridge_that_is_stopped_does_not_answer_and_that_is_told() {
    let hosts = TwoHosts::new();
    let _here = Spun::new(&hosts.folders[0], "here");
    let bridge = hosts.bridges[0].id().to_string();
    let signal = |name: &str| {
        let status = Command::new("kill").args([name, bridge.as_str()]).status();
        assert!(status.unwrap().success());
    };
    signal("-STOP");
    let problems = doctor(&hosts.folders[0])["problems"].to_string();
    signal("-CONT");
    assert!(problems.contains("/saltus_bridge does not say how it is"), "{problems}");
}

#[test]
fn the_latency_between_hosts_is_told_with_the_offset_of_the_clocks() {
    let hosts = TwoHosts::new();
    let (here, there) = (Spun::new(&hosts.folders[0], "talker"), Spun::new(&hosts.folders[1], "listener"));
    let publisher = here.node.publisher::<UInt64>("/numbers").create().unwrap();
    let timer = here.node.timer(Duration::from_millis(10)).callback(move || {
        publisher.publish(&UInt64::default()).unwrap();
    });
    let _timer = timer.unwrap();
    let subscription = there.node.subscription::<UInt64>("/numbers").callback(|_| {}).unwrap();
    wait("the publisher", || subscription.status().matched == 1);
    let clock = |doctor: &Value| {
        let all = doctor["bridges"][0]["status"].as_array().unwrap().clone();
        all.iter().find_map(|one| one["values"]["clock ahead (ms)"].as_str().map(str::to_owned))
    };
    wait("the offset", || clock(&doctor(&hosts.folders[1])).is_some());
    // Both hosts are this one.
    let ahead: f64 = clock(&doctor(&hosts.folders[1])).unwrap().parse().unwrap();
    assert!(ahead.abs() < 1000.0, "{ahead} ms");
    let words = ["topic", "latency", "/numbers", "--once", "--json"];
    let output = command(&hosts.folders[1], "saltus", &words).output().unwrap();
    let line: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (line["publisher"].as_str(), line["subscription"].as_str()),
        (Some("/talker"), Some("/listener"))
    );
    let between = &line["between_hosts"];
    assert_eq!(between["from"], format!("host {}", host_name()), "{line}");
    assert!(between["count"].as_u64() > Some(10) && between["clock_ahead_ns"].is_i64(), "{line}");
    let mean = between["mean_ns"].as_i64().unwrap();
    assert!((-1_000_000_000..10_000_000_000).contains(&mean), "{line}");
    let output = command(&hosts.folders[1], "saltus", &words[..4]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("ms ahead (measured, at most "), "{text}");
    let node_info = |node| {
        let output = command(&hosts.folders[1], "saltus", &["node", "info", node]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(node_info("/listener").contains("; from when a bridge had passed the message on\n"));
}
