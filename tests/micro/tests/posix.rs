//! The applications of the C client as processes on this host, over every transport.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::{
    fs::File,
    os::fd::{AsFd, OwnedFd},
    path::{Path, PathBuf},
    process::Command,
    thread::{self, JoinHandle},
    time::Duration,
};

use common::{checks::*, *};
use rustix::{
    event::{PollFd, PollFlags, poll},
    net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, accept, bind, listen, socket_with},
};
use saltus_e2e::ShmFolder;
use saltus_micro_e2e::host_program;

/// Starts an application of the C client.
fn app(name: &str, words: &[&str]) -> Program {
    Program::start(Command::new(host_program(name)).args(words))
}

#[test]
fn topics_and_services_pass_over_udp_and_tcp() {
    for transport in ["udp", "tcp"] {
        let shm = ShmFolder::new();
        let port = free_port();
        let host = Host::new(&shm, "host");
        let _agent = agent(&shm, transport, &port);
        let words = [transport, "127.0.0.1", &port];
        let (mut talker, mut adder) = (app("talker_listener", &words), app("add_two_ints", &words));
        check_topics(&host);
        check_services(&host);
        assert!(talker.ends_well() && adder.ends_well());
        host.wait_for("no device", |graph| !has_node(graph, "/mcu/talker") && !has_node(graph, "/mcu/adder"));
    }
}

#[test]
fn a_sensor_has_parameters_a_lifecycle_an_action_and_the_time() {
    let shm = ShmFolder::new();
    let port = free_port();
    let host = Host::new(&shm, "host");
    let _agent = agent(&shm, "udp", &port);
    let _sensor = app("sensor", &["udp", "127.0.0.1", &port]);
    host.wait_for("the sensor", |graph| has_node(graph, "/mcu/sensor"));
    check_parameters(&host);
    check_lifecycle(&host);
    check_action(&host);
    check_time(&host, Duration::from_millis(5));
}

/// Copies bytes between two pseudo-terminals. The agent opens one, and a program the other.
struct SerialLine {
    ends: [PathBuf; 2],
    _copying: JoinHandle<()>,
}

impl SerialLine {
    fn new() -> Self {
        let [a, b] = [(); 2].map(|()| {
            let flags = rustix::pty::OpenptFlags::RDWR | rustix::pty::OpenptFlags::NOCTTY;
            let master = rustix::pty::openpt(flags).unwrap();
            rustix::pty::grantpt(&master).unwrap();
            rustix::pty::unlockpt(&master).unwrap();
            let name = rustix::pty::ptsname(&master, Vec::new()).unwrap();
            let path = PathBuf::from(name.into_string().unwrap());
            // It stays open, so that the line does not hang up while a program is away.
            let held = File::options().read(true).write(true).open(&path).unwrap();
            let mut settings = rustix::termios::tcgetattr(&held).unwrap();
            settings.make_raw();
            rustix::termios::tcsetattr(&held, rustix::termios::OptionalActions::Now, &settings).unwrap();
            (master, path, held)
        });
        let ends = [a.1, b.1];
        let copying = thread::spawn(move || copy([a.0, b.0], [a.2, b.2]));
        Self { ends, _copying: copying }
    }
}

/// Copies until the process of the tests ends.
fn copy(masters: [OwnedFd; 2], _held: [File; 2]) {
    loop {
        let mut polled = [0, 1].map(|end| PollFd::new(&masters[end], PollFlags::IN));
        poll(&mut polled, None).unwrap();
        let ready = polled.map(|one| one.revents().contains(PollFlags::IN));
        for from in (0..2).filter(|end| ready[*end]) {
            let mut bytes = [0; 1024];
            let len = rustix::io::read(&masters[from], &mut bytes).unwrap();
            let mut rest = &bytes[..len];
            while !rest.is_empty() {
                let written = rustix::io::write(&masters[1 - from], rest).unwrap();
                rest = &rest[written..];
            }
        }
    }
}

#[test]
fn topics_and_services_pass_over_a_serial_line() {
    let line = SerialLine::new();
    let device = line.ends[1].to_str().unwrap();
    for (name, check) in [("talker_listener", check_topics as fn(&Host)), ("add_two_ints", check_services)] {
        let shm = ShmFolder::new();
        let host = Host::new(&shm, "host");
        let _agent = agent(&shm, "serial", line.ends[0].to_str().unwrap());
        let mut program = app(name, &["serial", device, "115200"]);
        check(&host);
        assert!(program.ends_well());
    }
}

