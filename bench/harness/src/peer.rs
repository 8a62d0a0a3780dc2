//! The rows of the ping-pong: the program of each row, and whether it is available.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    error::RunError,
    options::{Options, Scenario},
};

/// One row: a program in a mode.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    /// What distinguishes rows of one peer; passed on to the program.
    pub(crate) mode: &'static str,
    /// How its reader waits.
    pub(crate) wait: &'static str,
    /// The program and its first arguments.
    pub(crate) command: Vec<PathBuf>,
    /// `Err` says why it can't run.
    pub(crate) available: Result<(), String>,
}

/// Every row of the timer test: the floor (sleeping alone), machines of Saltus, and ros_transitions on Saltus and on
/// ROS 2.
const TIMER: &[Entry] = &[
    ("clock_nanosleep", "C/sleep", "block", Origin::C("timer")),
    ("clock_nanosleep", "C/spin-tail", "spin", Origin::C("timer")),
    ("time.sleep", "Python/sleep", "block", Origin::Python("timer_sleep.py", "time")),
    ("transitions", "Python/sleep", "block", Origin::Python("timer_transitions.py", "transitions")),
    ("saltus", "Rust/block", "block", Origin::SaltusTimer),
    ("saltus", "Rust/adaptive", "adaptive", Origin::SaltusTimer),
    ("saltus", "Rust/spin-tail", "adaptive", Origin::SaltusTimer),
    ("saltus", "Python/adaptive", "adaptive", Origin::Python("timer_saltus.py", "saltus.transitions")),
    ("saltus", "Python/spin-tail", "adaptive", Origin::Python("timer_saltus.py", "saltus.transitions")),
    (
        "ros_transitions",
        "on saltus.ros",
        "adaptive",
        Origin::SaltusRos("timer_ros_transitions.py", "ros_transitions"),
    ),
    (
        "ros_transitions",
        "on rclpy",
        "block",
        Origin::RosPackage("timer_ros_transitions.py", "ros_transitions"),
    ),
];

