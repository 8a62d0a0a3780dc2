//! The rows of the ping-pong: the program of each row, and whether the program is available.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    error::RunError,
    options::{Options, Scenario},
    ros2::{PACKAGE, Rmw, find},
};

/// One row: a program in a mode.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    /// The name that distinguishes the rows of one peer. It is passed to the program.
    pub(crate) mode: &'static str,
    /// The way in which the data is written and read: see [`Key::data`](crate::row::Key::data).
    pub(crate) data: &'static str,
    /// The way in which the reader waits.
    pub(crate) wait: &'static str,
    /// Whether the client has many goals outstanding at a time.
    pub(crate) many: bool,
    /// The program and its first arguments.
    pub(crate) command: Vec<PathBuf>,
    /// The environment variables that are added for the program.
    pub(crate) environment: Vec<(&'static str, OsString)>,
    /// `Err` contains the reason why the program can't run.
    pub(crate) available: Result<(), String>,
}

/// A value is published, and an owned value is received.
const OWNED: &str = "owned";
/// The data is written to the memory that the reader reads from. The reader does not copy it.
const IN_PLACE: &str = "in place";
/// Same as [`IN_PLACE`], but only the two stamps are written and read.
pub(crate) const UNTOUCHED: &str = "untouched";
/// No data is exchanged.
const NONE: &str = "";