/// A CAN bus with two members: each frame of one goes to the other.
fn can_bus(path: &Path) -> JoinHandle<()> {
    let bus = socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).unwrap();
    bind(&bus, &SocketAddrUnix::new(path).unwrap()).unwrap();
    listen(&bus, 2).unwrap();
    thread::spawn(move || {
        let members = [(); 2].map(|()| accept(&bus).unwrap());
        loop {
            let mut polled =
                [0, 1].map(|member| PollFd::from_borrowed_fd(members[member].as_fd(), PollFlags::IN));
            poll(&mut polled, None).unwrap();
            let ready = polled.map(|one| one.revents().contains(PollFlags::IN));
            for from in (0..2).filter(|member| ready[*member]) {
                let mut frame = [0; 128];
                match rustix::io::read(&members[from], &mut frame) {
                    Ok(len) if len > 0 => {
                        // A member that is gone gets nothing.
                        let _ = rustix::io::write(&members[1 - from], &frame[..len]);
                    }
                    _ => return,
                }
            }
        }
    })
}

#[test]
fn topics_pass_over_can_fd_in_fragments() {
    let shm = ShmFolder::new();
    let path = shm.path().join("can");
    let _bus = can_bus(&path);
    let host = Host::new(&shm, "host");
    let _agent = agent(&shm, "can", path.to_str().unwrap());
    let words = ["can", path.to_str().unwrap(), "0x123"];
    let _talker = app("talker_listener", &words);
    check_topics(&host);
}

#[test]
fn an_application_comes_back_after_its_agent_was_killed() {
    let shm = ShmFolder::new();
    let port = free_port();
    let host = Host::new(&shm, "host");
    let mut program = app("talker_listener", &["udp", "127.0.0.1", &port]);
    for _ in 0..3 {
        let mut agent = agent(&shm, "udp", &port);
        program.wait_for("ready");
        check_topics(&host);
        agent.kill();
        host.wait_for("no ghost of the device", |graph| !has_node(graph, "/mcu/talker"));
        program.wait_for("disconnected");
    }
}

#[test]
fn a_device_that_died_is_gone_after_its_lease() {
    let shm = ShmFolder::new();
    let port = free_port();
    let host = Host::new(&shm, "host");
    let _agent = agent(&shm, "udp", &port);
    let mut program = app("talker_listener", &["udp", "127.0.0.1", &port]);
    check_topics(&host);
    program.kill();
    host.wait_for("no device", |graph| !has_node(graph, "/mcu/talker"));
}

/// Compiles a text as C++, with all warnings as errors.
fn compile_as_cxx(standard: &str, text: &str) {
    let micro = saltus_micro_e2e::root().join("micro");
    let mut compiler = Command::new("c++");
    compiler.args([
        &format!("-std={standard}"),
        "-x",
        "c++",
        "-Wall",
        "-Wextra",
        "-pedantic",
        "-Werror",
        "-fsyntax-only",
    ]);
    for folder in ["include", "msgs", "port/posix", "port/freertos", "."] {
        compiler.arg("-I").arg(micro.join(folder));
    }
    let mut child = compiler.arg("-").stdin(std::process::Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "{standard}");
}

#[test]
fn the_headers_and_the_example_are_cxx_too() {
    let mut headers = String::from("#include \"saltus/saltus.h\"\n#include \"saltus_posix.h\"\n");
    for header in headers_below(&saltus_micro_e2e::root().join("micro/msgs")) {
        headers += &format!("#include \"{}\"\n", header.display());
    }
    headers += "static saltus_qos_t qos = SALTUS_QOS_DEFAULT;\nint main() { return qos.reliable ? 0 : 1; }\n";
    for standard in ["c++11", "c++14", "c++17", "c++20"] {
        compile_as_cxx(standard, &headers);
        compile_as_cxx(standard, "#include \"examples/numbers.c\"\n");
    }
}

/// Returns the paths of all headers below a folder.
fn headers_below(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let below = |path: std::path::PathBuf| match path.is_dir() {
        true => headers_below(&path),
        false => Vec::from_iter((path.extension() == Some("h".as_ref())).then_some(path)),
    };
    paths.flat_map(below).collect()
}
