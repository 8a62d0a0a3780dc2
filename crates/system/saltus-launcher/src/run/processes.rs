//! The processes of a launch.

use std::{
    collections::VecDeque,
    fs::File,
    ops::{Index, IndexMut},
    os::fd::OwnedFd,
    path::PathBuf,
    rc::Rc,
};

use rustix::process::{Pid, Rlimit};
use saltus_launch_file::plan::Process;

use super::event::ProcessDetails;
use crate::{
    child::{Child, raise_file_limit},
    live::Row,
    log_file::LogFile,
    sample::Samples,
    supervisor::{Id, Instruction, Supervisor},
};

/// A process of a launch. It may wait, run, or have ended.
pub(super) struct ProcessRecord {
    pub(super) process: Rc<Process>,
    /// The name in logs: the label and the number of the process.
    pub(super) name: String,
    /// The child process while it runs.
    pub(super) child: Option<Child>,
    pub(super) log: Option<LogFile>,
    pub(super) last_line: String,
    /// The files of parameters that could not be written to the log folder.
    pub(super) parameters: Vec<File>,
}

impl ProcessRecord {
    pub(super) fn pid(&self) -> Option<i32> {
        self.child.as_ref().map(|child| child.pid.as_raw_nonzero().get())
    }

    /// Returns the full name of the node.
    pub(super) fn node_name(&self) -> Option<String> {
        self.process.node.as_ref().and_then(|node| node.names.full_name())
    }
}

/// The settings of a launch for the start of each process.
pub(super) struct StartSettings {
    /// The log folder.
    pub(super) folder: PathBuf,
    /// The number of files that a process may open.
    pub(super) file_limit: Rlimit,
    /// Whether the whole command of each process is printed.
    pub(super) with_commands: bool,
}

impl StartSettings {
    /// Returns the settings, and lets this process open as many files as it may.
    pub(super) fn new(folder: PathBuf, with_commands: bool) -> Self {
        Self { folder, file_limit: raise_file_limit(), with_commands }
    }
}

/// The processes of a launch, and the supervisor that decides when they are started and ended.
pub(super) struct Processes {
    records: Vec<ProcessRecord>,
    pub(super) supervisor: Supervisor,
    /// The instructions of the supervisor that were not carried out yet.
    pub(super) instructions: VecDeque<Instruction>,
    pub(super) settings: StartSettings,
    /// The number of times that the output of all processes was read.
    reads: usize,
}

impl Processes {
    pub(super) fn new(settings: StartSettings) -> Self {
        Self {
            records: Vec::new(),
            supervisor: Supervisor::default(),
            instructions: VecDeque::new(),
            settings,
            reads: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// Adds a process, whose number is [`len`](Self::len).
    pub(super) fn push(&mut self, record: ProcessRecord) {
        self.records.push(record);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Id, &ProcessRecord)> {
        self.records.iter().enumerate()
    }

    /// Returns the process with this child process.
    pub(super) fn find(&self, pid: Pid) -> Option<Id> {
        let has_child = |record: &ProcessRecord| record.child.as_ref().is_some_and(|child| child.pid == pid);
        self.records.iter().position(has_child)
    }

    /// Returns the numbers of all child processes.
    pub(super) fn pids(&self) -> impl Iterator<Item = i32> {
        self.records.iter().filter_map(ProcessRecord::pid)
    }

    /// Returns the descriptors from which the output of processes is read.
    pub(super) fn output_fds(&self) -> impl Iterator<Item = &OwnedFd> {
        let children = self.records.iter().filter_map(|record| record.child.as_ref());
        children.flat_map(|child| [&child.out, &child.err]).filter_map(|stream| stream.fd.as_ref())
    }

    /// Returns the order in which the output of processes is read. Each time another process is the first one, so that none
    /// takes all the room.
    pub(super) fn next_read_order(&mut self) -> impl Iterator<Item = Id> + use<> {
        let (count, first) = (self.len(), self.reads);
        self.reads = self.reads.wrapping_add(1);
        (0..count).map(move |offset| (first.wrapping_add(offset)) % count)
    }

    /// Returns a process as handlers see it.
    pub(super) fn details(&self, id: Id, pid: i32) -> ProcessDetails {
        let record = &self.records[id];
        ProcessDetails {
            id,
            action: record.process.id,
            name: record.name.clone(),
            command: record.process.command.clone(),
            folder: record.process.cwd.clone(),
            pid,
            node: record.node_name(),
        }
    }

    /// Returns the rows of the live table.
    pub(super) fn rows(&self, samples: &Samples) -> Vec<Row> {
        let row = |(id, record): (Id, &ProcessRecord)| {
            let usage = record.pid().map(|pid| samples.of(pid)).unwrap_or_default();
            Row {
                name: record.name.clone(),
                state: self.supervisor.state_name(id).to_owned(),
                pid: record.pid(),
                cpu: usage.cpu,
                pss: usage.pss,
                restarts: self.supervisor.restarts(id),
                last_line: record.last_line.clone(),
            }
        };
        self.iter().map(row).collect()
    }
}

impl Index<Id> for Processes {
    type Output = ProcessRecord;

    fn index(&self, id: Id) -> &ProcessRecord {
        &self.records[id]
    }
}

impl IndexMut<Id> for Processes {
    fn index_mut(&mut self, id: Id) -> &mut ProcessRecord {
        &mut self.records[id]
    }
}
