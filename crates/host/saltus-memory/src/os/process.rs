//! The identity of a process, and the kernel's proof that it has ended.

use std::os::unix::fs::MetadataExt;

use rustix::{
    io::Errno,
    process::{Pid, test_kill_process},
};

/// A process of this host, distinguished from a later process with the same pid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessId {
    /// Its pid in its own PID namespace.
    pub pid: u32,
    /// When it was started, in clock ticks since the host was started; 0 if that is not known.
    pub started: u64,
    /// Its PID and time namespaces, in one number; 0 if they are not known. Its pid is valid only in its PID namespace.
    /// Its start time is a different number in another time namespace.
    pub namespaces: u64,
}

impl ProcessId {
    /// Returns the calling process.
    pub fn current() -> Self {
        let pid = std::process::id();
        // If /proc is that of another namespace, its pids are not valid here.
        let own = std::fs::read_link("/proc/self").is_ok_and(|link| link.to_str() == Some(&pid.to_string()));
        // The kernel numbers namespaces with 32 bits.
        let namespaces = match namespace("pid") {
            pids if own && pids != 0 => pids << 32 | time_namespace(),
            _ => 0,
        };
        Self { pid, started: start_time(pid).unwrap_or(0), namespaces }
    }

    /// Returns its pid, if that pid means the same process to another process.
    fn pid_as_seen_by(self, other: Self) -> Option<Pid> {
        let known = self.namespaces != 0 && self.started != 0;
        let same = known && self.namespaces == other.namespaces;
        Pid::from_raw(self.pid as i32).filter(|_| same)
    }

    /// Whether its pid means the same process to another process.
    pub fn is_visible_to(self, other: Self) -> bool {
        self.pid_as_seen_by(other).is_some()
    }

    /// Whether it has certainly ended, as the process `this` sees it: no process has its pid any more, or the process
    /// that has its pid was started at another time.
    pub fn has_ended(self, this: Self) -> bool {
        let started = || start_time(self.pid);
        self.pid_is_free(this)
            || self.is_visible_to(this) && started().is_some_and(|found| found != self.started)
    }

    /// Whether it is stopped, by SIGSTOP or a debugger, as far as the process `this` sees that.
    pub fn is_stopped(self, this: Self) -> bool {
        self.is_visible_to(this)
            && !self.has_ended(this)
            && stat_field(self.pid, 0).is_some_and(|state| matches!(&*state, "T" | "t"))
    }

    /// Whether no process has its pid any more, as the process `this` sees it. This is cheaper than
    /// [`ProcessId::has_ended`].
    pub(crate) fn pid_is_free(self, this: Self) -> bool {
        self.pid_as_seen_by(this).is_some_and(|pid| test_kill_process(pid) == Err(Errno::SRCH))
    }
}

/// Returns the time namespace of this process, which decides what its monotonic clock shows. 0 if the kernel has none.
pub fn time_namespace() -> u64 {
    namespace("time")
}

fn namespace(kind: &str) -> u64 {
    std::fs::metadata(format!("/proc/self/ns/{kind}")).map_or(0, |meta| meta.ino())
}

/// Returns when the first thread of a process was started: field 22 of its `stat` (proc_pid_stat(5)).
fn start_time(pid: u32) -> Option<u64> {
    stat_field(pid, 19)?.parse().ok()
}

/// Returns a field of the `stat` of the first thread of a process, counted from the one after the command's name. The file
/// of the thread is read, and not `/proc/<pid>/stat`: under an emulator, a program that reads its own `/proc/<pid>/stat`
/// gets another content than other programs.
fn stat_field(pid: u32, number: usize) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/stat")).ok()?;
    // The second field is the command's name in parentheses, which may hold anything.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(number).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_distinguished_from_a_later_one_with_its_pid() {
        let this = ProcessId::current();
        assert!(this.started > 0 && this.namespaces > 0);
        assert!(!this.has_ended(this));
        let earlier = ProcessId { started: this.started - 1, ..this };
        assert!(earlier.has_ended(this) && !earlier.pid_is_free(this));
        let elsewhere = ProcessId { namespaces: this.namespaces + 1, ..earlier };
        assert!(!elsewhere.has_ended(this), "its pid is not valid in this namespace");
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
