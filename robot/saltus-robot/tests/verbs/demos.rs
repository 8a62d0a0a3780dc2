//! The demo and the keyboard, in a terminal that a test writes to.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read, Write},
    os::fd::OwnedFd,
    process::{Child, Stdio},
    sync::mpsc::channel,
};

use rustix::{
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{LocalModes, tcgetattr},
};
use saltus::{
    Executor, SingleThreadedExecutor,
    msgs::{geometry_msgs::msg::Twist, nav_msgs::msg::Odometry},
};

use super::{LONG, Running, Scene};

/// Opens a terminal: the side of the test, and that of the command.
fn terminal() -> (File, OwnedFd) {
    let own = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&own).unwrap();
    unlockpt(&own).unwrap();
    let name = ptsname(&own, Vec::new()).unwrap();
    let other = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    (own.into(), other.into())
}

/// Starts a verb whose input is a terminal.
fn start(scene: &Scene, words: &[&str]) -> (Running, File, OwnedFd) {
    let (own, other) = terminal();
    let mut command = scene.command(words);
    let mut child =
        command.stdin(Stdio::from(other.try_clone().unwrap())).stderr(Stdio::null()).spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    (Running { child, output }, own, other)
}

#[test]
fn ctrl_c_on_the_way_to_a_goal_ends_the_demo_without_an_error() {
    let scene = Scene::new();
    let mut command = scene.command(&["demo", "nav", "--headless"]);
    let folder = scene.folder.join("logs");
    let mut child = command.env("ROS_LOG_DIR", &folder).spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.starts_with("Goal 1 of 3")));
    assert_eq!(Running { child, output }.interrupt(), Some(0));
    let rest: Vec<String> = lines.collect();
    assert!(rest.iter().all(|line| !line.contains("saltus:")), "{rest:?}");
}

#[test]
fn keys_drive_and_the_terminal_is_as_before() {
    let scene = Scene::new();
    let node = scene.node("/", "robot");
    let (send, twists) = channel();
    let _subscription = node
        .subscription("/base/cmd_vel")
        .callback(move |twist: Twist| {
            let _ = send.send(twist);
        })
        .unwrap();
    let (mut running, mut own, other) =
        start(&scene, &["teleop", "--topic", "/base/cmd_vel", "--speed", "0.5", "--turn", "1"]);
    let before = |mode| tcgetattr(&other).unwrap().local_modes.contains(mode);
    assert!(scene.context.wait_until(LONG, || !before(LocalModes::ECHO)));
    let mut executor = SingleThreadedExecutor::new(&scene.context).unwrap();
    executor.add_node(&node);
    let graph = || scene.context.graph();
    let is_there =
        || graph().endpoints.iter().any(|end| end.topic == "/base/cmd_vel" && end.node != node.gid());
    assert!(scene.context.wait_until(LONG, is_there));
    let mut press = |keys: &[u8]| {
        own.write_all(keys).unwrap();
        loop {
            executor.spin_once(Some(LONG)).unwrap();
            if let Ok(twist) = twists.try_recv() {
                return (twist.linear.x, twist.angular.z);
            }
        }
    };
    assert_eq!(press(b"\x1b[A"), (0.5, 0.0));
    assert_eq!(press(b"j"), (0.0, 1.0));
    assert_eq!(press(b"k"), (0.0, 0.0));
    assert_eq!(press(b"i"), (0.5, 0.0));
    assert_eq!(running.interrupt(), Some(0));
    executor.spin_once(Some(LONG)).unwrap();
    assert_eq!(twists.try_recv().unwrap(), Twist::default());
    assert!(before(LocalModes::ECHO | LocalModes::ICANON));
    let error = scene.failure(&["teleop"]);
    assert_eq!(
        error,
        "saltus: the keyboard is read from a terminal, and the input of this command is none\n"
    );
}

/// A process that does not outlive its test.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_demo_drives_a_robot_and_shows_it() {
    let scene = Scene::new();
    let node = scene.node("/", "observer");
    let (send, positions) = channel();
    let position = move |odometry: Odometry| {
        let _ = send.send(odometry.pose.pose.position.x);
    };
    let _subscription = node.subscription("odom").callback(position).unwrap();
    let (own, other) = terminal();
    let mut command = scene.command(&["demo", "drive", "--port", "0", "--factor", "5"]);
    command.stdin(Stdio::from(other)).stdout(Stdio::null());
    let mut child = Killed(command.spawn().unwrap());
    let errors = std::io::BufReader::new(child.0.stderr.take().unwrap());
    let mut lines = std::io::BufRead::lines(errors).map_while(Result::ok);
    let url = lines
        .find_map(|line| line.split_whitespace().find(|word| word.starts_with("http://")).map(str::to_owned));
    let url = url.unwrap();
    // What it says later must not fill the pipe.
    std::thread::spawn(move || lines.for_each(drop));
    let (address, path) = url.trim_start_matches("http://").split_once('/').unwrap();
    let mut page = std::net::TcpStream::connect(address).unwrap();
    write!(page, "GET /{path} HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
    let mut answer = String::new();
    page.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.contains("<title>Saltus</title>"), "{answer}");
    // The description of the robot connects its laser with the world.
    let echo = scene.text(&["tf", "echo", "odom", "base_scan", "--once"]);
    assert!(echo.contains("\n- Translation: [-2.064, -0.500, 0.132]\n"), "{echo}");
    let mut executor = SingleThreadedExecutor::new(&scene.context).unwrap();
    executor.add_node(&node);
    (&own).write_all(b"i").unwrap();
    let mut last = f64::NEG_INFINITY;
    while last < -1.9 {
        executor.spin_once(Some(LONG)).unwrap();
        last = positions.try_iter().last().unwrap_or(last);
    }
    // All of it ends.
    rustix::process::kill_process(rustix::process::Pid::from_child(&child.0), rustix::process::Signal::INT)
        .unwrap();
    assert_eq!(child.0.wait().unwrap().code(), Some(0));
}
