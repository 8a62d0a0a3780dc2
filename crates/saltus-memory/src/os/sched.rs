//! Where and how a thread runs: its CPUs, its scheduling policy, its priority.

use std::{cell::Cell, io, mem::size_of, num::NonZeroU64};

use rustix::thread::{CpuSet, sched_setaffinity, set_current_timer_slack};

/// Has this thread's sleeps end when they are to, instead of up to 50 µs later, when the kernel could wake
/// several threads at once. Once per thread: the default stays as it is for threads that never wait here.
pub fn tighten_timer_slack() {
    thread_local!(static IS_TIGHT: Cell<bool> = const { Cell::new(false) });
    if !IS_TIGHT.replace(true) {
        // Without it timers are later, which is no reason not to wait.
        let _ = set_current_timer_slack(NonZeroU64::new(1));
    }
}

/// How the kernel schedules a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SchedulingPolicy {
    /// As every thread: all get their share.
    #[default]
    Other,
    /// `SCHED_FIFO`: before all of lower priority, until it waits.
    Fifo,
    /// `SCHED_RR`: as `Fifo`, taking turns with those of the same priority.
    RoundRobin,
}

/// Where and how threads are to run. The default changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The CPUs on which they may run; empty for those they have.
    pub cpus: Vec<usize>,
    /// How the kernel schedules them.
    pub policy: SchedulingPolicy,
    /// For real-time policies: 1 to 99, the highest is served first. Else 0.
    pub priority: u8,
}

/// Why a thread can't run where and how it is to.
#[derive(thiserror::Error)]
pub enum PlacementError {
    /// The system has not these CPUs, or does not let this process use them.
    #[error("can't run on CPUs {cpus:?}: {source}; `nproc --all` counts those there are")]
    Cpus {
        /// Which ones.
        cpus: Vec<usize>,
        /// What the system said.
        source: io::Error,
    },
    /// A real-time policy is a privilege.
    #[error(
        "can't use {policy:?} with priority {priority}: {source}{}",
        remedy(.source)
    )]
    Policy {
        /// Which policy.
        policy: SchedulingPolicy,
        /// Which priority.
        priority: u8,
        /// What the system said.
        source: io::Error,
    },
}

saltus_types::debug_as_display!(PlacementError);

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            "; the program needs CAP_SYS_NICE (`setcap cap_sys_nice+ep PROGRAM`) or a limit \
             (`ulimit -r 99`; `rtprio` in /etc/security/limits.conf; docker: `--ulimit rtprio=99`)"
        }
        io::ErrorKind::InvalidInput => "; a priority is a number from 1 to 99",
        _ => "",
    }
}

impl Placement {
    /// Has the calling thread run so from now on.
    pub fn apply(&self) -> Result<(), PlacementError> {
        if !self.cpus.is_empty() {
            self.pin().map_err(|source| PlacementError::Cpus { cpus: self.cpus.clone(), source })?;
        }
        if self.policy == SchedulingPolicy::Other {
            return Ok(());
        }
        let (policy, priority) = (self.policy, self.priority);
        set_policy(policy, priority).map_err(|source| PlacementError::Policy { policy, priority, source })
    }

    fn pin(&self) -> io::Result<()> {
        let mut set = CpuSet::new();
        for cpu in &self.cpus {
            if *cpu >= size_of::<CpuSet>() * 8 {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            set.set(*cpu);
        }
        Ok(sched_setaffinity(None, &set)?)
    }
}

fn set_policy(policy: SchedulingPolicy, priority: u8) -> io::Result<()> {
    let policy = match policy {
        SchedulingPolicy::Other => libc::SCHED_OTHER,
        SchedulingPolicy::Fifo => libc::SCHED_FIFO,
        SchedulingPolicy::RoundRobin => libc::SCHED_RR,
    };
    let parameter = libc::sched_param { sched_priority: priority.into() };
    // SAFETY: 0 is the calling thread, and the parameter lives as long as the call.
    match unsafe { libc::sched_setscheduler(0, policy, &raw const parameter) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(placement: Placement) -> Result<(), PlacementError> {
        std::thread::spawn(move || placement.apply()).join().unwrap()
    }

    #[test]
    fn a_thread_runs_on_its_cpus() {
        let placement = Placement { cpus: vec![0], ..Placement::default() };
        std::thread::spawn(move || {
            placement.apply().unwrap();
            let set = rustix::thread::sched_getaffinity(None).unwrap();
            assert_eq!((set.count(), set.is_set(0)), (1, true));
        })
        .join()
        .unwrap();
        for cpu in [1000, usize::MAX] {
            let error = apply(Placement { cpus: vec![cpu], ..Placement::default() }).unwrap_err();
            assert!(error.to_string().contains("nproc"), "{error}");
        }
    }

    #[test]
    fn a_policy_is_had_or_the_missing_privilege_is_named() {
        let fifo = Placement { policy: SchedulingPolicy::Fifo, priority: 10, ..Placement::default() };
        if let Err(error) = apply(fifo) {
            assert!(error.to_string().contains("CAP_SYS_NICE"), "{error}");
        }
        let wrong = Placement { policy: SchedulingPolicy::RoundRobin, priority: 100, ..Placement::default() };
        assert!(apply(wrong).is_err());
    }
}
