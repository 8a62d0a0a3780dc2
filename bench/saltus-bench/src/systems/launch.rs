//! `saltus bench launch`: a launch file with nodes that do nothing, run by `saltus launch` and by ROS 2's `ros2 launch`.

use std::{
    env,
    ffi::OsStr,
    fs,
    io::{BufRead, BufReader},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use procfs::process::{Process, all_processes};
use rustix::process::{Pid, Signal, kill_process_group};
use saltus_bench_traffic::{ANNOUNCE, ANNOUNCEMENT};

use super::{
    cost::{Cost, with_children},
    installed::{forget_libraries, install},
    measured::Measured,
    middleware::PEERS,
    setup::CHECK,
    table::{Column, failures, head, interleave, row, run},
    ways::{IDLE, PACKAGE},
};
use crate::{
    child::wait_until_ended,
    error::RunError,
    interrupt,
    machine::Machine,
    process::{Folder, saltus_command},
    report::print,
    ros2::{self, Rmw},
};

/// The longest time that the nodes may take to be there, and to end.
const NODES_TIMEOUT: Duration = Duration::from_secs(30);
/// The time for which everything runs before its memory is measured.
const SETTLING: Duration = Duration::from_millis(500);

/// The options of the measurement.
#[derive(Clone, Debug)]
pub(crate) struct LaunchOptions {
    /// The number of nodes.
    pub(crate) nodes: usize,
    /// The number of interleaved runs.
    pub(crate) runs: usize,
    /// The middlewares under ROS 2's launch that are measured if ROS 2 is sourced.
    pub(crate) rmws: Vec<Rmw>,
    /// A folder for the table.
    pub(crate) out: Option<PathBuf>,
}

/// A program that runs the launch file, and how its nodes run.
#[derive(Clone, Copy, Debug)]
struct Subject {
    /// `None` for Saltus.
    rmw: Option<Rmw>,
    /// Whether all nodes are in one container. Otherwise each one is a process.
    in_container: bool,
}

/// The results of one run.
struct Outcome {
    /// Seconds from the start of the command until all nodes are there.
    ready: f64,
    /// Seconds of CPU time until then, of all processes.
    cpu: f64,
    /// Bytes of RAM of all processes, and of those that are not nodes.
    pss: u64,
    launcher_pss: u64,
    /// Seconds from Ctrl-C until the command has ended.
    end: f64,
    /// The number of processes that are left then.
    left: usize,
}

const COLUMNS: [Column<Outcome>; 6] = [
    ("all nodes there s", |outcome| outcome.ready, 3),
    ("CPU time until then s", |outcome| outcome.cpu, 2),
    ("PSS MB", |outcome| outcome.pss as f64 / 1e6, 1),
    ("of the launcher PSS MB", |outcome| outcome.launcher_pss as f64 / 1e6, 1),
    ("end s", |outcome| outcome.end, 3),
    ("processes left", |outcome| outcome.left as f64, 0),
];

impl Measured for Subject {
    fn name(&self) -> String {
        let program =
            self.rmw.map_or("saltus launch".into(), |rmw| format!("ros2 launch, rclcpp/{}", rmw.name()));
        format!("{program}, {}", if self.in_container { "one container" } else { "processes" })
    }

    fn is_peer(&self) -> bool {
        self.rmw.is_some()
    }
}

/// Runs the launch file with each program, and prints a table.
pub(crate) fn run_launch(options: &LaunchOptions) -> Result<(), RunError> {
    run(|| table(options), options.out.as_deref())
}

fn table(options: &LaunchOptions) -> Result<String, RunError> {
    let prefix = install()?;
    let mut text = format!("{}\n", Machine::describe().one_line());
    let mut programs = vec![None];
    for rmw in &options.rmws {
        let found = ros2::find(ros2::PACKAGE, "nodes", *rmw).and_then(|_| ros2_program());
        match found.and_then(|_| forget_libraries(ros2::prefixes()?)) {
            Ok(()) => programs.push(Some(*rmw)),
            Err(error) => text += &format!("\nros2 launch on {} was not measured: {error}\n", rmw.name()),
        }
    }
    print(&text)?;
    let ways = |rmw| [false, true].map(|in_container| Subject { rmw, in_container });
    let subjects: Vec<Subject> = programs.into_iter().flat_map(ways).collect();
    let outcomes = interleave(options.runs, &subjects, |run, row| {
        eprintln!("[{}/{}] {}", run + 1, options.runs, subjects[row].name());
        subjects[row].measure(options.nodes, &prefix)
    })?;
    let mut table = format!(
        "\nlaunch: {} idle nodes from one file in YAML; {} interleaved runs, medians\n\n",
        options.nodes, options.runs
    );
    table += &head(&["launched by"], &COLUMNS);
    for (subject, outcomes) in subjects.iter().zip(&outcomes) {
        table += &row(&[&subject.name()], &COLUMNS, &outcomes.runs);
    }
    table += &failures(&subjects, &outcomes);
    print(&table)?;
    Ok(text + &table)
}

/// Returns the path of the program `ros2`.
fn ros2_program() -> Result<PathBuf, String> {
    let folders = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&folders).map(|folder| folder.join("ros2")).find(|path| path.is_file());
    found.ok_or_else(|| "there is no program `ros2` in PATH".into())
}

