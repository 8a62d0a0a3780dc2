//! The objects of devices in the graph, and the messages that pass through them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use common::*;
use saltus::{
    QoS,
    graph::LinkLoss,
    msgs::{
        example_interfaces::srv::{AddTwoInts, AddTwoInts_Request, AddTwoInts_Response},
        std_msgs::msg::String as Text,
    },
    types::TypeHash,
};
use saltus_agent::Served;
use saltus_domain_bridge::{BridgeOptions, Config, DomainBridge, Kind, Pattern, Rule};
use saltus_e2e::ShmFolder;
use saltus_xrce::{ClientConfig, EndpointQos, ObjectKind, StreamId};

const STRING: &str = "std_msgs::msg::dds_::String_";
const RELIABLE: EndpointQos = EndpointQos { is_transient_local: false, ..EndpointQos::WRITER };
const BEST_EFFORT: EndpointQos = EndpointQos { is_reliable: false, ..RELIABLE };

/// Starts a device with a publisher and a subscription of `/chatter`.
fn chatter(agent: &TestAgent, number: u8, qos: EndpointQos) -> Device<std::net::UdpSocket> {
    let mut device = Device::new(ClientConfig::new(key(number)), udp_link(agent.addresses[0]));
    device.create_node(&format!("mcu{number}"));
    device.create_ends("rt/chatter", STRING, qos);
    device.connect(6);
    device
}

#[test]
fn messages_pass_between_a_device_and_a_node_in_both_directions() {
    for (qos, stream) in [(RELIABLE, StreamId::RELIABLE), (BEST_EFFORT, StreamId::BEST_EFFORT)] {
        let shm = ShmFolder::new();
        let agent = TestAgent::udp(&shm);
        let host = Host::new(&shm, "host");
        let received = Arc::<Mutex<Vec<String>>>::default();
        let into = received.clone();
        let profile = if qos.is_reliable { QoS::keep_last(10) } else { QoS::sensor_data() };
        let _heard = host
            .node
            .subscription::<Text>("from_device")
            .qos(profile)
            .callback(move |text: Text| into.lock().unwrap().push(text.data))
            .unwrap();
        let mut device = Device::new(ClientConfig::new(key(1)), udp_link(agent.addresses[0]));
        device.create_node("mcu");
        device.create_ends("rt/from_device", STRING, qos);
        device.connect(6);
        host.wait_for("the publisher of the device", |graph| {
            graph.endpoints.iter().filter(|end| end.topic == "/from_device").count() == 3
        });
        let publisher = host.node.publisher::<Text>("from_device").qos(profile).create().unwrap();
        assert!(host.context.wait_until(LONG, || publisher.status().matched == 2));
        device.write(ObjectKind::DataWriter, &string("from the device"), stream);
        publisher.publish(&Text { data: "from the node".into() }).unwrap();
        device.run_until("both messages at the device", |device| device.events.data.len() == 2);
        let mut at_device: Vec<Vec<u8>> = device.events.data.iter().map(|(_, data)| data.clone()).collect();
        at_device.sort();
        assert_eq!(at_device, [string("from the node"), string("from the device")]);
        let has_both = || received.lock().unwrap().len() == 2;
        device.run_until("both messages at the node", |_| has_both());
    }
}

#[test]
fn a_device_that_delivers_to_itself_does_not_get_its_own_messages() {
    let shm = ShmFolder::new();
    let agent = TestAgent::udp(&shm);
    let host = Host::new(&shm, "host");
    let config = ClientConfig { delivers_to_itself: true, ..ClientConfig::new(key(1)) };
    let mut device = Device::new(config, udp_link(agent.addresses[0]));
    device.create_node("mcu");
    device.create_ends("rt/chatter", STRING, RELIABLE);
    device.connect(6);
    let publisher = host.node.publisher::<Text>("chatter").qos(QoS::keep_last(10)).create().unwrap();
    assert!(host.context.wait_until(LONG, || publisher.status().matched == 1));
    device.write(ObjectKind::DataWriter, &string("from the device"), StreamId::RELIABLE);
    device.run_until("the acknowledgement", |device| device.client.is_acknowledged());
    publisher.publish(&Text { data: "from the node".into() }).unwrap();
    device.run_until("the message of the node", |device| !device.events.data.is_empty());
    assert_eq!(device.events.data[0].1, string("from the node"));
}

