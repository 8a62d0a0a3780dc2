//! Where and how a thread runs: its CPUs, its scheduling policy, its priority, and whether its memory is locked.

use std::{cell::Cell, io, mem::size_of, num::NonZeroU64, sync::OnceLock, thread};

use rustix::{
    mm::{MlockAllFlags, mlockall},
    process::{Resource, getrlimit},
    thread::{
        CapabilitySet, CpuSet, capabilities, sched_getaffinity, sched_setaffinity, set_current_timer_slack,
    },
};

/// Makes the sleeps of this thread end on time. By default they may end up to 50 µs later, so that the kernel can
/// wake several threads at once. This is done once per thread. Threads that never wait here keep the default.
pub(crate) fn tighten_timer_slack() {
    thread_local!(static IS_TIGHT: Cell<bool> = const { Cell::new(false) });
    if !IS_TIGHT.replace(true) {
        // If this fails, sleeps only end a little later. So the error is ignored.
        let _ = set_current_timer_slack(NonZeroU64::new(1));
    }
}

/// The CPUs of this process before its first placement.
static BEFORE: OnceLock<CpuSet> = OnceLock::new();

/// The scheduling policy of a thread.
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
    /// The scheduling policy of the threads.
    pub policy: SchedulingPolicy,
    /// For real-time policies: 1 to 99; the highest runs first. For others 0.
    pub priority: u8,
    /// Whether the memory of their process stays in RAM (`mlockall`). A page is locked when it is used for the first
    /// time, so that shared memory that nobody uses needs no RAM.
    pub memory_lock: bool,
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
    /// The memory can't be locked. This needs a privilege.
    #[error(
        "can't lock the memory: {0}; the program needs CAP_IPC_LOCK (`setcap cap_ipc_lock+ep PROGRAM`) or no limit \
         (`ulimit -l unlimited`; `memlock` in /etc/security/limits.conf; docker: `--ulimit memlock=-1`)"
    )]
    Memory(io::Error),
    /// A check needs a thread, which can't be started.
    #[error("can't check the placement on a thread of its own: {0}")]
    Thread(io::Error),
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
    /// Applies the placement to the calling thread. The lock of the memory applies to its process.
    pub fn apply(&self) -> Result<(), PlacementError> {
        if self.memory_lock {
            lock_memory().map_err(PlacementError::Memory)?;
        }
        if !self.cpus.is_empty() {
            self.pin().map_err(|source| PlacementError::Cpus { cpus: self.cpus.clone(), source })?;
        }
        if self.policy == SchedulingPolicy::Other {
            return Ok(());
        }
        let (policy, priority) = (self.policy, self.priority);
        set_policy(policy, priority).map_err(|source| PlacementError::Policy { policy, priority, source })
    }

    /// Checks whether a thread of this process could have the placement. Unlike [`apply`](Self::apply), this is also an
    /// error if only some of the CPUs exist.
    pub fn check(&self) -> Result<(), PlacementError> {
        if self.memory_lock && !may_lock_memory() {
            return Err(PlacementError::Memory(io::ErrorKind::PermissionDenied.into()));
        }
        let attempt = || {
            for cpu in &self.cpus {
                Self { cpus: vec![*cpu], ..Self::default() }.apply()?;
            }
            Self { memory_lock: false, ..self.clone() }.apply()
        };
        // The attempt is made on a thread of its own, which ends then.
        thread::scope(|scope| {
            let thread =
                thread::Builder::new().spawn_scoped(scope, attempt).map_err(PlacementError::Thread)?;
            let panicked = |_| Err(PlacementError::Thread(io::Error::other("it panicked")));
            thread.join().unwrap_or_else(panicked)
        })
    }

    /// Gives the calling thread the CPUs that this process had before its first placement. A new thread and a new process
    /// inherit the CPUs of the thread that starts them. They do not inherit real-time policies.
    pub fn leave() {
        if let Some(set) = BEFORE.get() {
            // The thread then only stays where it is.
            let _ = sched_setaffinity(None, set);
        }
    }

    fn pin(&self) -> io::Result<()> {
        if BEFORE.get().is_none() {
            let _ = BEFORE.set(sched_getaffinity(None)?);
        }
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

fn lock_memory() -> io::Result<()> {
    Ok(mlockall(MlockAllFlags::CURRENT | MlockAllFlags::FUTURE | MlockAllFlags::ONFAULT)?)
}

/// Whether this process may lock any amount of memory. With a limit, a later mapping could fail.
fn may_lock_memory() -> bool {
    let is_capable = capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::IPC_LOCK));
    is_capable || getrlimit(Resource::Memlock).current.is_none()
}

fn set_policy(policy: SchedulingPolicy, priority: u8) -> io::Result<()> {
    let policy = match policy {
        SchedulingPolicy::Other => libc::SCHED_OTHER,
        SchedulingPolicy::Fifo => libc::SCHED_FIFO,
        SchedulingPolicy::RoundRobin => libc::SCHED_RR,
    };
    let parameter = libc::sched_param { sched_priority: priority.into() };
    // Threads and processes that this thread starts have the default policy.
    // SAFETY: 0 is the calling thread, and the parameter lives as long as the call.
    match unsafe { libc::sched_setscheduler(0, policy | libc::SCHED_RESET_ON_FORK, &raw const parameter) } {
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
    fn a_check_finds_each_cpu_that_does_not_exist() {
        let check = |cpus: &[usize]| Placement { cpus: cpus.to_vec(), ..Placement::default() }.check();
        check(&[0]).unwrap();
        // The kernel accepts a set if one of its CPUs exists.
        let error = check(&[0, 1000]).unwrap_err().to_string();
        assert!(error.contains("can't run on CPUs [1000]"), "{error}");
    }

    #[test]
    fn a_check_says_whether_memory_may_be_locked() {
        let locked = Placement { memory_lock: true, ..Placement::default() };
        match locked.check() {
            Ok(()) => apply(locked).unwrap(),
            Err(error) => assert!(error.to_string().contains("CAP_IPC_LOCK"), "{error}"),
        }
        rustix::mm::munlockall().unwrap();
    }

    #[test]
    fn a_new_thread_leaves_the_placement_of_the_thread_that_started_it() {
        let cpus = || sched_getaffinity(None).unwrap().count();
        let before = cpus();
        std::thread::spawn(move || {
            Placement { cpus: vec![0], ..Placement::default() }.apply().unwrap();
            let leave = move || {
                let inherited = cpus();
                Placement::leave();
                (inherited, cpus())
            };
            assert_eq!(std::thread::spawn(leave).join().unwrap(), (1, before));
        })
        .join()
        .unwrap();
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
