//! The stack in processes of its own.

use std::{
    collections::BTreeMap,
    env, fs,
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use procfs::process::Process;
use rustix::process::{Pid, Signal, kill_process_group};

use super::types::{Case, NavOptions};
use crate::{
    child::wait_until_ended, error::RunError, interrupt, process::saltus_command, systems::with_children,
};
use saltus_container::ALLOCATOR;
use saltus_verb::programs::without_first_word;

/// The stack. It ends with this value.
pub(super) struct Stack {
    case: Case,
    root: Child,
    group: Pid,
}

/// The longest time that the processes may need to end.
const EXIT_TIMEOUT: Duration = Duration::from_secs(10);

impl Stack {
    pub(super) fn start(case: Case, shm: &Path, options: &NavOptions) -> Result<Self, RunError> {
        let failed = |error| RunError::Start("the stack".into(), error);
        let (params, map) = (options.params.display(), options.map.display());
        let mut command = saltus_command()?;
        command.arg("launch");
        if case == Case::Manual {
            // As in a container.
            command.envs(ALLOCATOR);
            let file = shm.join("manual.launch.yaml");
            // The words are quoted for the file, and for the command in it.
            let program = env::current_exe().map_err(failed)?;
            let program = program.display();
            let cmd = format!("'{program}' bench role nav '{map}' --ros-args --params-file '{params}'");
            let text = format!("launch:\n- executable: {{cmd: \"{cmd}\"}}\n");
            fs::write(&file, text).map_err(failed)?;
            command.arg(file);
        } else {
            command.args(["nav", "bringup.launch.yaml", "behaviors:=recoveries_server"]);
            command.arg(format!("params_file:={params}")).arg(format!("map:={map}"));
            command.arg(format!("use_composition:={}", case != Case::Separate));
            command.arg(format!("container_type:={}", case.container()));
        }
        command.env("SALTUS_SHM_DIR", shm).env("ROS_LOG_DIR", shm.join("log"));
        command.process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let root = command.spawn().map_err(failed)?;
        let group = Pid::from_child(&root);
        interrupt::begin_group(group);
        Ok(Self { case, root, group })
    }

    /// Returns the processes that are counted: all but those of the launcher.
    pub(super) fn processes(&self) -> Result<Vec<i32>, RunError> {
        let is_launcher = |pid: &i32| {
            let words = without_first_word(
                Process::new(*pid).and_then(|process| process.cmdline()).unwrap_or_default(),
            );
            words.get(1).is_none_or(|word| word == "launch")
        };
        let all = with_children([self.root.id()].into_iter());
        let pids: Vec<i32> = all.into_iter().filter(|pid| !is_launcher(pid)).collect();
        match pids.is_empty() {
            true => Err(RunError::Failed(self.case.name().into(), "there are no processes".into())),
            false => Ok(pids),
        }
    }

    /// Returns the CPU time of each process by its node, or of each thread if all nodes are in one process, in seconds.
    pub(super) fn cpu_times(&self) -> Result<BTreeMap<String, f64>, RunError> {
        let mut times = BTreeMap::new();
        let pids = self.processes()?;
        for pid in &pids {
            let failed = |error: procfs::ProcError| RunError::Failed("a process".into(), error.to_string());
            let process = Process::new(*pid).map_err(failed)?;
            let seconds = |ticks: u64| ticks as f64 / procfs::ticks_per_second() as f64;
            if pids.len() > 1 {
                let words = without_first_word(process.cmdline().map_err(failed)?);
                let stat = process.stat().map_err(failed)?;
                // `saltus run PACKAGE NAME`, or the name that a process of a component has given itself.
                let name = words.get(3).filter(|_| words.get(1).is_some_and(|word| word == "run"));
                let name = name.cloned().unwrap_or(stat.comm);
                *times.entry(name).or_insert(0.0) += seconds(stat.utime + stat.stime);
                continue;
            }
            for task in process.tasks().map_err(failed)?.flatten() {
                // A thread may have ended meanwhile.
                let Ok(stat) = task.stat() else { continue };
                *times.entry(stat.comm).or_insert(0.0) += seconds(stat.utime + stat.stime);
            }
        }
        Ok(times)
    }

    /// Ends the stack.
    pub(super) fn end(self) -> Result<(), RunError> {
        // It may have ended.
        let _ = kill_process_group(self.group, Signal::INT);
        let ended = wait_until_ended(&self.root, Instant::now() + EXIT_TIMEOUT);
        ended.map_err(|error| RunError::Failed(self.case.name().into(), error))
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        let _ = kill_process_group(self.group, Signal::KILL);
        let _ = self.root.wait();
        interrupt::end_group(self.group);
    }
}

/// Returns what was used between two times, in percent of a CPU.
pub(super) fn shares(
    before: &BTreeMap<String, f64>,
    after: &BTreeMap<String, f64>,
    seconds: f64,
) -> BTreeMap<String, f64> {
    let used = |(name, time): (&String, &f64)| {
        (name.clone(), (time - before.get(name).copied().unwrap_or(0.0)) / seconds * 100.0)
    };
    after.iter().map(used).collect()
}
