//! `saltus container`

use std::time::Duration;

use clap::ValueEnum;
use saltus_container::{Container as Kind, Restart, RestartPolicy, Role};

use saltus_verb::{
    error::Error,
    packages::{container_command, cpp_command, python_command, replace_process},
    reading::seconds,
    ros_args,
};

/// Parses a time before a restart.
fn delay(text: &str) -> Result<Duration, String> {
    let range = Duration::from_millis(1)..=Duration::from_secs(86_400);
    seconds(text).and_then(|delay| match range.contains(&delay) {
        true => Ok(delay),
        false => Err("expected 0.001 to 86400 seconds".into()),
    })
}

/// `saltus container …`
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  saltus container --ros-args -r __node:=perception\n  saltus container --mt --threads 4\n  \
    saltus container --isolated\n  saltus container --crash-isolated --restart always\n  saltus container --python\n  \
    saltus container --cpp\n\n\
    Load components with `saltus component load`. The node of a container is /ComponentManager if no other name is given."
)]
pub(crate) struct Container {
    /// Run the callbacks on several threads; with --isolated and --crash-isolated: those of each component
    #[arg(long)]
    mt: bool,
    /// The number of threads with --mt [default: the parameter thread_num, or the number of CPUs]
    #[arg(long, requires = "mt", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Run each component on a thread of its own
    #[arg(long, conflicts_with = "crash_isolated")]
    isolated: bool,
    /// Run each component in a process of its own; if it dies, the others go on, and it is started again
    #[arg(long)]
    crash_isolated: bool,
    /// With --crash-isolated: when to start a component again after its process has ended
    #[arg(long, requires = "crash_isolated", value_enum, default_value_t = Policy::OnFailure)]
    restart: Policy,
    /// With --crash-isolated: how long to wait before the first restart, in seconds; each further wait is twice as long
    #[arg(long, requires = "crash_isolated", value_name = "SECONDS", value_parser = delay, default_value = "0.1")]
    restart_delay: Duration,
    /// With --crash-isolated: the longest time to wait before a restart, in seconds
    #[arg(long, requires = "crash_isolated", value_name = "SECONDS", value_parser = delay, default_value = "10")]
    max_restart_delay: Duration,
    /// Run components that are Python classes, instead of those in Rust
    #[arg(long, conflicts_with = "crash_isolated")]
    python: bool,
    /// Run components that are in C++, instead of those in Rust
    #[arg(long, conflicts_with_all = ["crash_isolated", "python"])]
    cpp: bool,
    /// The arguments for the node of the container, from --ros-args on
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ROS_ARGS")]
    ros_args: Vec<String>,
}

/// When to start a component again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Policy {
    /// Never
    Never,
    /// If a signal has ended its process, or if its exit status is not 0
    OnFailure,
    /// Whenever its process has ended
    Always,
}

impl Container {
    pub(crate) fn run(self) -> Result<(), Error> {
        ros_args::check(&self.ros_args)?;
        let role = Role::Container(self.kind());
        let mut command = match (self.python, self.cpp) {
            (true, _) => python_command(&role),
            (_, true) => cpp_command(&role)?,
            _ => container_command(&role)?,
        };
        command.args(&self.ros_args);
        Err(replace_process(command))
    }

    fn kind(&self) -> Kind {
        let threads = self.threads.map(usize::from);
        let of_each = match (self.mt, threads) {
            (false, _) => 1,
            (true, Some(threads)) => threads,
            (true, None) => std::thread::available_parallelism().map_or(2, usize::from),
        };
        if self.isolated {
            Kind::Isolated { threads: of_each }
        } else if self.crash_isolated {
            let policy = match self.restart {
                Policy::Never => RestartPolicy::Never,
                Policy::OnFailure => RestartPolicy::OnFailure,
                Policy::Always => RestartPolicy::Always,
            };
            let (backoff, max_backoff) = (self.restart_delay, self.max_restart_delay.max(self.restart_delay));
            Kind::CrashIsolated { threads: of_each, restart: Restart { policy, backoff, max_backoff } }
        } else if self.mt {
            Kind::MultiThreaded { threads }
        } else {
            Kind::Single
        }
    }
}