/// Where a row comes from.
enum Origin {
    Saltus,
    /// The state machine of this program
    SaltusTimer,
    /// `bench/peers/rust`
    Rust(&'static str),
    /// `bench/peers/c`
    C(&'static str),
    /// A program of `bench/peers/ros2`
    Ros2(&'static str),
    /// A program of `bench/peers/python`, and the package that it needs
    Python(&'static str, &'static str),
    /// A program of `bench/peers/python` for rclpy, run by Saltus, and the package that it needs
    SaltusRos(&'static str, &'static str),
    /// A program of `bench/peers/python` that runs in a sourced ROS 2
    RosPython(&'static str),
    /// A program of `bench/peers/python` that runs in a sourced ROS 2, and the package that it needs
    RosPackage(&'static str, &'static str),
}

/// Name, mode, wait and origin of a row.
type Entry = (&'static str, &'static str, &'static str, Origin);

/// Every row of the topic ping-pong.
const TOPIC: &[Entry] = &[
    ("saltus", "publish/adaptive", "adaptive", Origin::Saltus),
    ("saltus", "publish/block", "block", Origin::Saltus),
    ("saltus", "publish/spin", "spin", Origin::Saltus),
    ("saltus", "loan/adaptive", "adaptive", Origin::Saltus),
    ("saltus", "untouched/adaptive", "adaptive", Origin::Saltus),
    ("saltus", "bridged/adaptive", "adaptive", Origin::Saltus),
    ("iceoryx2", "busy", "spin", Origin::Rust("peer-iceoryx2")),
    ("iceoryx2", "listener", "block", Origin::Rust("peer-iceoryx2")),
    ("zenoh", "tcp", "block", Origin::Rust("peer-zenoh")),
    ("zenoh", "tcp-shm", "block", Origin::Rust("peer-zenoh")),
    ("cyclonedds", "default", "block", Origin::C("peer-cyclonedds")),
    ("fastdds", "default", "block", Origin::C("peer-fastdds")),
    ("fastdds", "tuned-shm32", "block", Origin::C("peer-fastdds")),
    ("fastdds", "tuned-data-sharing", "block", Origin::C("peer-fastdds")),
    ("lcm", "udpm", "block", Origin::C("peer-lcm")),
    ("zeromq", "ipc", "block", Origin::C("peer-zeromq")),
    ("zeromq", "tcp", "block", Origin::C("peer-zeromq")),
    ("ros2", "rclcpp", "block", Origin::Ros2("ping_pong")),
];

/// Every row of the service bake-off: Saltus's services, Saltus's topic ping-pong for comparison, and peers that answer
/// requests. A peer uses its queries if it has them. Otherwise, it uses a topic or socket in each direction.
const SERVICE: &[Entry] = &[
    ("saltus", "publish/adaptive", "adaptive", Origin::Saltus),
    ("saltus", "publish/block", "block", Origin::Saltus),
    ("saltus", "service/adaptive", "adaptive", Origin::Saltus),
    ("saltus", "service/block", "block", Origin::Saltus),
    ("saltus", "service/spin", "spin", Origin::Saltus),
    ("zenoh", "query-tcp", "block", Origin::Rust("peer-zenoh")),
    ("zenoh", "query-tcp-shm", "block", Origin::Rust("peer-zenoh")),
    ("cyclonedds", "default", "block", Origin::C("peer-cyclonedds")),
    ("fastdds", "default", "block", Origin::C("peer-fastdds")),
    ("fastdds", "tuned-shm32", "block", Origin::C("peer-fastdds")),
    ("zeromq", "ipc", "block", Origin::C("peer-zeromq")),
    ("zeromq", "tcp", "block", Origin::C("peer-zeromq")),
    ("ros2", "rclcpp-service", "block", Origin::Ros2("service")),
];

/// Every row of the action bake-off with one goal at a time. No other peer has actions.
const ACTION: &[Entry] = &[
    ("saltus", "publish/adaptive", "adaptive", Origin::Saltus),
    ("saltus", "publish/block", "block", Origin::Saltus),
    ("saltus", "action/adaptive", "adaptive", Origin::Saltus),
    ("saltus", "action/block", "block", Origin::Saltus),
    ("ros2", "rclcpp_action", "block", Origin::Ros2("action")),
];

/// Every row of the action bake-off with many goals at a time.
const GOALS: &[Entry] = &[
    ("saltus", "goals-8/adaptive", "adaptive", Origin::Saltus),
    ("saltus", "goals-8/block", "block", Origin::Saltus),
    ("saltus", "goals-all/adaptive", "adaptive", Origin::Saltus),
    ("saltus", "goals-all/block", "block", Origin::Saltus),
    ("ros2", "rclcpp_action-8", "block", Origin::Ros2("action")),
    ("ros2", "rclcpp_action-all", "block", Origin::Ros2("action")),
];

/// Every row of the bake-off of Python programs: messages, and calls.
const PYTHON: &[Entry] = &[
    ("saltus", "native/adaptive", "adaptive", Origin::Python("peer_saltus.py", "saltus")),
    ("saltus", "native/block", "block", Origin::Python("peer_saltus.py", "saltus")),
    ("saltus", "native/spin", "spin", Origin::Python("peer_saltus.py", "saltus")),
    ("saltus", "rclpy/adaptive", "adaptive", Origin::Python("peer_saltus.py", "saltus")),
    ("saltus", "rclpy/block", "block", Origin::Python("peer_saltus.py", "saltus")),
    ("iceoryx2", "busy", "spin", Origin::Python("peer_iceoryx2.py", "iceoryx2")),
    ("iceoryx2", "listener", "block", Origin::Python("peer_iceoryx2.py", "iceoryx2")),
    ("zenoh", "tcp", "block", Origin::Python("peer_zenoh.py", "zenoh")),
    ("zenoh", "tcp-shm", "block", Origin::Python("peer_zenoh.py", "zenoh")),
    ("cyclonedds", "default", "block", Origin::Python("peer_cyclonedds.py", "cyclonedds")),
    ("ros2", "rclpy", "block", Origin::RosPython("peer_rclpy.py")),
    ("saltus", "service/adaptive", "adaptive", Origin::Python("peer_saltus.py", "saltus")),
    ("saltus", "service/block", "block", Origin::Python("peer_saltus.py", "saltus")),
    ("zenoh", "query-tcp", "block", Origin::Python("peer_zenoh.py", "zenoh")),
    ("ros2", "rclpy-service", "block", Origin::RosPython("peer_rclpy.py")),
];

/// Returns the rows that the options ask for. Returns an error if a word of the options is in no row's name.
pub(crate) fn rows(options: &Options) -> Result<Vec<Peer>, RunError> {
    let table = match options.scenario {
        Scenario::Topic => TOPIC,
        Scenario::Service => SERVICE,
        Scenario::Action => ACTION,
        Scenario::Python => PYTHON,
        Scenario::Timer => TIMER,
    };
    pick(table, options)
}

/// Returns the rows with many goals at a time that the options ask for.
pub(crate) fn goal_rows(options: &Options) -> Vec<Peer> {
    pick(GOALS, options).unwrap_or_default()
}

fn pick(table: &[Entry], options: &Options) -> Result<Vec<Peer>, RunError> {
    let names = || table.iter().map(|(name, mode, ..)| format!("{name} {mode}"));
    if let Some(word) = options.peers.iter().find(|word| !names().any(|name| name.contains(word.as_str()))) {
        let there: Vec<String> = names().collect();
        let error = format!("no row's name contains `{word}`; there are: {}", there.join(", "));
        return Err(RunError::Failed("--peers".into(), error));
    }
    let asked = |peer: &Peer| {
        let name = format!("{} {}", peer.name, peer.mode);
        options.peers.is_empty() || options.peers.iter().any(|word| name.contains(word.as_str()))
    };
    let all = table.iter().map(|(name, mode, wait, origin)| peer(name, mode, wait, origin, options));
    Ok(all.filter(asked).collect())
}

fn peer(
    name: &'static str,
    mode: &'static str,
    wait: &'static str,
    origin: &Origin,
    options: &Options,
) -> Peer {
    let (command, available) = match origin {
        Origin::Saltus => this_program(&["bench", "role"]),
        Origin::SaltusTimer => this_program(&["bench", "role", "timer"]),
        Origin::Rust(program) => built(options.peers_folder.join("../../target/release").join(program)),
        Origin::C(program) => built(options.peers_folder.join("c/build").join(program)),
        Origin::Ros2(program) => ros2(program),
        Origin::Python(program, package) => python(&options.peers_folder, program, package),
        Origin::SaltusRos(program, package) => saltus_ros(&options.peers_folder, program, package),
        Origin::RosPython(program) => ros2_python(&options.peers_folder, program),
        Origin::RosPackage(program, package) => ros2_package(&options.peers_folder, program, package),
    };
    Peer { name, mode, wait, command, available }
}

fn this_program(words: &[&str]) -> (Vec<PathBuf>, Result<(), String>) {
    match std::env::current_exe() {
        Ok(program) => (std::iter::once(program).chain(words.iter().map(PathBuf::from)).collect(), Ok(())),
        Err(error) => (Vec::new(), Err(format!("can't find this program: {error}"))),
    }
}

fn built(program: PathBuf) -> (Vec<PathBuf>, Result<(), String>) {
    let missing = || format!("not built: {} is not there; --install-peers builds it", program.display());
    let available = if program.is_file() { Ok(()) } else { Err(missing()) };
    (vec![program], available)
}

/// Returns the command of a Python program. It is available if the peers' interpreter exists and has the package.
fn python(peers: &Path, program: &str, package: &str) -> (Vec<PathBuf>, Result<(), String>) {
    let interpreter = peers.join("../../target/peers-python/bin/python");
    let has_package = Command::new(&interpreter).args(["-c", &format!("import {package}")]).output();
    let available = match has_package {
        Ok(output) if output.status.success() => Ok(()),
        Ok(_) => Err(format!("{} has no {package}; --install-peers installs it", interpreter.display())),
        Err(_) => Err(format!("{} is not there; --install-peers makes it", interpreter.display())),
    };
    (vec![interpreter, peers.join("python").join(program)], available)
}

/// Returns the command of a Python program for rclpy that Saltus runs. It is available if the peers' interpreter finds
/// the package.
fn saltus_ros(peers: &Path, program: &str, package: &str) -> (Vec<PathBuf>, Result<(), String>) {
    let interpreter = peers.join("../../target/peers-python/bin/python");
    let imports = format!("import saltus.ros, {package}");
    let has_package = Command::new(&interpreter).args(["-c", &imports]).output();
    let available = match has_package {
        Ok(output) if output.status.success() => Ok(()),
        _ => {
            Err(format!("{package} is not found by {}: put its source on PYTHONPATH", interpreter.display()))
        }
    };
    (vec![interpreter, "-m".into(), "saltus.ros".into(), peers.join("python").join(program)], available)
}

/// Returns the command of a Python program that runs in the sourced ROS 2 environment. It is available if that
/// environment has the package.
fn ros2_package(peers: &Path, program: &str, package: &str) -> (Vec<PathBuf>, Result<(), String>) {
    let command = vec!["python3".into(), peers.join("python").join(program)];
    if std::env::var_os("AMENT_PREFIX_PATH").is_none() {
        return (command, Err("no ROS 2 environment is sourced (AMENT_PREFIX_PATH is not set)".into()));
    }
    let found = Command::new("python3").args(["-c", &format!("import rclpy, {package}")]).output();
    let available = match found {
        Ok(output) if output.status.success() => Ok(()),
        _ => Err(format!("python3 finds no {package}: build it in a workspace, and source that")),
    };
    (command, available)
}

/// Returns the command of a Python program that runs in the sourced ROS 2 environment. It is available if the program
/// `ping_pong` of `bench/peers/ros2` is.
fn ros2_python(peers: &Path, program: &str) -> (Vec<PathBuf>, Result<(), String>) {
    let (_, available) = ros2("ping_pong");
    (vec!["python3".into(), peers.join("python").join(program)], available)
}

/// Returns the command of a program of `bench/peers/ros2`. It is available if a ROS 2 environment that has the package
/// is sourced.
fn ros2(program: &str) -> (Vec<PathBuf>, Result<(), String>) {
    let Ok(prefixes) = std::env::var("AMENT_PREFIX_PATH") else {
        return (Vec::new(), Err("no ROS 2 environment is sourced (AMENT_PREFIX_PATH is not set)".into()));
    };
    let path = |prefix: &str| Path::new(prefix).join("lib/saltus_bench_ros2").join(program);
    match prefixes.split(':').map(path).find(|program| program.is_file()) {
        Some(program) => (vec![program], Ok(())),
        None => (Vec::new(), Err("build bench/peers/ros2 with colcon, and source its workspace".into())),
    }
}
