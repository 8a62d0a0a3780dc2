//! A graph for a test, and verbs that run in it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::missing_panics_doc, reason = "a test fails by panicking")]

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::PathBuf,
    process::{Child, ChildStdout, Command, Output, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use saltus::{Context, Node, Publisher, context::ContextOptions};

use crate::program;

/// The longest time that a test waits for something.
pub const LONG: Duration = Duration::from_secs(20);

/// A graph for one test, in a folder that is removed at the end.
pub struct Scene {
    /// The context of the test.
    pub context: Context,
    /// The folder of the domain, which is in memory. It may contain other files of the test.
    pub folder: PathBuf,
}

impl Default for Scene {
    fn default() -> Self {
        Self::new()
    }
}

impl Scene {
    /// Creates a domain in a folder of its own.
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = PathBuf::from(format!("/dev/shm/saltus-verbs-{}-{count}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let options = ContextOptions::default().domain(0).folder(&folder).handle_signals(false);
        Self { context: options.create().expect("a context"), folder }
    }

    /// Creates a node in the process of the test.
    pub fn node(&self, namespace: &str, name: &str) -> Node {
        self.context.node(name).namespace(namespace).create().unwrap()
    }

    /// Returns a command of `saltus` in this graph. Its output is piped.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program("saltus"));
        command.args(arguments).env("SALTUS_SHM_DIR", &self.folder).env("ROS_DOMAIN_ID", "0");
        command.env_remove("SALTUS_INTERFACE_PATH").env_remove("AMENT_PREFIX_PATH");
        command.env("XDG_DATA_HOME", self.folder.join("data"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a verb, and returns its output.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs a verb that must succeed. Returns its output.
    pub fn text(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a verb that must fail. Returns its error text.
    pub fn failure(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    }

    /// Starts a verb.
    pub fn start(&self, arguments: &[&str]) -> Running {
        let mut child = self.command(arguments).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Running { child, output }
    }

    /// Runs a verb that reads a topic. Returns its output. The messages are published after the verb's subscription is
    /// matched.
    pub fn echo(
        &self,
        publisher: &Publisher<impl saltus::cdr::Message>,
        arguments: &[&str],
        send: impl FnOnce(),
    ) -> String {
        let mut echo = self.start(arguments);
        assert!(publisher.wait_for_subscriptions(1, LONG), "{arguments:?}");
        send();
        let mut text = String::new();
        echo.output.read_to_string(&mut text).unwrap();
        assert!(echo.child.wait().unwrap().success());
        assert!(self.context.wait_until(LONG, || publisher.subscription_count() == 0));
        text
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A verb that is running.
pub struct Running {
    /// The process. It is killed when this value is dropped.
    pub child: Child,
    /// The standard output of the process.
    pub output: BufReader<ChildStdout>,
}

impl Running {
    /// Returns the next line of the output, with its end.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line
    }

    /// Sends the signal of Ctrl-C, and returns the exit code of the verb.
    pub fn interrupt(&mut self) -> Option<i32> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
