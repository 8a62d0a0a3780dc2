//! Threads of Saltus's own in somebody's process, and the signals of threads that are not.

use std::{
    io,
    thread::{Builder, JoinHandle},
};

use rustix::io::Errno;

/// What tells of a fault of the thread itself. Blocked, it would end the process without whoever reports it.
const FAULTS: [i32; 6] =
    [libc::SIGABRT, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGSEGV, libc::SIGTRAP];

/// Starts a thread that no signal of the process is given to, not even while it starts.
///
/// A program's handler may count on running where the program does: Python's only notes a signal elsewhere, and code
/// that computes and waits for nothing would never look.
pub fn spawn<T: Send + 'static>(
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
    change_mask(libc::SIG_SETMASK, mask)
}

fn change_mask(how: i32, mask: &libc::sigset_t) -> io::Result<libc::sigset_t> {
    // SAFETY: `sigset_t` is plain data for which all-zero is valid; the call reads one set and writes the other.
    unsafe {
        let mut before = std::mem::zeroed();
        match libc::pthread_sigmask(how, mask, &mut before) {
            0 => Ok(before),
            error => Err(io::Error::from_raw_os_error(error)),
        }
    }
}

/// Runs `write`, which writes to a pipe, without the signal that ends a process whose pipe has no reader.
///
/// Who uses this library may not ignore SIGPIPE, and the mask of other threads is not touched.
pub fn without_sigpipe<T>(write: impl FnOnce() -> Result<T, Errno>) {
    let Ok(before) = change_mask(libc::SIG_BLOCK, &only(libc::SIGPIPE)) else { return };
    // SAFETY: looks into a set that a call filled.
    let was_blocked = unsafe { libc::sigismember(&before, libc::SIGPIPE) == 1 };
    let result = write();
    if matches!(result, Err(Errno::PIPE)) && !was_blocked {
        take_pending(&only(libc::SIGPIPE));
    }
    // It can't fail for a mask that the kernel gave out.
    let _ = swap_mask(&before);
}

/// Takes a signal of the set that is pending for this thread, if there is one.
fn take_pending(set: &libc::sigset_t) {
    let no_wait = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: all three live as long as the call; nothing is asked about the signal.
    unsafe { libc::sigtimedwait(set, std::ptr::null_mut(), &no_wait) };
}

/// The set of one signal.
fn only(signal: i32) -> libc::sigset_t {
    // SAFETY: `sigset_t` is plain data, which the first call fills and the other changes.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, signal);
        set
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
    fn writing_to_a_pipe_without_a_reader_raises_nothing() {
        let (reader, writer) = rustix::pipe::pipe().unwrap();
        drop(reader);
        let wrote = std::thread::spawn(move || {
            // As in a C++ program, where SIGPIPE ends the process.
            change_mask(libc::SIG_UNBLOCK, &only(libc::SIGPIPE)).unwrap();
            // SAFETY: the default action of a signal.
            let before = unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
            without_sigpipe(|| rustix::io::write(&writer, &[1]));
            // SAFETY: what was there before.
            unsafe { libc::signal(libc::SIGPIPE, before) };
            !blocks(libc::SIGPIPE)
        });
        assert!(wrote.join().unwrap(), "the mask is as before");
    }

    #[test]
    fn a_thread_of_saltus_is_given_no_signal_and_who_made_it_is_as_before() {
        assert!(!blocks(libc::SIGINT));
        assert!(spawn(Builder::new(), || blocks(libc::SIGINT)).unwrap().join().unwrap());
        assert!(!blocks(libc::SIGINT));
    }
}
