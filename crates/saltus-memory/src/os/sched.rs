//! Where and how a thread runs: its CPUs, its scheduling policy, its priority.

use std::{cell::Cell, io, mem::size_of, num::NonZeroU64};

use rustix::thread::{CpuSet, sched_setaffinity, set_current_timer_slack};

/// Makes the sleeps of this thread end on time. By default they may end up to 50 µs later, so that the kernel can
/// wake several threads at once. This is done once per thread. Threads that never wait here keep the default.
pub fn tighten_timer_slack() {
    thread_local!(static IS_TIGHT: Cell<bool> = const { Cell::new(false) });
    if !IS_TIGHT.replace(true) {
        // If this fails, sleeps only end a little later. So the error is ignored.
        let _ = set_current_timer_slack(NonZeroU64::new(1));
    }
}

/// How the kernel schedules a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SchedulingPolicy {
    /// `SCHED_OTHER`, the default: all threads share the CPU time.
    #[default]
    Other,
    /// `SCHED_FIFO`: the thread runs before all threads of lower priority, until it waits.
    Fifo,
    /// `SCHED_RR`: as `Fifo`, but threads of the same priority take turns.
    RoundRobin,
}

/// Where and how threads are to run. The default changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The CPUs on which they may run. If this is empty, they may run on the same CPUs as before.
    pub cpus: Vec<usize>,
    /// How the kernel schedules them.
    pub policy: SchedulingPolicy,
    /// For real-time policies: 1 to 99; the highest runs first. For others 0.
    pub priority: u8,
}

/// Why a placement can't be applied to a thread.
#[derive(thiserror::Error)]
pub enum PlacementError {
    /// The system does not have these CPUs, or does not let this process use them.
    #[error("can't run on CPUs {cpus:?}: {source}; `nproc --all` counts those there are")]
    Cpus {
        /// The CPUs.
        cpus: Vec<usize>,
        /// The system's error.
        source: io::Error,
    },
    /// The policy or the priority can't be set. A real-time policy needs a privilege.
    #[error(
        "can't use {policy:?} with priority {priority}: {source}{}",
        remedy(.source)
    )]
    Policy {
        /// The policy.
        policy: SchedulingPolicy,
        /// The priority.
        priority: u8,
        /// The system's error.
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
    /// Applies the placement to the calling thread.
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
    fn a_policy_is_set_or_the_error_names_the_missing_privilege() {
        let fifo = Placement { policy: SchedulingPolicy::Fifo, priority: 10, ..Placement::default() };
        if let Err(error) = apply(fifo) {
            assert!(error.to_string().contains("CAP_SYS_NICE"), "{error}");
        }
        let wrong = Placement { policy: SchedulingPolicy::RoundRobin, priority: 100, ..Placement::default() };
        assert!(apply(wrong).is_err());
    }
}
