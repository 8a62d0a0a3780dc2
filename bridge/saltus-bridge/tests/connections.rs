//! Connections that are missing or were lost, those of several routers, and hosts that leave: what is told, and what the others see.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::{net::TcpListener, process::Stdio};

use common::{BridgeProcess, Received, Spun, ZenohNode, command, doctor, start_on, statuses, wait};
use saltus::{Publisher, QoS, advanced::TypeHash, msgs::std_msgs::msg::UInt64};
use saltus_bench_network::{LinkOptions, Network};
use saltus_e2e::ShmFolder;
use saltus_rmw::EntityKind;
use serde_json::Value;
use zenoh::Wait;

/// Returns the status with this name, if there is one.
fn status(shm: &ShmFolder, name: &str) -> Option<String> {
    statuses(&doctor(shm)).into_iter().find(|(one, _)| one == name).map(|(_, message)| message)
}

fn problems(doctor: &Value) -> String {
    doctor["problems"].to_string()
}

fn host() -> String {
    format!("host {}", std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim())
}

#[test]
fn each_address_without_a_connection_is_told_with_the_cause() {
    let folders = [ShmFolder::new(), ShmFolder::new()];
    let first = BridgeProcess::start(&folders[0], &["--router", "--listen", "tcp/127.0.0.1:0"]);
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let silent = format!("tcp/{free}");
    let words = ["--connect", &first.address, "--connect", &silent];
    let mut second = BridgeProcess::spawn_with(&folders[1], &words, Stdio::piped());
    assert!(second.says(&format!("{silent} does not answer: Connection refused")));
    let said = doctor(&folders[1]);
    let missing = format!("connection to {silent}");
    assert!(problems(&said).contains(&missing), "{said:#}");
    assert_eq!(statuses(&said).iter().filter(|(name, _)| name.starts_with("connection to ")).count(), 1);
    // The address answers now.
    let third = ShmFolder::new();
    let _third = BridgeProcess::start(&third, &["--router", "--listen", &silent]);
    wait("the connection", || status(&folders[1], &missing).is_none());
}

#[test]
fn a_bridge_in_another_domain_is_told() {
    let folders = [ShmFolder::new(), ShmFolder::new()];
    let first = BridgeProcess::start(&folders[0], &["--router", "--listen", "tcp/127.0.0.1:0"]);
    let mut other = command(&folders[1], "saltus-bridge", &["bridge", "--connect", &first.address]);
    other.env("ROS_DOMAIN_ID", "7");
    let _other = BridgeProcess::run(other, &[]);
    let node = ZenohNode::connected_to(&first);
    let session = node.session.zid().to_string();
    // More than Zenoh gives to one who does not take them at once.
    let token = |number| format!("@ros2_lv/8/{session}/{number}/{number}/NN/%/%/node{number}");
    let declare = |number| node.session.liveliness().declare_token(token(number)).wait().unwrap();
    let _nodes: Vec<_> = (0..1000).map(declare).collect();
    for domain in [7, 8] {
        let expected = format!("it is in domain {domain}, and this bridge is in domain 0");
        wait(&expected, || problems(&doctor(&folders[0])).contains(&expected));
    }
}

#[test]
fn a_host_that_was_lost_is_told_and_one_that_has_left_is_not() {
    let folders = [ShmFolder::new(), ShmFolder::new()];
    let words = ["--router", "--listen", "tcp/127.0.0.1:0"];
    let mut first = BridgeProcess::spawn_with(&folders[0], &words, Stdio::piped());
    first.wait_until_it_listens();
    let second = BridgeProcess::start(&folders[1], &["--connect", &first.address]);
    let (here, there) = (Spun::new(&folders[0], "here"), Spun::new(&folders[1], "there"));
    let publishers: Vec<_> = (0..20)
        .map(|number| there.node.publisher::<UInt64>(&format!("/topic{number}")).create().unwrap())
        .collect();
    let shown =
        || here.context.graph().endpoints.iter().filter(|end| end.topic.starts_with("/topic")).count();
    wait("the topics", || shown() == publishers.len());
    second.interrupt();
    assert!(first.says("has left: its bridge has ended"));
    wait("no topics", || shown() == 0);
    assert_eq!(status(&folders[0], &host()), None, "it has not been lost");
    let again = BridgeProcess::start(&folders[1], &["--connect", &first.address]);
    wait("the topics again", || shown() == publishers.len());
    again.kill();
    wait("the lost host", || status(&folders[0], &host()).is_some_and(|said| said.starts_with("was lost ")));
    let _third = BridgeProcess::start(&folders[1], &["--connect", &first.address]);
    wait("the host again", || {
        status(&folders[0], &host()).is_some_and(|said| said.starts_with("tcp/127.0.0.1:"))
    });
}

