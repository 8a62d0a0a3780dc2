//! Devices that come, go, fall silent and misbehave, and agents that are restarted.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::{
    net::UdpSocket,
    time::{Duration, Instant},
};

use common::*;
use saltus::graph::{Graph, LinkLoss};
use saltus_agent::{AgentConfig, Served, TransportOptions};
use saltus_e2e::{Random, ShmFolder};
use saltus_xrce::{ClientConfig, EndpointQos, ObjectKind, StreamId};

const QOS: EndpointQos = EndpointQos { is_transient_local: false, ..EndpointQos::WRITER };

fn chatter(link: UdpSocket, config: ClientConfig) -> Device<UdpSocket> {
    let mut device = Device::new(config, link);
    device.create_node("mcu");
    device.create_ends("rt/chatter", "std_msgs::msg::dds_::String_", QOS);
    device.connect(6);
    device
}

/// Sends a message and waits until it comes back.
fn echo(device: &mut Device<UdpSocket>, text: &str) {
    let before = device.events.data.len();
    device.write(ObjectKind::DataWriter, &string(text), StreamId::RELIABLE);
    device.run_until("the message", |device| device.events.data.len() > before);
    assert_eq!(device.events.data.last().unwrap().1, string(text));
}

#[test]
fn a_silent_device_is_gone_after_its_lease_and_its_nodes_come_back_with_it() {
    let shm = ShmFolder::new();
    let agent = TestAgent::udp(&shm);
    let host = Host::new(&shm, "host");
    let config = ClientConfig { hard_liveliness_ms: Some(500), ..ClientConfig::new(key(1)) };
    let mut device = chatter(udp_link(agent.addresses[0]), config);
    let silent_since = Instant::now();
    host.wait_for("the node", |graph| graph.nodes.iter().any(|node| node.name == "mcu"));
    host.wait_for("no node", |graph| graph.nodes.iter().all(|node| node.name != "mcu"));
    let silence = silent_since.elapsed();
    assert!(silence > Duration::from_millis(500) && silence < Duration::from_millis(2500), "{silence:?}");
    assert!(host.context.graph().endpoints.iter().all(|end| end.topic != "/chatter"));
    echo(&mut device, "back");
    // The host reads the graph soon after the message, or soon before it.
    host.wait_for("the node again", |graph| graph.nodes.iter().any(|node| node.name == "mcu"));
    assert_eq!(device.events.connected, 1, "the session goes on");
}

#[test]
fn a_device_finds_a_restarted_agent_by_itself() {
    let shm = ShmFolder::new();
    let mut agent = TestAgent::udp(&shm);
    let address = agent.addresses[0];
    let mut device = chatter(udp_link(address), ClientConfig::new(key(1)));
    for restart in 1..=3 {
        drop(agent);
        let transport = TransportOptions::Udp { address, discovery_port: None };
        agent = TestAgent::new(&shm, vec![transport.into()]);
        device.run_until("connected again", |device| device.events.connected == restart + 1);
        echo(&mut device, "after the restart");
    }
}

#[test]
fn a_device_that_was_reset_has_its_nodes_once() {
    let shm = ShmFolder::new();
    let agent = TestAgent::udp(&shm);
    let host = Host::new(&shm, "host");
    for reset in 0..20 {
        // Half of the resets keep the port.
        let link = udp_link(agent.addresses[0]);
        let mut device = chatter(link, ClientConfig::new(key(1)));
        echo(&mut device, &format!("after reset {reset}"));
        let mcus = |graph: &Graph| graph.nodes.iter().filter(|node| node.name == "mcu").count();
        host.wait_for("the node once", |graph| mcus(graph) == 1);
    }
}

#[test]
fn junk_and_floods_change_nothing_for_other_devices_and_are_counted() {
    let shm = ShmFolder::new();
    let agent = TestAgent::udp(&shm);
    let mut device = chatter(udp_link(agent.addresses[0]), ClientConfig::new(key(1)));
    let junk = udp_link(agent.addresses[0]);
    let mut random = Random::new(7);
    for round in 0..200 {
        for _ in 0..20 {
            let len = random.below(64) as usize;
            let mut bytes: Vec<u8> = (0..len).map(|_| random.below(256) as u8).collect();
            // Some look like messages of a session.
            if round % 2 == 0 && len > 4 {
                bytes[..4].copy_from_slice(&[0x81, 0x80, 0, 0]);
            }
            let _ = junk.send(&bytes);
        }
        echo(&mut device, &format!("round {round}"));
    }
    assert_eq!((device.events.connected, device.events.disconnected), (1, 0));
    let counted = || {
        let devices = report(&shm).devices;
        let agent = devices.into_iter().find(|device| device.name == "agent").unwrap().counts;
        agent.lost[LinkLoss::Malformed as usize] + agent.lost[LinkLoss::Unusable as usize]
    };
    let started = Instant::now();
    while counted() < 3000 {
        assert!(started.elapsed() < LONG, "{}", counted());
        std::thread::yield_now();
    }
}

#[test]
fn a_message_that_is_too_long_for_a_device_is_counted() {
    let shm = ShmFolder::new();
    let agent = TestAgent::udp(&shm);
    let host = Host::new(&shm, "host");
    let mut device = chatter(udp_link(agent.addresses[0]), ClientConfig::new(key(1)));
    let publisher = host.node.publisher::<saltus::msgs::std_msgs::msg::String>("chatter").create().unwrap();
    assert!(host.context.wait_until(LONG, || publisher.status().matched == 1));
    publisher.publish(&saltus::msgs::std_msgs::msg::String { data: "x".repeat(3000) }).unwrap();
    publisher.publish(&saltus::msgs::std_msgs::msg::String { data: "y".repeat(1000) }).unwrap();
    device.run_until("the shorter message", |device| !device.events.data.is_empty());
    assert_eq!(device.events.data[0].1, string(&"y".repeat(1000)));
    let started = Instant::now();
    while lost(&shm, LinkLoss::TooLongForDevice) != 1 {
        assert!(started.elapsed() < LONG);
        device.step();
    }
}

fn lost(shm: &ShmFolder, cause: LinkLoss) -> u64 {
    let devices = report(shm).devices.into_iter().filter(|device| device.name != "agent");
    devices.map(|device| device.counts.lost[cause as usize]).sum()
}

#[test]
fn a_device_beyond_its_rate_is_limited() {
    let shm = ShmFolder::new();
    let config = AgentConfig { max_messages_per_second: Some(50), ..AgentConfig::default() };
    let served = Served { config, ..any_udp().into() };
    let agent = TestAgent::new(&shm, vec![served]);
    let mut device = chatter(udp_link(agent.addresses[0]), ClientConfig::new(key(1)));
    for _ in 0..200 {
        device.client.write(StreamId::BEST_EFFORT, id(ObjectKind::DataWriter), &string("text")).unwrap();
        device.step();
    }
    let started = Instant::now();
    while lost(&shm, LinkLoss::OverRate) < 100 {
        assert!(started.elapsed() < LONG, "{}", lost(&shm, LinkLoss::OverRate));
        device.step();
    }
}
