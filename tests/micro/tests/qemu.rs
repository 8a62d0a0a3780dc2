//! The firmware in QEMU: on bare metal over a UART, on a Cortex-M4 and a Cortex-M33; and on FreeRTOS with lwIP over
//! Ethernet.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::{
    io::{BufRead, BufReader, Write},
    os::unix::net::UnixStream,
    path::PathBuf,
    process::Command,
    time::Duration,
};

use common::{checks::*, *};
use saltus_e2e::ShmFolder;
use saltus_micro_e2e::firmware;

/// The largest error of a device's estimate of the host's time.
const CLOCK_TOLERANCE: Duration = Duration::from_millis(5);

/// A board that QEMU emulates.
struct Board {
    program: Program,
    /// The control socket of QEMU.
    control: PathBuf,
}

impl Board {
    /// Starts a firmware. `words` are its words on the debugger's command line, after its key.
    fn start(shm: &ShmFolder, board: &str, name: &str, words: &[&str], devices: &[&str]) -> Self {
        let control = shm.path().join(format!("{name}.control"));
        let mut semihosting =
            "enable=on,target=native,chardev=console,arg=firmware,arg=0x51A70501".to_owned();
        words.iter().for_each(|word| semihosting += &format!(",arg={word}"));
        let mut command = Command::new("qemu-system-arm");
        command.args(["-M", board, "-display", "none", "-monitor", "none", "-chardev", "stdio,id=console"]);
        command.arg("-kernel").arg(firmware(board, name)).args(["-semihosting-config", &semihosting]);
        command.arg("-qmp").arg(format!("unix:{},server=on,wait=off", control.display())).args(devices);
        Self { program: Program::start(&mut command), control }
    }

    /// Starts a firmware with its second UART at a pseudo-terminal. Returns the path of that, too.
    fn with_uart(shm: &ShmFolder, board: &str, name: &str) -> (Self, String) {
        let mut started = Self::start(shm, board, name, &[], &["-serial", "null", "-serial", "pty"]);
        let line = started.program.wait_for("redirected to");
        let path = line.split_whitespace().find(|word| word.starts_with("/dev/")).unwrap().to_owned();
        (started, path)
    }

    /// Starts a firmware with a network, in which the host has the address 10.0.2.2.
    fn with_network(shm: &ShmFolder, name: &str, port: &str) -> Self {
        Self::start(shm, "mps2-an386", &format!("{name}_freertos"), &["10.0.2.2", port], &["-nic", "user"])
    }

    /// Resets the board.
    fn reset(&self) {
        let mut control = UnixStream::connect(&self.control).unwrap();
        let mut answers = BufReader::new(control.try_clone().unwrap()).lines();
        answers.next().unwrap().unwrap();
        for command in ["qmp_capabilities", "system_reset"] {
            writeln!(control, "{{\"execute\": \"{command}\"}}").unwrap();
            // Events may come between the answers.
            while !answers.next().unwrap().unwrap().contains("return") {}
        }
    }
}

/// Runs an application on a board over its UART, and a check on the host.
fn over_uart(board: &str, name: &str, check: impl FnOnce(&Host)) {
    let shm = ShmFolder::new();
    let host = Host::new(&shm, "host");
    let (_firmware, device) = Board::with_uart(&shm, board, name);
    let _agent = agent(&shm, "serial", &device);
    check(&host);
}

/// Runs an application on FreeRTOS over UDP, and a check on the host.
fn over_udp(name: &str, check: impl FnOnce(&Host)) {
    let shm = ShmFolder::new();
    let host = Host::new(&shm, "host");
    let port = free_port();
    let _agent = agent(&shm, "udp", &port);
    let _firmware = Board::with_network(&shm, name, &port);
    check(&host);
}

fn check_sensor(host: &Host) {
    host.wait_for("the sensor", |graph| has_node(graph, "/mcu/sensor"));
    check_parameters(host);
    check_lifecycle(host);
    check_action(host);
    check_time(host, CLOCK_TOLERANCE);
}

#[test]
fn a_cortex_m4_on_bare_metal_has_topics_services_parameters_and_actions() {
    over_uart("mps2-an386", "talker_listener", check_topics);
    over_uart("mps2-an386", "add_two_ints", check_services);
    over_uart("mps2-an386", "sensor", check_sensor);
}

#[test]
fn a_cortex_m33_on_bare_metal_has_topics_services_parameters_and_actions() {
    over_uart("mps2-an505", "talker_listener", check_topics);
    over_uart("mps2-an505", "add_two_ints", check_services);
    over_uart("mps2-an505", "sensor", check_sensor);
}

#[test]
fn freertos_with_lwip_has_topics_services_parameters_and_actions() {
    over_udp("talker_listener", check_topics);
    over_udp("add_two_ints", check_services);
    over_udp("sensor", check_sensor);
}

#[test]
fn firmware_comes_back_after_its_agent_was_killed_and_after_a_reset() {
    let shm = ShmFolder::new();
    let host = Host::new(&shm, "host");
    let port = free_port();
    let mut first = agent(&shm, "udp", &port);
    let mut firmware = Board::with_network(&shm, "talker_listener", &port);
    firmware.program.wait_for("ready");
    check_topics(&host);
    first.kill();
    host.wait_for("no ghost", |graph| !has_node(graph, "/mcu/talker"));
    firmware.program.wait_for("disconnected");
    let _second = agent(&shm, "udp", &port);
    firmware.program.wait_for("ready");
    check_topics(&host);
    firmware.reset();
    firmware.program.wait_for("started");
    firmware.program.wait_for("ready");
    check_topics(&host);
    let count =
        |graph: &saltus::graph::Graph| graph.nodes.iter().filter(|node| node.name == "talker").count();
    host.wait_for("one device", |graph| count(graph) == 1);
}

#[test]
fn firmware_on_a_serial_line_comes_back_after_its_agent_was_killed_and_after_a_reset() {
    let shm = ShmFolder::new();
    let host = Host::new(&shm, "host");
    let (mut firmware, device) = Board::with_uart(&shm, "mps2-an386", "talker_listener");
    let mut first = agent(&shm, "serial", &device);
    firmware.program.wait_for("ready");
    first.kill();
    firmware.program.wait_for("disconnected");
    let _second = agent(&shm, "serial", &device);
    firmware.program.wait_for("ready");
    check_topics(&host);
    firmware.reset();
    firmware.program.wait_for("started");
    firmware.program.wait_for("ready");
    check_topics(&host);
}
