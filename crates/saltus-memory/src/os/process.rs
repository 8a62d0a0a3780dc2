//! The identity of a process, and the kernel's word that it has ended.

use std::os::unix::fs::MetadataExt;

use rustix::{
    io::Errno,
    process::{Pid, test_kill_process},
};

/// A process of this host, told apart from a later one with the same number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessId {
    /// Its number in its own PID namespace.
    pub pid: u32,
    /// When it was started, in clock ticks since the host was; 0 if the system does not tell.
    pub started: u64,
    /// Its PID and time namespaces, in one number; 0 if the system does not tell. Its pid means something in the first only,
    /// and its start time is another in another of the second.
    pub namespaces: u64,
}

impl ProcessId {
    /// The process that calls.
    pub fn current() -> Self {
        let pid = std::process::id();
        // Where /proc is that of another namespace, its numbers mean nothing here.
        let own = std::fs::read_link("/proc/self").is_ok_and(|link| link.to_str() == Some(&pid.to_string()));
        // The kernel numbers namespaces with 32 bits.
        let namespaces = match namespace("pid") {
            pids if own && pids != 0 => pids << 32 | time_namespace(),
            _ => 0,
        };
        Self { pid, started: start_time(pid).unwrap_or(0), namespaces }
    }

    /// Its number, if that means the same to another process.
    fn pid_as_seen_by(self, other: Self) -> Option<Pid> {
        let known = self.namespaces != 0 && self.started != 0;
        let same = known && self.namespaces == other.namespaces;
        Pid::from_raw(self.pid as i32).filter(|_| same)
    }

    /// Whether its number means the same to another process.
    pub fn is_visible_to(self, other: Self) -> bool {
        self.pid_as_seen_by(other).is_some()
    }

    /// Whether it has certainly ended, as this process sees it: none has its number any more, or one that was
    /// started at another time.
    pub fn has_ended(self, this: Self) -> bool {
        let started = || start_time(self.pid);
        self.pid_is_free(this)
            || self.is_visible_to(this) && started().is_some_and(|found| found != self.started)
    }

    /// Whether no process has its number any more, as this process sees it. Cheaper than the above.
    pub fn pid_is_free(self, this: Self) -> bool {
        self.pid_as_seen_by(this).is_some_and(|pid| test_kill_process(pid) == Err(Errno::SRCH))
    }
}

/// The time namespace of this process, which decides what its monotonic clock shows. 0 if the kernel has none.
pub fn time_namespace() -> u64 {
    namespace("time")
}

fn namespace(kind: &str) -> u64 {
    std::fs::metadata(format!("/proc/self/ns/{kind}")).map_or(0, |meta| meta.ino())
}

/// When the first thread of a process was started: field 22 of its `stat` (proc_pid_stat(5)). An emulator shows a program
/// another `/proc/<pid>/stat` of itself than everybody else, but not this one.
fn start_time(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/stat")).ok()?;
    // The second field is the command's name in parentheses, which may hold anything.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_told_from_a_later_one_with_its_number() {
        let this = ProcessId::current();
        assert!(this.started > 0 && this.namespaces > 0);
        assert!(!this.has_ended(this));
        let earlier = ProcessId { started: this.started - 1, ..this };
        assert!(earlier.has_ended(this) && !earlier.pid_is_free(this));
        let elsewhere = ProcessId { namespaces: this.namespaces + 1, ..earlier };
        assert!(!elsewhere.has_ended(this), "its number means nothing here");
    }

    #[test]
    fn the_end_of_a_process_is_seen() {
        let this = ProcessId::current();
        let mut child =
            std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let started = start_time(child.id()).unwrap();
        let process = ProcessId { pid: child.id(), started, ..this };
        assert!(!process.has_ended(this) && !process.pid_is_free(this));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(process.has_ended(this) && process.pid_is_free(this));
    }
}
