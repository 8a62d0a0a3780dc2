//! The same device over each transport.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::{net::SocketAddr, os::unix::ffi::OsStrExt, path::PathBuf};

use common::*;
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, accept_with, bind, listen, socket_with,
};
use saltus_agent::TransportOptions;
use saltus_e2e::ShmFolder;
use saltus_xrce::{ClientConfig, EndpointQos, ObjectKind, StreamId};

const QOS: EndpointQos = EndpointQos { is_transient_local: false, ..EndpointQos::WRITER };

/// Publishes messages of several sizes, compares the clocks, and waits for the messages.
fn exchange(device: &mut Device<impl Link>, longest: usize) {
    device.create_node("mcu");
    device.create_ends("rt/chatter", "std_msgs::msg::dds_::String_", QOS);
    device.connect(6);
    let sizes = [0, 1, 40, 200, longest];
    for (sent, size) in sizes.into_iter().filter(|size| *size <= longest).enumerate() {
        let data = string(&"~}".repeat(size / 2));
        device.write(ObjectKind::DataWriter, &data, StreamId::RELIABLE);
        device.run_until("the message", |device| device.events.data.len() > sent);
        assert_eq!(device.events.data[sent].1, data);
    }
    // A question is not repeated by itself, and a busy machine may begin the session again. Only the last one is answered.
    let mut patience = 100;
    device.run_until("the time", |device| {
        device.client.ask_time(saltus_node::system_now().as_nanos());
        patience *= 2;
        for _ in 0..patience {
            if device.events.time.is_none() {
                device.step();
            }
        }
        device.events.time.is_some()
    });
    // Both clocks are the same. An offset is exact to half of the round trip, whatever delays a message.
    let (offset, round_trip) = device.events.time.unwrap();
    assert!(offset.unsigned_abs() <= round_trip / 2 + 1, "{offset} ns in {round_trip} ns");
}

#[test]
fn udp_over_ipv4_and_ipv6() {
    for local in ["127.0.0.1:0", "[::1]:0"] {
        let shm = ShmFolder::new();
        let transport = TransportOptions::Udp { address: local.parse().unwrap(), discovery_port: None };
        let agent = TestAgent::new(&shm, vec![transport.into()]);
        let socket = std::net::UdpSocket::bind(local).unwrap();
        socket.connect(agent.addresses[0]).unwrap();
        socket.set_read_timeout(Some(std::time::Duration::from_millis(1))).unwrap();
        exchange(&mut Device::new(ClientConfig::new(key(1)), socket), 1800);
    }
}

#[test]
fn tcp() {
    let shm = ShmFolder::new();
    let address: SocketAddr = "127.0.0.1:0".parse().unwrap();
    let agent = TestAgent::new(&shm, vec![TransportOptions::Tcp { address }.into()]);
    exchange(&mut Device::new(ClientConfig::new(key(1)), TcpLink::new(agent.addresses[0])), 1800);
}

#[test]
fn a_closed_tcp_connection_removes_the_nodes_at_once_and_a_new_one_brings_them_back() {
    let shm = ShmFolder::new();
    let address: SocketAddr = "127.0.0.1:0".parse().unwrap();
    let agent = TestAgent::new(&shm, vec![TransportOptions::Tcp { address }.into()]);
    let host = Host::new(&shm, "host");
    let mut device = Device::new(ClientConfig::new(key(1)), TcpLink::new(agent.addresses[0]));
    device.create_node("mcu");
    device.connect(1);
    host.wait_for("the node", |graph| graph.nodes.iter().any(|node| node.name == "mcu"));
    drop(device);
    host.wait_for("no node", |graph| graph.nodes.iter().all(|node| node.name != "mcu"));
    let mut device = Device::new(ClientConfig::new(key(1)), TcpLink::new(agent.addresses[0]));
    device.run_until("connected", |device| device.events.connected == 1);
    host.wait_for("the node is back", |graph| graph.nodes.iter().any(|node| node.name == "mcu"));
}

#[test]
fn a_pseudo_terminal() {
    let shm = ShmFolder::new();
    let agent = TestAgent::new(&shm, vec![TransportOptions::PseudoTerminal.into()]);
    let config = ClientConfig { mtu: 256, ..ClientConfig::new(key(1)) };
    exchange(&mut Device::new(config, SerialLink::open(&agent.terminals[0])), 900);
}

#[test]
fn serial_lines_are_opened_when_they_appear() {
    for count in 1..=2 {
        let shm = ShmFolder::new();
        // The pseudo-terminals of another agent stand for the lines.
        let folder = ShmFolder::new();
        let lines: Vec<PathBuf> = (0..count).map(|line| folder.path().join(format!("tty{line}"))).collect();
        let transport = TransportOptions::Serial { devices: lines.clone(), baud: 115_200 };
        let _agent = TestAgent::new(&shm, vec![transport.into()]);
        for (number, line) in lines.iter().enumerate() {
            let (device_end, agent_end) = terminal_pair();
            std::os::unix::fs::symlink(&agent_end, line).unwrap();
            let config = ClientConfig { mtu: 256, ..ClientConfig::new(key(number as u8 + 1)) };
            exchange(&mut Device::new(config, SerialLink::of(device_end)), 900);
        }
    }
}

/// Returns one end of a pseudo-terminal, and the path of the other end.
fn terminal_pair() -> (std::fs::File, PathBuf) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let end = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&end).unwrap();
    unlockpt(&end).unwrap();
    let path = ptsname(&end, Vec::new()).unwrap().into_string().unwrap().into();
    (end.into(), path)
}

#[test]
fn a_can_bus_on_a_socket() {
    let shm = ShmFolder::new();
    let folder = ShmFolder::new();
    let path = folder.path().join("can");
    let flags = SocketFlags::CLOEXEC;
    let listener = socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None).unwrap();
    bind(&listener, &SocketAddrUnix::new(path.as_os_str().as_bytes()).unwrap()).unwrap();
    listen(&listener, 1).unwrap();
    let _agent = TestAgent::new(&shm, vec![TransportOptions::CanSocket { path }.into()]);
    let socket = accept_with(&listener, SocketFlags::NONBLOCK).unwrap();
    let config = ClientConfig { mtu: 63, history: 16, ..ClientConfig::new(key(1)) };
    exchange(&mut Device::new(config, CanLink { socket, id: 0x123 }), 600);
}

#[test]
fn several_transports_in_one_process() {
    let shm = ShmFolder::new();
    let address: SocketAddr = "127.0.0.1:0".parse().unwrap();
    let transports = vec![
        any_udp().into(),
        TransportOptions::Tcp { address }.into(),
        TransportOptions::PseudoTerminal.into(),
    ];
    let agent = TestAgent::new(&shm, transports);
    exchange(&mut Device::new(ClientConfig::new(key(1)), udp_link(agent.addresses[0])), 1800);
    exchange(&mut Device::new(ClientConfig::new(key(2)), TcpLink::new(agent.addresses[1])), 1800);
    let config = ClientConfig { mtu: 256, ..ClientConfig::new(key(3)) };
    exchange(&mut Device::new(config, SerialLink::open(&agent.terminals[0])), 900);
}