#[test]
fn in_a_mesh_of_three_routers_each_message_arrives_once_and_in_order() {
    let folders = [ShmFolder::new(), ShmFolder::new(), ShmFolder::new()];
    let mut bridges: Vec<BridgeProcess> = Vec::new();
    for folder in &folders {
        let mut words = vec!["--router", "--listen", "tcp/127.0.0.1:0"];
        bridges.iter().for_each(|other| words.extend(["--connect", &other.address]));
        let bridge = BridgeProcess::start(folder, &words);
        bridges.push(bridge);
    }
    let [first, second, third] = &folders;
    let (talker, listeners) =
        (Spun::new(first, "talker"), [Spun::new(second, "second"), Spun::new(third, "third")]);
    let publisher = talker.node.publisher::<UInt64>("/numbers").create().unwrap();
    let received: Vec<_> =
        listeners.iter().map(|host| Received::new(host, "/numbers", QoS::keep_last(1000))).collect();
    for one in &received {
        wait("the subscription", || one.subscription.status().matched == 1);
    }
    let numbers: Vec<u64> = (0..500).collect();
    for data in &numbers {
        publisher.publish(&UInt64 { data: *data }).unwrap();
        // No more than the publisher's queue holds, which a busy bridge may not read in time.
        let arrived = |one: &Received| one.numbers.lock().unwrap().len() as u64 + 8 > *data;
        wait("the messages before", || received.iter().all(arrived));
    }
    received.iter().for_each(|one| one.wait_for(&numbers));
}

/// Opens a publisher on one host, and a subscription on another one that is connected to it.
fn traffic(here: &Spun, there: &Spun) -> (Publisher<UInt64>, Received) {
    let publisher = here.node.publisher::<UInt64>("/traffic").create().unwrap();
    let received = Received::new(there, "/traffic", QoS::keep_last(1000));
    wait("the subscription", || received.subscription.status().matched == 1);
    (publisher, received)
}

#[test]
fn a_host_sees_the_peers_behind_the_router_of_another_host() {
    let mut network = Network::new(2).unwrap();
    let link = network.join(0, 1, &LinkOptions::default()).unwrap();
    let address = format!("tcp/{}:7447", network.address(link, 0));
    let folders = [ShmFolder::new(), ShmFolder::new(), ShmFolder::new()];
    let _router = start_on(&network, 0, &folders[0], &["--router", "--listen", "tcp/0.0.0.0:7447"]);
    // As a ROS 2 node, it listens on loopback only.
    let _peer = start_on(&network, 0, &folders[1], &[]);
    let _other = start_on(&network, 1, &folders[2], &["--connect", &address]);
    let (here, there) = (Spun::new(&folders[1], "here"), Spun::new(&folders[2], "there"));
    let (publisher, received) = traffic(&here, &there);
    publisher.publish(&UInt64 { data: 1 }).unwrap();
    received.wait_for(&[1]);
}

/// As many as in `connections.rs` of saltus-zenoh.
const MAX_GONE: usize = 4_000;

/// Announces names and takes them back, more than a connection is made for. `host` sees them.
fn pass_names(node: &ZenohNode, host: &Spun) {
    let ty = ("std_msgs/msg/UInt64", TypeHash::UNKNOWN);
    let shown = || host.context.graph().endpoints.iter().filter(|end| end.topic.starts_with("/name")).count();
    for round in 0..2 {
        for number in 0..MAX_GONE / 2 {
            node.announce(EntityKind::Publisher, &format!("/name{round}_{number}"), ty, QoS::keep_last(1));
        }
        wait("the names", || shown() == MAX_GONE / 2);
        node.withdraw(MAX_GONE / 2);
        wait("no names", || shown() == 0);
    }
}

/// Publishes until a message arrives. Both ends stay matched meanwhile.
fn message_arrives(publisher: &Publisher<UInt64>, received: &Received) {
    let mut number = 0;
    wait("a message over the new connection", || {
        number += 1;
        publisher.publish(&UInt64 { data: number }).unwrap();
        assert_eq!((publisher.status().matched, received.subscription.status().matched), (1, 1));
        !received.numbers.lock().unwrap().is_empty()
    });
    let numbers = received.numbers.lock().unwrap();
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
}

#[test]
fn a_connection_is_made_anew_after_many_names_have_gone_and_nothing_flickers() {
    let folders = [ShmFolder::new(), ShmFolder::new()];
    let first = BridgeProcess::start(&folders[0], &["--router", "--listen", "tcp/127.0.0.1:0"]);
    let mut second = BridgeProcess::spawn_with(&folders[1], &["--connect", &first.address], Stdio::piped());
    let (here, there) = (Spun::new(&folders[0], "here"), Spun::new(&folders[1], "there"));
    let (publisher, received) = traffic(&here, &there);
    pass_names(&ZenohNode::connected_to(&first), &there);
    // Either of them has ended it.
    let lost = format!("the connection to {} was lost", first.address);
    assert!(second.says_one_of(&["makes all connections anew", &lost]));
    message_arrives(&publisher, &received);
}

#[test]
fn peers_that_a_router_has_told_of_each_other_are_connected_again() {
    let folders = [ShmFolder::new(), ShmFolder::new(), ShmFolder::new()];
    let router = BridgeProcess::start(&folders[0], &["--router", "--listen", "tcp/127.0.0.1:0"]);
    let words = ["--connect", &router.address];
    let mut one = BridgeProcess::spawn_with(&folders[1], &words, Stdio::piped());
    let _two = BridgeProcess::start(&folders[2], &words);
    let (here, there) = (Spun::new(&folders[1], "here"), Spun::new(&folders[2], "there"));
    let (publisher, received) = traffic(&here, &there);
    pass_names(&ZenohNode::connected_to(&router), &there);
    let lost = format!("the connection to {} was lost", router.address);
    assert!(one.says_one_of(&["makes all connections anew", &lost]));
    message_arrives(&publisher, &received);
}
