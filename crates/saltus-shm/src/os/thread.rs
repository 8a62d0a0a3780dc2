//! Threads of Saltus's own in somebody's process.

use std::{
    io,
    thread::{Builder, JoinHandle},
};

/// What tells of a fault of the thread itself. Blocked, it would end the process without whoever reports it.
const FAULTS: [i32; 6] =
    [libc::SIGABRT, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGSEGV, libc::SIGTRAP];

/// Starts a thread that no signal of the process is given to, not even while it starts.
///
/// A program's handler may count on running where the program does: Python's only notes a signal elsewhere, and code
/// that computes and waits for nothing would never look.
pub(crate) fn spawn<T: Send + 'static>(
    builder: Builder,
    run: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    // A new thread begins with the mask of the one that makes it.
    let before = swap_mask(&all_but_faults())?;
    let thread = builder.spawn(run);
    swap_mask(&before)?;
    thread
}

fn all_but_faults() -> libc::sigset_t {
    // SAFETY: `sigset_t` is plain data, which the first call fills and the others change.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigfillset(&mut set);
        for fault in FAULTS {
            libc::sigdelset(&mut set, fault);
        }
        set
    }
}

/// Makes a mask that of this thread, and returns what it was.
fn swap_mask(mask: &libc::sigset_t) -> io::Result<libc::sigset_t> {
    // SAFETY: `sigset_t` is plain data for which all-zero is valid; the call reads one set and writes the other.
    unsafe {
        let mut before = std::mem::zeroed();
        match libc::pthread_sigmask(libc::SIG_SETMASK, mask, &mut before) {
            0 => Ok(before),
            error => Err(io::Error::from_raw_os_error(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(signal: i32) -> bool {
        let mask = swap_mask(&all_but_faults()).unwrap();
        swap_mask(&mask).unwrap();
        // SAFETY: looks into a set that a call filled.
        unsafe { libc::sigismember(&mask, signal) == 1 }
    }

    #[test]
    fn a_fault_of_a_thread_of_saltus_is_told_as_anywhere_else() {
        assert!(!spawn(Builder::new(), || FAULTS.into_iter().any(blocks)).unwrap().join().unwrap());
    }

    #[test]
    fn a_thread_of_saltus_is_given_no_signal_and_who_made_it_is_as_before() {
        assert!(!blocks(libc::SIGINT));
        assert!(spawn(Builder::new(), || blocks(libc::SIGINT)).unwrap().join().unwrap());
        assert!(!blocks(libc::SIGINT));
    }
}
