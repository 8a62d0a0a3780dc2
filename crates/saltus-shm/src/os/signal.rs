//! Being told of SIGINT, SIGTERM and SIGHUP, on a thread of its own.
//!
//! Not a library's, because it must hold over `fork`: a signal to a forked child must not reach the
//! parent, which a handler that writes to an inherited pipe would do. Here the handler of a child
//! that has not asked for signals itself restores the default action and raises the signal anew.

use std::{
    io,
    os::fd::{IntoRawFd, OwnedFd},
    sync::atomic::{AtomicI32, AtomicU32, Ordering},
};

use rustix::pipe::{PipeFlags, pipe_with};

use super::fork::{ForkCell, ForkLock, Origin};

/// The thread's stack, in bytes: what the handlers of contexts do is shallow.
const STACK: usize = 256 << 10;
const SIGNALS: [i32; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];
/// The end of the pipe that the handler writes to; -1 before there is one.
static PIPE: AtomicI32 = AtomicI32::new(-1);
/// The [`Origin`] that asked, for the handler; 0 is none.
static ASKED: AtomicU32 = AtomicU32::new(0);
/// Whether this process asked, for those who ask again.
static ASKER: ForkCell<bool> = ForkCell::new(ForkLock::new(2));

/// Calls `handler` after each of the signals, on a thread made for it. The second call and later
/// ones in a process do nothing.
///
/// A signal that is ignored (as `nohup` does) stays ignored.
///
/// # Errors
/// If somebody else handles one of the signals, or there is no pipe or thread.
pub fn on_termination(handler: fn()) -> io::Result<()> {
    ASKER.with(|asked| {
        if !*asked {
            ask(handler)?;
            *asked = true;
        }
        Ok(())
    })
}

fn ask(handler: fn()) -> io::Result<()> {
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
    let thread = std::thread::Builder::new().name("saltus-signal".into()).stack_size(STACK);
    thread.spawn(move || listen(&reader, handler))?;
    PIPE.store(writer.into_raw_fd(), Ordering::Relaxed);
    ASKED.store(Origin::here().number(), Ordering::Release);
    SIGNALS.into_iter().try_for_each(install)
}

/// Waits for bytes in the pipe, for as long as the process lives.
fn listen(pipe: &OwnedFd, handler: fn()) {
    use rustix::event::{PollFd, PollFlags, poll};
    loop {
        // An interruption is as good as a wake-up: the read finds nothing.
        let _ = poll(&mut [PollFd::new(pipe, PollFlags::IN)], None);
        let mut signals = [0u8; 16];
        let count = rustix::io::read(pipe, &mut signals).unwrap_or(0);
        (0..count).for_each(|_| handler());
    }
}

/// Makes `handle` the action of a signal that has its default one.
fn install(signal: i32) -> io::Result<()> {
    // SAFETY: `sigaction` is plain data for which all-zero is valid; the calls read and write it
    // alone, and the handler does only what may be done in one.
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(signal, std::ptr::null(), &mut before) != 0 {
            return Err(io::Error::last_os_error());
        }
        let handler = handle as extern "C" fn(i32) as libc::sighandler_t;
        match before.sa_sigaction {
            libc::SIG_IGN => return Ok(()),
            other if other != libc::SIG_DFL && other != handler => {
                return Err(io::Error::other(format!("signal {signal} has a handler already")));
            }
            _ => {}
        }
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler;
        action.sa_flags = libc::SA_RESTART;
        match libc::sigaction(signal, &action, std::ptr::null_mut()) {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// The handler: atomics and system calls that a handler may make, and nothing else.
extern "C" fn handle(signal: i32) {
    if Origin::numbered(ASKED.load(Ordering::Acquire)).is_here() {
        // SAFETY: writes one byte from a valid buffer; `errno` is put back, as interrupted code may
        // be about to read it. A full pipe means that the thread is about to call the handler anyway.
        unsafe {
            let errno = libc::__errno_location();
            let before = *errno;
            libc::write(PIPE.load(Ordering::Relaxed), [0u8].as_ptr().cast(), 1);
            *errno = before;
        }
    } else {
        // SAFETY: both calls may be made in a handler. The signal is blocked until the handler
        // returns, and ends the process then.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
}