impl Subject {
    fn measure(self, nodes: usize, prefix: &Path) -> Result<Outcome, RunError> {
        let (shm, files) = (Folder::new()?, Folder::on_disk()?);
        let file = files.path().join("idle.launch.yaml");
        let write = fs::write(&file, self.launch_file(nodes));
        write.map_err(|error| RunError::Start(file.display().to_string(), error))?;
        let mut command = self.command(&file)?;
        command.env("SALTUS_SHM_DIR", shm.path()).env("ROS_LOG_DIR", files.path().join("log"));
        command.env("SALTUS_PREFIX_PATH", prefix).env_remove("SALTUS_PLACEMENT").env(ANNOUNCE, "1");
        let begin = Instant::now();
        let mut launch = Launch::start(command)?;
        let ready = launch.wait_for_nodes(nodes)?.duration_since(begin).as_secs_f64();
        let pids = with_children([launch.root.id()].into_iter());
        let cpu = Cost::of(&pids)?.cpu;
        interrupt::sleep_until(saltus::time::monotonic_now() + SETTLING.as_nanos() as u64)?;
        let pss = Cost::of(&pids)?.pss;
        let launcher_pss = Cost::of(&self.launcher(&pids))?.pss;
        let end = launch.end()?;
        // Before the value is dropped, which ends what is left.
        let left = left(shm.path());
        drop(launch);
        Ok(Outcome { ready, cpu, pss, launcher_pss, end, left })
    }

    /// Returns the processes that are not nodes: the command, and for Saltus the guard and the launcher.
    fn launcher(self, pids: &[i32]) -> Vec<i32> {
        pids.iter().copied().take(if self.is_peer() { 1 } else { 3 }).collect()
    }

    fn launch_file(self, nodes: usize) -> String {
        let (package, plugin) =
            if self.is_peer() { (ros2::PACKAGE, "saltus_bench::Idle") } else { (PACKAGE, IDLE) };
        let mut text = String::from("launch:\n");
        if self.in_container {
            text += "- node_container:\n    pkg: rclcpp_components\n    exec: component_container\n    name: box\n    \
                     namespace: ''\n    output: screen\n    composable_node:\n";
        }
        for number in 1..=nodes {
            text += &match (self.in_container, self.is_peer()) {
                (true, _) => format!("    - {{pkg: {package}, plugin: '{plugin}', name: idle{number}}}\n"),
                (false, true) => format!(
                    "- node: {{pkg: {package}, exec: nodes, args: '{plugin} idle{number} single inter', output: screen}}\n"
                ),
                (false, false) => {
                    format!(
                        "- node: {{pkg: {package}, exec: '{plugin}', name: idle{number}, output: screen}}\n"
                    )
                }
            };
        }
        text
    }