#[test]
fn entities_of_a_device_have_it_as_their_origin_and_an_unverified_type() {
    let shm = ShmFolder::new();
    let agent = TestAgent::udp(&shm);
    let host = Host::new(&shm, "host");
    let _device = chatter(&agent, 1, RELIABLE);
    host.wait_for("the node of the device", |graph| graph.nodes.len() == 2);
    let graph = host.context.graph();
    let node = graph.nodes.iter().find(|node| node.name == "mcu1").unwrap();
    assert_eq!(node.origin.name(), "device 0x5A000001");
    for end in graph.endpoints.iter().filter(|end| end.topic == "/chatter") {
        assert_eq!((end.origin.name(), end.node), ("device 0x5A000001", node.gid));
        assert_eq!((&*end.type_name, end.type_hash), ("std_msgs/msg/String", TypeHash::UNKNOWN));
    }
    let device = report(&shm).devices.into_iter().find(|device| device.name == "device 0x5A000001").unwrap();
    assert!(device.link.starts_with("udp 127.0.0.1:"), "{device:?}");
}

#[test]
fn devices_of_one_agent_and_of_two_agents_hear_each_other() {
    let shm = ShmFolder::new();
    let agents = [TestAgent::udp(&shm), TestAgent::udp(&shm)];
    let host = Host::new(&shm, "host");
    let mut devices =
        [(0, 1), (0, 2), (1, 3)].map(|(agent, number)| chatter(&agents[agent], number, RELIABLE));
    // Both agents must know that their devices are matched with each other.
    let publisher = host.node.publisher::<Text>("chatter").create().unwrap();
    assert!(host.context.wait_until(LONG, || publisher.status().matched == 3));
    for sender in 0..devices.len() {
        let before: Vec<usize> = devices.iter().map(|device| device.events.data.len()).collect();
        let text = string(&format!("from {sender}"));
        let started = Instant::now();
        // A connection between two agents may still be made, so the message is sent until all have heard it.
        while devices.iter().zip(&before).any(|(device, before)| device.events.data.len() == *before) {
            assert!(started.elapsed() < LONG);
            devices[sender].write(ObjectKind::DataWriter, &text, StreamId::RELIABLE);
            for _ in 0..3 {
                devices.iter_mut().for_each(Device::step);
            }
        }
        assert!(devices.iter().all(|device| device.events.data.last().unwrap().1 == text));
        // Messages that were sent more than once must not be counted for the next sender.
        for _ in 0..50 {
            devices.iter_mut().for_each(Device::step);
        }
    }
}

#[test]
fn a_domain_bridge_forwards_the_entities_of_devices() {
    let shm = ShmFolder::new();
    let agent = TestAgent::udp(&shm);
    let rule = Rule::new(Kind::Topic, Pattern::parse("chatter").unwrap());
    let mut config = Config::default();
    config.add(&"0".parse().unwrap(), &"9".parse().unwrap(), false, &rule);
    let options =
        BridgeOptions { folder: Some(shm.path().into()), handle_signals: false, ..BridgeOptions::default() };
    let bridge = DomainBridge::join(&config, &options).unwrap();
    let stopper = bridge.stopper();
    let running = std::thread::spawn(move || bridge.run().unwrap());
    let options =
        saltus::context::ContextOptions::default().domain(9).folder(shm.path()).handle_signals(false);
    let other = options.create().unwrap();
    let node = other.node("elsewhere").create().unwrap();
    let subscription = node.subscription::<Text>("chatter").create().unwrap();
    let mut device = chatter(&agent, 1, RELIABLE);
    let mut heard = None;
    device.run_until("the message in the other domain", |device| {
        device.write(ObjectKind::DataWriter, &string("hello"), StreamId::RELIABLE);
        heard = subscription.take().transpose().unwrap();
        heard.is_some()
    });
    assert_eq!(heard.unwrap().0.data, "hello");
    stopper.stop();
    running.join().unwrap();
}

#[test]
fn a_device_serves_a_service() {
    let shm = ShmFolder::new();
    let agent = TestAgent::udp(&shm);
    let host = Host::new(&shm, "host");
    let mut device = Device::new(ClientConfig::new(key(1)), udp_link(agent.addresses[0]));
    device.create_node("mcu");
    device.create_service("/add_two_ints", "example_interfaces", "AddTwoInts", true);
    device.connect(2);
    let client = host.node.client::<AddTwoInts>("add_two_ints").create().unwrap();
    assert!(host.context.wait_until(LONG, || client.service_is_ready()));
    let calls: Vec<_> =
        (0..3).map(|a| client.call_async(&AddTwoInts_Request { a, b: 40 }).unwrap()).collect();
    for mut call in calls {
        device.run_until("the request", |device| !device.events.data.is_empty());
        let request = device.events.data.remove(0).1;
        let number = |index: usize| i64::from_le_bytes(request[index..index + 8].try_into().unwrap());
        let mut response = request[..24].to_vec();
        response.extend_from_slice(&(number(24) + number(32)).to_le_bytes());
        device.write(ObjectKind::Replier, &response, StreamId::RELIABLE);
        for _ in 0..3 {
            device.step();
        }
        assert_eq!(call.wait(LONG).unwrap().sum, number(24) + 40);
    }
}

