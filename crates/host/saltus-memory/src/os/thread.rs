//! Threads that Saltus starts in a program's process, and signals of the program's own threads.

use std::{
    io,
    thread::{Builder, JoinHandle},
};

use rustix::io::Errno;

/// The signals of a fault of the thread itself. If they were blocked, a fault would end the process without calling the
/// handler that reports it.
const FAULTS: [i32; 6] =
    [libc::SIGABRT, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGSEGV, libc::SIGTRAP];

/// Starts a thread that receives no signal of the process, not even while it starts.
///
/// A program's handler may have to run on a thread of the program. On another thread Python's handler only notes the
/// signal, and code that computes and waits for nothing would never check for it.
pub fn spawn<T: Send + 'static>(
    builder: Builder,
    run: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    // A new thread inherits the mask of the thread that makes it.
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

/// Sets the signal mask of this thread, and returns the previous one.
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

/// Runs `write`, which writes to a pipe, without SIGPIPE: the signal that ends a process if the pipe has no reader.
///
/// A program that uses this library does not have to ignore SIGPIPE. The masks of other threads are not changed.
pub(crate) fn without_sigpipe<T>(write: impl FnOnce() -> Result<T, Errno>) {
    let Ok(before) = change_mask(libc::SIG_BLOCK, &only(libc::SIGPIPE)) else { return };
    // SAFETY: reads a set that a call has filled.
    let was_blocked = unsafe { libc::sigismember(&before, libc::SIGPIPE) == 1 };
    let result = write();
    if matches!(result, Err(Errno::PIPE)) && !was_blocked {
        take_pending(&only(libc::SIGPIPE));
    }
    // This can't fail for a mask that the kernel returned.
    let _ = swap_mask(&before);
}

/// Takes a signal of the set that is pending for this thread, if there is one.
fn take_pending(set: &libc::sigset_t) {
    let no_wait = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the set and the time live as long as the call. The null pointer asks for no information about the signal.
    unsafe { libc::sigtimedwait(set, std::ptr::null_mut(), &no_wait) };
}

/// Returns the set of one signal.
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
        // SAFETY: reads a set that a call has filled.
        unsafe { libc::sigismember(&mask, signal) == 1 }
    }

    #[test]
    fn a_thread_of_saltus_does_not_block_the_signals_of_faults() {
        assert!(!spawn(Builder::new(), || FAULTS.into_iter().any(blocks)).unwrap().join().unwrap());
    }

    #[test]
    fn writing_to_a_pipe_without_a_reader_raises_nothing() {
        let (reader, writer) = rustix::pipe::pipe().unwrap();
        drop(reader);
        let wrote = std::thread::spawn(move || {
            // As in a C++ program, where SIGPIPE ends the process.
            change_mask(libc::SIG_UNBLOCK, &only(libc::SIGPIPE)).unwrap();
            // SAFETY: sets the default action of a signal.
            let before = unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
            without_sigpipe(|| rustix::io::write(&writer, &[1]));
            // SAFETY: restores the previous action.
            unsafe { libc::signal(libc::SIGPIPE, before) };
            !blocks(libc::SIGPIPE)
        });
        assert!(wrote.join().unwrap(), "the mask is as before");
    }

    #[test]
    fn a_thread_of_saltus_blocks_signals_and_its_creator_keeps_its_mask() {
        assert!(!blocks(libc::SIGINT));
        assert!(spawn(Builder::new(), || blocks(libc::SIGINT)).unwrap().join().unwrap());
        assert!(!blocks(libc::SIGINT));
    }
}
