//! Installs packages into a prefix, and runs their components in each way, as a user does.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod churn;
mod containers;
mod crashes;
mod launching;
mod placing;
mod prefixes;
mod watching;

use std::{
    collections::BTreeMap,
    fs::{self, File},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::{
        LazyLock,
        atomic::{AtomicU32, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use saltus::{
    Context, Executor, QoS, SingleThreadedExecutor, advanced::Gid, context::ContextOptions,
    msgs::std_msgs::msg::UInt64,
};

const LONG: Duration = Duration::from_secs(20);
const SALTUS: &str = env!("CARGO_BIN_EXE_saltus");

/// The prefix into which the packages of the tests are installed, once for all tests.
static PREFIX: LazyLock<PathBuf> = LazyLock::new(|| {
    saltus_programs::program("saltus-robot");
    let prefix = Path::new(env!("CARGO_TARGET_TMPDIR")).join("prefix");
    fs::create_dir_all(&prefix).unwrap();
    // The processes of the tests install one after the other.
    let lock = File::create(prefix.join("lock")).unwrap();
    lock.lock().unwrap();
    for package in ["examples/perception", "tests/components"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(package);
        let mut install = Command::new(SALTUS);
        install.args(["install", "--debug", "--prefix"]).arg(&prefix).arg(folder);
        // As in the workspace. Without it, the folder has four times the size.
        install.env("CARGO_PROFILE_DEV_DEBUG", "false");
        let output = install.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    prefix
});

/// A graph for one test, in a folder that is removed at the end.
struct Scene {
    context: Context,
    folder: PathBuf,
}

impl Scene {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = PathBuf::from(format!("/dev/shm/saltus-packages-{}-{count}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let options = ContextOptions::default().domain(0).folder(&folder).handle_signals(false);
        Self { context: options.create().unwrap(), folder }
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).env("SALTUS_SHM_DIR", &self.folder).env("ROS_DOMAIN_ID", "0");
        command.env("SALTUS_PREFIX_PATH", &*PREFIX).env_remove("SALTUS_PLACEMENT");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(SALTUS, arguments).output().unwrap()
    }

    /// Runs a verb that must succeed. Returns its output.
    fn text(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a verb that must fail. Returns its error text.
    fn failure(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    }

    /// Starts a program that runs until it is interrupted. Its logs are in a file.
    fn start(&self, program: &str, arguments: &[&str]) -> Running {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let log = std::env::temp_dir().join(format!(
            "saltus-log-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        ));
        let file = File::create(&log).unwrap();
        let mut command = self.command(program, arguments);
        command.process_group(0).stdout(file.try_clone().unwrap()).stderr(file);
        Running { child: command.spawn().unwrap(), log }
    }

    /// Starts a container with the node `/c`.
    fn container(&self, arguments: &[&str]) -> Running {
        let arguments = [&["container"], arguments, &["--ros-args", "-r", "__node:=c"]].concat();
        self.start(SALTUS, &arguments)
    }

    fn load(&self, package: &str, plugin: &str, arguments: &[&str]) -> String {
        self.text(&[&["component", "load", "/c", package, plugin, "--timeout", "20"], arguments].concat())
    }

    /// Returns the first message of a transient-local topic with numbers.
    fn value(&self, topic: &str) -> u64 {
        let node = self.context.node("reader").create().unwrap();
        let (sender, receiver) = mpsc::channel();
        let qos = QoS::keep_last(1).transient_local();
        let subscription = node.subscription::<UInt64>(topic).qos(qos);
        let _subscription = subscription
            .callback(move |value| {
                let _ = sender.send(value.data);
            })
            .unwrap();
        let mut executor = SingleThreadedExecutor::new(&self.context).unwrap();
        executor.add_node(&node);
        let handle = executor.handle();
        let spinning = thread::spawn(move || executor.spin().unwrap());
        let value = receiver.recv_timeout(LONG).unwrap();
        handle.cancel();
        spinning.join().unwrap();
        value
    }

    fn publish(&self, topic: &str, data: u64) {
        let node = self.context.node("writer").create().unwrap();
        let publisher = node.publisher::<UInt64>(topic).create().unwrap();
        assert!(publisher.wait_for_subscriptions(1, LONG));
        publisher.publish(&UInt64 { data }).unwrap();
    }

    /// Waits until a condition holds that is not about the graph.
    fn wait_for(&self, mut condition: impl FnMut() -> bool) {
        let end = Instant::now() + LONG;
        while !condition() {
            assert!(Instant::now() < end, "the condition did not hold in time");
            self.context.wait_until(Duration::from_millis(5), || false);
        }
    }

    /// Waits until a node with this name is in the graph that is not the other one. Returns its gid.
    fn wait_for_other_node(&self, name: &str, other: Option<Gid>) -> Gid {
        let find = || {
            let graph = self.context.graph();
            let mut nodes = graph.nodes.into_iter().filter(|node| node.name == name);
            nodes.find(|node| Some(node.gid) != other).map(|node| node.gid)
        };
        assert!(self.context.wait_until(LONG, || find().is_some()), "{name}");
        find().unwrap()
    }

    /// Waits until a node with this name is in the graph, or is not.
    fn wait_for_node(&self, name: &str, is_there: bool) {
        let has = || self.context.graph().nodes.iter().any(|node| node.name == name);
        assert!(self.context.wait_until(LONG, || has() == is_there), "{name}");
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A program that is running.
struct Running {
    child: Child,
    log: PathBuf,
}

impl Running {
    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Sends the signal of Ctrl-C. Returns the exit code.
    fn interrupt(&mut self) -> Option<i32> {
        kill_process(self.pid(), Signal::INT).unwrap();
        self.child.wait().unwrap().code()
    }

    fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.log).unwrap()).into_owned()
    }

    /// Returns the processes that this program has started, by their arguments.
    fn children(&self) -> BTreeMap<i32, String> {
        let mut children = BTreeMap::new();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let Ok(pid) = entry.file_name().to_string_lossy().parse::<i32>() else { continue };
            let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            // After the name, which may have spaces: the state and the parent.
            let after = stat.rsplit_once(") ").map_or("", |(_, after)| after);
            if after.split(' ').nth(1) == Some(&self.child.id().to_string()) && !after.starts_with('Z') {
                let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
                children.insert(pid, String::from_utf8_lossy(&words).replace('\0', " "));
            }
        }
        children
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if thread::panicking() {
            // What the program says is of interest then.
            eprintln!("{}", self.log());
        }
        let _ = kill_process_group(self.pid(), Signal::KILL);
        let _ = self.child.wait();
        let _ = fs::remove_file(&self.log);
    }
}