#[test]
fn a_device_calls_a_service() {
    let shm = ShmFolder::new();
    let agent = TestAgent::udp(&shm);
    let host = Host::new(&shm, "host");
    let add = |request: AddTwoInts_Request| AddTwoInts_Response { sum: request.a + request.b };
    let _server = host.node.service::<AddTwoInts>("add_two_ints").callback(add).unwrap();
    let mut device = Device::new(ClientConfig::new(key(1)), udp_link(agent.addresses[0]));
    device.create_node("mcu");
    device.create_service("/add_two_ints", "example_interfaces", "AddTwoInts", false);
    device.connect(2);
    let data = [20_i64.to_le_bytes(), 22_i64.to_le_bytes()].concat();
    // The client of the device is matched with the server a moment after it was created.
    device.run_until("the response", |device| {
        device.write(ObjectKind::Requester, &data, StreamId::RELIABLE);
        device.step();
        !device.events.data.is_empty()
    });
    let (_, response) = &device.events.data[0];
    assert_eq!(i64::from_le_bytes(response[4..].try_into().unwrap()), 42);
}

#[test]
fn requests_that_are_given_up_are_counted() {
    let shm = ShmFolder::new();
    let agent = TestAgent::udp(&shm);
    let host = Host::new(&shm, "host");
    // The server keeps all requests and answers none.
    let kept = Mutex::new(Vec::new());
    let keep = move |_, responder| kept.lock().unwrap().push(responder);
    let _server = host.node.service::<AddTwoInts>("add_two_ints").deferred(keep).unwrap();
    let mut device = Device::new(ClientConfig::new(key(1)), udp_link(agent.addresses[0]));
    device.create_node("mcu");
    device.create_service("/add_two_ints", "example_interfaces", "AddTwoInts", false);
    device.connect(2);
    let unusable = || {
        let devices = report(&shm).devices.into_iter().filter(|device| device.name != "agent");
        devices.map(|device| device.counts.lost[LinkLoss::Unusable as usize]).sum::<u64>()
    };
    let served = |device: &mut Device<_>, count| {
        for _ in 0..count {
            device.write(ObjectKind::Requester, &[0; 16], StreamId::RELIABLE);
            device.run_until("acknowledged", |device| device.client.is_acknowledged());
        }
    };
    host.wait_for("the client of the device", |graph| graph.clients.len() == 1);
    served(&mut device, 200);
    device.run_until("the count", |_| unusable() >= 200 - 64);
}

#[test]
fn a_subscription_that_keeps_all_slows_only_the_device_that_publishes_to_it() {
    let shm = ShmFolder::new();
    // On a busy machine the steps below take longer than messages wait by default.
    let mut served = Served::from(any_udp());
    served.config.longest_hold = 60_000_000_000;
    let agent = TestAgent::new(&shm, vec![served]);
    let host = Host::new(&shm, "host");
    // Nobody takes its messages at first.
    let full = host.node.subscription::<Text>("chatter").qos(QoS::keep_all()).create().unwrap();
    let mut busy = Device::new(ClientConfig::new(key(1)), udp_link(agent.addresses[0]));
    busy.create_node("busy");
    busy.create_ends("rt/chatter", STRING, RELIABLE);
    busy.connect(6);
    let mut other = Device::new(ClientConfig::new(key(2)), udp_link(agent.addresses[0]));
    other.create_node("other");
    other.create_ends("rt/other", STRING, RELIABLE);
    other.connect(6);
    let text = string("text");
    let (mut sent, mut last) = (0, Instant::now());
    while last.elapsed() < Duration::from_millis(300) {
        if busy.client.write(StreamId::RELIABLE, id(ObjectKind::DataWriter), &text).is_ok() {
            (sent, last) = (sent + 1, Instant::now());
        } else {
            busy.step();
        }
        assert!(sent < 10_000, "nothing slows the device");
    }
    // A busy machine may delay one of them. The device that is full would delay each of them.
    let round_trip = |number: usize| {
        let started = Instant::now();
        other.write(ObjectKind::DataWriter, &text, StreamId::RELIABLE);
        other.run_until("its own message", |device| device.events.data.len() > number);
        started.elapsed()
    };
    let shortest = (0..5).map(round_trip).min().unwrap();
    assert!(shortest < Duration::from_millis(200), "{shortest:?}");
    let mut taken = 0;
    busy.run_until("all messages", |device| {
        while full.take().is_some() {
            taken += 1;
        }
        taken == sent && device.client.is_acknowledged()
    });
}