/// The program that runs a row.
enum Origin {
    Saltus,
    /// The state machine of this program.
    SaltusMachine,
    /// A timer of a node, in this program.
    SaltusTimer,
    /// A program of `bench/peers/rust`.
    Rust(&'static str),
    /// A program of `bench/peers/c`.
    C(&'static str),
    /// A program of `bench/peers/saltus_cpp`, or of `bench/peers/ros2` on the C++ packages of Saltus.
    SaltusCpp(&'static str),
    /// A program of `bench/peers/ros2`.
    Ros2(&'static str, Rmw),
    /// A program of `bench/peers/python`, and the package that it needs.
    Python(&'static str, &'static str),
    /// A program of `bench/peers/python` for rclpy that Saltus runs, and the package that it needs.
    SaltusRos(&'static str, &'static str),
    /// A program of `bench/peers/python` that runs in a sourced ROS 2 environment.
    RosPython(&'static str, Rmw),
    /// A program of `bench/peers/python` that runs in a sourced ROS 2 environment, and the package that it needs.
    RosPackage(&'static str, &'static str, Rmw),
}

/// The name, mode, data, wait and origin of a row.
type Entry = (&'static str, &'static str, &'static str, &'static str, Origin);

/// All rows of the topic ping-pong.
const TOPIC: &[Entry] = &[
    ("saltus", "in-place/adaptive", IN_PLACE, "adaptive", Origin::Saltus),
    ("saltus", "in-place/block", IN_PLACE, "block", Origin::Saltus),
    ("saltus", "in-place/spin", IN_PLACE, "spin", Origin::Saltus),
    ("saltus", "owned/adaptive", OWNED, "adaptive", Origin::Saltus),
    ("saltus", "owned/block", OWNED, "block", Origin::Saltus),
    ("saltus", "untouched/adaptive", UNTOUCHED, "adaptive", Origin::Saltus),
    ("saltus", "bridged/adaptive", IN_PLACE, "adaptive", Origin::Saltus),
    ("saltus", "cpp-in-place/adaptive", IN_PLACE, "adaptive", Origin::SaltusCpp("saltus_cpp/native")),
    ("saltus", "cpp-in-place/block", IN_PLACE, "block", Origin::SaltusCpp("saltus_cpp/native")),
    ("saltus", "cpp-owned/adaptive", OWNED, "adaptive", Origin::SaltusCpp("saltus_cpp/native")),
    ("saltus", "cpp-owned/block", OWNED, "block", Origin::SaltusCpp("saltus_cpp/native")),
    ("saltus", "rclcpp/adaptive", OWNED, "adaptive", Origin::SaltusCpp("ros2/ping_pong")),
    ("iceoryx2", "busy", IN_PLACE, "spin", Origin::Rust("peer-iceoryx2")),
    ("iceoryx2", "listener", IN_PLACE, "block", Origin::Rust("peer-iceoryx2")),
    ("zenoh", "tcp", OWNED, "block", Origin::Rust("peer-zenoh")),
    ("zenoh", "tcp-shm", IN_PLACE, "block", Origin::Rust("peer-zenoh")),
    ("cyclonedds", "default", OWNED, "block", Origin::C("peer-cyclonedds")),
    ("fastdds", "default", OWNED, "block", Origin::C("peer-fastdds")),
    ("fastdds", "tuned-shm32", OWNED, "block", Origin::C("peer-fastdds")),
    ("fastdds", "tuned-data-sharing", IN_PLACE, "block", Origin::C("peer-fastdds")),
    ("lcm", "udpm", OWNED, "block", Origin::C("peer-lcm")),
    ("zeromq", "ipc", OWNED, "block", Origin::C("peer-zeromq")),
    ("zeromq", "tcp", OWNED, "block", Origin::C("peer-zeromq")),
    ("ros2", "rclcpp/fastdds", OWNED, "block", Origin::Ros2("ping_pong", Rmw::FastDds)),
    ("ros2", "rclcpp/fastdds-shm32", OWNED, "block", Origin::Ros2("ping_pong", Rmw::FastDdsTuned)),
    ("ros2", "rclcpp/cyclonedds", OWNED, "block", Origin::Ros2("ping_pong", Rmw::CycloneDds)),
    ("ros2", "rclcpp/cyclonedds-64k", OWNED, "block", Origin::Ros2("ping_pong", Rmw::CycloneDdsTuned)),
];

/// All rows of the benchmark of services: Saltus's services, Saltus's topic ping-pong for comparison, and peers that
/// answer requests. A peer uses its queries if it has them, and otherwise a topic or socket in each direction.
const SERVICE: &[Entry] = &[
    ("saltus", "in-place/adaptive", IN_PLACE, "adaptive", Origin::Saltus),
    ("saltus", "in-place/block", IN_PLACE, "block", Origin::Saltus),
    ("saltus", "service/adaptive", IN_PLACE, "adaptive", Origin::Saltus),
    ("saltus", "service/block", IN_PLACE, "block", Origin::Saltus),
    ("saltus", "service/spin", IN_PLACE, "spin", Origin::Saltus),
    ("saltus", "service-owned/adaptive", OWNED, "adaptive", Origin::Saltus),
    ("saltus", "service-owned/block", OWNED, "block", Origin::Saltus),
    ("saltus", "cpp-service/adaptive", OWNED, "adaptive", Origin::SaltusCpp("saltus_cpp/service")),
    ("saltus", "rclcpp-service/adaptive", OWNED, "adaptive", Origin::SaltusCpp("ros2/service")),
    ("zenoh", "query-tcp", OWNED, "block", Origin::Rust("peer-zenoh")),
    ("zenoh", "query-tcp-shm", IN_PLACE, "block", Origin::Rust("peer-zenoh")),
    ("cyclonedds", "default", OWNED, "block", Origin::C("peer-cyclonedds")),
    ("fastdds", "default", OWNED, "block", Origin::C("peer-fastdds")),
    ("fastdds", "tuned-shm32", OWNED, "block", Origin::C("peer-fastdds")),
    ("zeromq", "ipc", OWNED, "block", Origin::C("peer-zeromq")),
    ("zeromq", "tcp", OWNED, "block", Origin::C("peer-zeromq")),
    ("ros2", "rclcpp-service/fastdds", OWNED, "block", Origin::Ros2("service", Rmw::FastDds)),
    ("ros2", "rclcpp-service/fastdds-shm32", OWNED, "block", Origin::Ros2("service", Rmw::FastDdsTuned)),
    ("ros2", "rclcpp-service/cyclonedds", OWNED, "block", Origin::Ros2("service", Rmw::CycloneDds)),
];

/// All rows of the benchmark of actions with one goal at a time. No other peer has actions.
const ACTION: &[Entry] = &[
    ("saltus", "in-place/adaptive", IN_PLACE, "adaptive", Origin::Saltus),
    ("saltus", "in-place/block", IN_PLACE, "block", Origin::Saltus),
    ("saltus", "action/adaptive", IN_PLACE, "adaptive", Origin::Saltus),
    ("saltus", "action/block", IN_PLACE, "block", Origin::Saltus),
    ("saltus", "action-owned/adaptive", OWNED, "adaptive", Origin::Saltus),
    ("saltus", "action-owned/block", OWNED, "block", Origin::Saltus),
    ("saltus", "action-feedback/adaptive", OWNED, "adaptive", Origin::Saltus),
    ("saltus", "action-feedback/block", OWNED, "block", Origin::Saltus),
    ("saltus", "cpp-action/adaptive", OWNED, "adaptive", Origin::SaltusCpp("saltus_cpp/action")),
    ("saltus", "cpp-action-feedback/adaptive", OWNED, "adaptive", Origin::SaltusCpp("saltus_cpp/action")),
    ("saltus", "rclcpp_action/adaptive", OWNED, "adaptive", Origin::SaltusCpp("ros2/action")),
    ("saltus", "rclcpp_action-feedback/adaptive", OWNED, "adaptive", Origin::SaltusCpp("ros2/action")),
    ("ros2", "rclcpp_action/fastdds", OWNED, "block", Origin::Ros2("action", Rmw::FastDds)),
    ("ros2", "rclcpp_action/fastdds-shm32", OWNED, "block", Origin::Ros2("action", Rmw::FastDdsTuned)),
    ("ros2", "rclcpp_action/cyclonedds", OWNED, "block", Origin::Ros2("action", Rmw::CycloneDds)),
    ("ros2", "rclcpp_action-feedback/fastdds", OWNED, "block", Origin::Ros2("action", Rmw::FastDds)),
    ("ros2", "rclcpp_action-feedback/cyclonedds", OWNED, "block", Origin::Ros2("action", Rmw::CycloneDds)),
];

/// All rows of the benchmark of actions with many goals at a time.
const GOALS: &[Entry] = &[
    ("saltus", "goals-8/adaptive", IN_PLACE, "adaptive", Origin::Saltus),
    ("saltus", "goals-8/block", IN_PLACE, "block", Origin::Saltus),
    ("saltus", "goals-all/adaptive", IN_PLACE, "adaptive", Origin::Saltus),
    ("saltus", "goals-all/block", IN_PLACE, "block", Origin::Saltus),
    ("saltus", "rclcpp_action-8/adaptive", OWNED, "adaptive", Origin::SaltusCpp("ros2/action")),
    ("saltus", "rclcpp_action-all/adaptive", OWNED, "adaptive", Origin::SaltusCpp("ros2/action")),
    ("ros2", "rclcpp_action-8/fastdds", OWNED, "block", Origin::Ros2("action", Rmw::FastDds)),
    ("ros2", "rclcpp_action-8/cyclonedds", OWNED, "block", Origin::Ros2("action", Rmw::CycloneDds)),
    ("ros2", "rclcpp_action-all/fastdds", OWNED, "block", Origin::Ros2("action", Rmw::FastDds)),
    ("ros2", "rclcpp_action-all/cyclonedds", OWNED, "block", Origin::Ros2("action", Rmw::CycloneDds)),
];

/// All rows of the benchmark of Python programs: messages and calls.
const PYTHON: &[Entry] = &[
    ("saltus", "native/adaptive", IN_PLACE, "adaptive", Origin::Python("peer_saltus.py", "saltus")),
    ("saltus", "native/block", IN_PLACE, "block", Origin::Python("peer_saltus.py", "saltus")),
    ("saltus", "native/spin", IN_PLACE, "spin", Origin::Python("peer_saltus.py", "saltus")),
    ("saltus", "rclpy/adaptive", OWNED, "adaptive", Origin::Python("peer_saltus.py", "saltus")),
    ("saltus", "rclpy/block", OWNED, "block", Origin::Python("peer_saltus.py", "saltus")),
    ("iceoryx2", "busy", IN_PLACE, "spin", Origin::Python("peer_iceoryx2.py", "iceoryx2")),
    ("iceoryx2", "listener", IN_PLACE, "block", Origin::Python("peer_iceoryx2.py", "iceoryx2")),
    ("zenoh", "tcp", OWNED, "block", Origin::Python("peer_zenoh.py", "zenoh")),
    ("zenoh", "tcp-shm", IN_PLACE, "block", Origin::Python("peer_zenoh.py", "zenoh")),
    ("cyclonedds", "default", OWNED, "block", Origin::Python("peer_cyclonedds.py", "cyclonedds")),
    ("ros2", "rclpy/fastdds", OWNED, "block", Origin::RosPython("peer_rclpy.py", Rmw::FastDds)),
    ("ros2", "rclpy/fastdds-shm32", OWNED, "block", Origin::RosPython("peer_rclpy.py", Rmw::FastDdsTuned)),
    ("ros2", "rclpy/cyclonedds", OWNED, "block", Origin::RosPython("peer_rclpy.py", Rmw::CycloneDds)),
    ("saltus", "service/adaptive", IN_PLACE, "adaptive", Origin::Python("peer_saltus.py", "saltus")),
    ("saltus", "service/block", IN_PLACE, "block", Origin::Python("peer_saltus.py", "saltus")),
    ("zenoh", "query-tcp", OWNED, "block", Origin::Python("peer_zenoh.py", "zenoh")),
    ("ros2", "rclpy-service/fastdds", OWNED, "block", Origin::RosPython("peer_rclpy.py", Rmw::FastDds)),
    ("ros2", "rclpy-service/cyclonedds", OWNED, "block", Origin::RosPython("peer_rclpy.py", Rmw::CycloneDds)),
];

/// All rows of the timer test: sleeping alone (the baseline), timers of nodes, machines of Saltus, and ros_transitions on Saltus
/// and on ROS 2.
const TIMER: &[Entry] = &[
    ("clock_nanosleep", "C/sleep", NONE, "block", Origin::C("timer")),
    ("clock_nanosleep", "C/spin-tail", NONE, "spin", Origin::C("timer")),
    ("saltus", "timer/adaptive", NONE, "adaptive", Origin::SaltusTimer),
    ("saltus", "timer/block", NONE, "block", Origin::SaltusTimer),
    ("saltus", "cpp-timer/adaptive", NONE, "adaptive", Origin::SaltusCpp("saltus_cpp/timer")),
    ("saltus", "cpp-timer/block", NONE, "block", Origin::SaltusCpp("saltus_cpp/timer")),
    ("saltus", "rclcpp-timer", NONE, "adaptive", Origin::SaltusCpp("ros2/timer")),
    ("ros2", "rclcpp-timer/fastdds", NONE, "block", Origin::Ros2("timer", Rmw::FastDds)),
    ("ros2", "rclcpp-timer/cyclonedds", NONE, "block", Origin::Ros2("timer", Rmw::CycloneDds)),
    ("time.sleep", "Python/sleep", NONE, "block", Origin::Python("timer_sleep.py", "time")),
    ("transitions", "Python/sleep", NONE, "block", Origin::Python("timer_transitions.py", "transitions")),
    ("saltus", "Rust/block", NONE, "block", Origin::SaltusMachine),
    ("saltus", "Rust/adaptive", NONE, "adaptive", Origin::SaltusMachine),
    ("saltus", "Rust/spin-tail", NONE, "adaptive", Origin::SaltusMachine),
    ("saltus", "Python/adaptive", NONE, "adaptive", Origin::Python("timer_saltus.py", "saltus.transitions")),
    ("saltus", "Python/spin-tail", NONE, "adaptive", Origin::Python("timer_saltus.py", "saltus.transitions")),
    (
        "ros_transitions",
        "on saltus.ros",
        NONE,
        "adaptive",
        Origin::SaltusRos("timer_ros_transitions.py", "ros_transitions"),
    ),
    (
        "ros_transitions",
        "on rclpy/fastdds",
        NONE,
        "block",
        Origin::RosPackage("timer_ros_transitions.py", "ros_transitions", Rmw::FastDds),
    ),
    (
        "ros_transitions",
        "on rclpy/cyclonedds",
        NONE,
        "block",
        Origin::RosPackage("timer_ros_transitions.py", "ros_transitions", Rmw::CycloneDds),
    ),
];

/// Returns the rows that the options select. Returns an error if a word of `--peers` is in no row's name.
pub(crate) fn rows(options: &Options) -> Result<Vec<Peer>, RunError> {
    let (table, many): (&[Entry], &[Entry]) = match options.scenario {
        Scenario::Topic => (TOPIC, &[]),
        Scenario::Service => (SERVICE, &[]),
        Scenario::Action => (ACTION, GOALS),
        Scenario::Python => (PYTHON, &[]),
        Scenario::Timer => (TIMER, &[]),
    };
    let entries = || table.iter().map(|entry| (entry, false)).chain(many.iter().map(|entry| (entry, true)));
    let names = || entries().map(|((name, mode, ..), _)| format!("{name} {mode}"));
    if let Some(word) = options.peers.iter().find(|word| !names().any(|name| name.contains(word.as_str()))) {
        let there: Vec<String> = names().collect();
        let error = format!("no row's name contains `{word}`; there are: {}", there.join(", "));
        return Err(RunError::Failed("--peers".into(), error));
    }
    let asked = |entry: &Entry| {
        let name = format!("{} {}", entry.0, entry.1);
        options.peers.is_empty() || options.peers.iter().any(|word| name.contains(word.as_str()))
    };
    Ok(entries().filter(|(entry, _)| asked(entry)).map(|(entry, many)| peer(entry, many, options)).collect())
}

fn peer((name, mode, data, wait, origin): &Entry, many: bool, options: &Options) -> Peer {
    let folder = &options.peers_folder;
    let (command, available) = match origin {
        Origin::Saltus => this_program(&["bench", "role"]),
        Origin::SaltusMachine => this_program(&["bench", "role", "machine"]),
        Origin::SaltusTimer => this_program(&["bench", "role", "timer"]),
        Origin::Rust(program) => built(folder.join("../../target/release").join(program), "--install-peers"),
        Origin::C(program) => built(folder.join("c/build").join(program), "--install-peers"),
        Origin::SaltusCpp(program) => {
            built(folder.join("../../target/cpp/bench").join(program), "`make bench-cpp`")
        }
        Origin::Ros2(program, rmw) => ros2(program, *rmw),
        Origin::Python(program, package) => python(folder, program, package),
        Origin::SaltusRos(program, package) => saltus_ros(folder, program, package),
        Origin::RosPython(program, rmw) => ros2_python(folder, program, *rmw),
        Origin::RosPackage(program, package, rmw) => ros2_package(folder, program, package, *rmw),
    };
    let environment = match origin {
        Origin::Ros2(_, rmw) | Origin::RosPython(_, rmw) | Origin::RosPackage(_, _, rmw) => {
            rmw.environment(folder)
        }
        // A sourced ROS 2 has libraries of the same names.
        Origin::SaltusCpp(_) => {
            Ok(vec![("LD_LIBRARY_PATH", folder.join("../../target/cpp/install/lib").into_os_string())])
        }
        _ => Ok(Vec::new()),
    };
    let (environment, available) = match environment {
        Ok(environment) => (environment, available),
        Err(error) => (Vec::new(), available.and(Err(error))),
    };
    Peer { name, mode, data, wait, many, command, environment, available }
}

fn this_program(words: &[&str]) -> (Vec<PathBuf>, Result<(), String>) {
    match std::env::current_exe() {
        Ok(program) => (std::iter::once(program).chain(words.iter().map(PathBuf::from)).collect(), Ok(())),
        Err(error) => (Vec::new(), Err(format!("can't find this program: {error}"))),
    }
}

fn built(program: PathBuf, builder: &str) -> (Vec<PathBuf>, Result<(), String>) {
    let missing = || format!("{} does not exist; {builder} builds it", program.display());
    let available = if program.is_file() { Ok(()) } else { Err(missing()) };
    (vec![program], available)
}

/// Returns the command of a Python program. It is available if the interpreter for the peers exists and has the
/// package.
fn python(peers: &Path, program: &str, package: &str) -> (Vec<PathBuf>, Result<(), String>) {
    let interpreter = peers.join("../../target/peers-python/bin/python");
    let has_package = Command::new(&interpreter).args(["-c", &format!("import {package}")]).output();
    let available = match has_package {
        Ok(output) if output.status.success() => Ok(()),
        Ok(_) => {
            Err(format!("{} has no package {package}; --install-peers installs it", interpreter.display()))
        }
        Err(_) => Err(format!("{} does not exist; --install-peers creates it", interpreter.display())),
    };
    (vec![interpreter, peers.join("python").join(program)], available)
}

/// Returns the command of a Python program for rclpy that Saltus runs. It is available if the interpreter for the peers
/// finds the package.
fn saltus_ros(peers: &Path, program: &str, package: &str) -> (Vec<PathBuf>, Result<(), String>) {
    let interpreter = peers.join("../../target/peers-python/bin/python");
    let imports = format!("import saltus.ros, {package}");
    let has_package = Command::new(&interpreter).args(["-c", &imports]).output();
    let available = match has_package {
        Ok(output) if output.status.success() => Ok(()),
        _ => Err(format!(
            "{} does not find {package}: add its source folder to PYTHONPATH",
            interpreter.display()
        )),
    };
    (vec![interpreter, "-m".into(), "saltus.ros".into(), peers.join("python").join(program)], available)
}

/// Returns the command of a Python program that runs in the sourced ROS 2 environment. It is available if that
/// environment has the package and the middleware.
fn ros2_package(peers: &Path, program: &str, package: &str, rmw: Rmw) -> (Vec<PathBuf>, Result<(), String>) {
    let command = vec!["python3".into(), peers.join("python").join(program)];
    let find = || {
        rmw.find()?;
        let found = Command::new("python3").args(["-c", &format!("import rclpy, {package}")]).output();
        let found = found.is_ok_and(|output| output.status.success());
        if found {
            Ok(())
        } else {
            Err(format!("python3 does not find {package}: build it in a workspace, and source the workspace"))
        }
    };
    (command, find())
}

/// Returns the command of a Python program that runs in the sourced ROS 2 environment. It is available if the program
/// `ping_pong` of `bench/peers/ros2` is available.
fn ros2_python(peers: &Path, program: &str, rmw: Rmw) -> (Vec<PathBuf>, Result<(), String>) {
    let (_, available) = ros2("ping_pong", rmw);
    (vec!["python3".into(), peers.join("python").join(program)], available)
}

/// Returns the command of a program of `bench/peers/ros2`. It is available if the sourced ROS 2 environment has the
/// program and the middleware.
fn ros2(program: &str, rmw: Rmw) -> (Vec<PathBuf>, Result<(), String>) {
    match find(PACKAGE, program, rmw) {
        Ok(program) => (vec![program], Ok(())),
        Err(error) => (Vec::new(), Err(error)),
    }
}