    fn command(self, file: &Path) -> Result<Command, RunError> {
        let failed = |error| RunError::Failed("ros2 launch".into(), error);
        let Some(rmw) = self.rmw else {
            let mut command = saltus_command()?;
            command.arg("launch").arg(file);
            return Ok(command);
        };
        let mut command = Command::new(ros2_program().map_err(failed)?);
        command.arg("launch").arg(file);
        command.envs(rmw.environment(Path::new(PEERS)).map_err(failed)?);
        // Other programs on this machine and in its network are probably in another domain.
        command.env("ROS_DOMAIN_ID", (1 + std::process::id() % 100).to_string());
        Ok(command)
    }
}

/// Returns how many processes with the environment of a launch are there.
fn left(shm: &Path) -> usize {
    let has_it = |process: &Process| {
        let value = process.environ().ok().and_then(|all| all.get(OsStr::new("SALTUS_SHM_DIR")).cloned());
        value.is_some_and(|value| *value == *shm.as_os_str())
    };
    all_processes().into_iter().flatten().flatten().filter(has_it).count()
}

/// A launch that runs. Its processes end when this value is dropped.
struct Launch {
    root: Child,
    group: Pid,
    lines: Receiver<(Instant, String)>,
}

impl Launch {
    fn start(mut command: Command) -> Result<Self, RunError> {
        let failed = |error| RunError::Start("launch".into(), error);
        // In a process group of its own, like a command of a shell.
        command.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut root = command.spawn().map_err(failed)?;
        let group = Pid::from_child(&root);
        interrupt::begin_group(group);
        let lines = root
            .stdout
            .take()
            .map(timed_lines)
            .ok_or_else(|| failed(std::io::ErrorKind::BrokenPipe.into()))?;
        Ok(Self { root, group, lines })
    }

    /// Waits until all nodes have written that they are there. Returns when the last one has.
    fn wait_for_nodes(&mut self, count: usize) -> Result<Instant, RunError> {
        let end = Instant::now() + NODES_TIMEOUT;
        let failed = |how: String| RunError::Failed("launch".into(), how);
        let (mut there, mut last) = (0, String::new());
        while Instant::now() < end {
            interrupt::check()?;
            match self.lines.recv_timeout(CHECK) {
                Ok((at, line)) => {
                    there += usize::from(line.trim_end().ends_with(ANNOUNCEMENT));
                    if there == count {
                        return Ok(at);
                    }
                    last = line;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(failed(format!("it has ended: {last}"))),
            }
        }
        Err(failed(format!("{there} of {count} nodes are there after {} s: {last}", NODES_TIMEOUT.as_secs())))
    }

    /// Ends the launch as Ctrl-C does in a terminal. Returns how long it takes, in seconds.
    fn end(&mut self) -> Result<f64, RunError> {
        let failed = |how| RunError::Failed("launch".into(), how);
        let begin = Instant::now();
        kill_process_group(self.group, Signal::INT).map_err(|error| failed(error.to_string()))?;
        wait_until_ended(&self.root, begin + NODES_TIMEOUT).map_err(failed)?;
        let time = begin.elapsed().as_secs_f64();
        match self.root.try_wait() {
            Ok(Some(_)) => Ok(time),
            _ => Err(failed(format!("it has not ended after {} s", NODES_TIMEOUT.as_secs()))),
        }
    }
}

impl Drop for Launch {
    fn drop(&mut self) {
        if let Ok(None) = self.root.try_wait() {
            // The programs end what they have started.
            let _ = kill_process_group(self.group, Signal::TERM);
            let _ = wait_until_ended(&self.root, Instant::now() + NODES_TIMEOUT);
        }
        let _ = kill_process_group(self.group, Signal::KILL);
        interrupt::end_group(self.group);
        let _ = self.root.wait();
    }
}

/// Reads the lines of a process, with the times at which they came.
fn timed_lines(stdout: ChildStdout) -> Receiver<(Instant, String)> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if sender.send((Instant::now(), line)).is_err() {
                break;
            }
        }
    });
    receiver
}
