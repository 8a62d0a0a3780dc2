//! Being told of SIGINT, SIGTERM and SIGHUP, on a thread of its own.
//!
//! Not a library's, because it must hold over `fork`: a signal to a forked child must not reach the
//! parent, which a handler that writes to an inherited pipe would do. Here the handler of a child
//! that has not asked for signals itself restores the default action and raises the signal anew.

use std::{
    io,
    os::fd::{IntoRawFd, OwnedFd},
    sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicUsize, Ordering},
};

use rustix::pipe::{PipeFlags, pipe_with};

use super::{
    fork::{ForkCell, ForkLock, Origin},
    thread::spawn,
};

/// The thread's stack, in bytes: what the handlers of contexts do is shallow.
const STACK: usize = 256 << 10;
const SIGNALS: [i32; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];
/// The end of the pipe that the handler writes to; -1 before there is one.
static PIPE: AtomicI32 = AtomicI32::new(-1);
/// Whether this process asked, for those who ask again.
static ASKER: ForkCell<bool> = ForkCell::new(ForkLock::new(2));
/// The actions that were there before, of the signals above: of each what it is called with, and itself.
static BEFORE: [Before; 3] = [const { Before::new() }; 3];

/// Which of the signals that end a program are to shut contexts down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signals {
    /// SIGINT, which is Ctrl-C.
    pub interrupt: bool,
    /// SIGTERM.
    pub terminate: bool,
    /// SIGHUP: the terminal is gone.
    pub hang_up: bool,
    /// Whether somebody may handle them already, and goes on to, before contexts are told.
    pub chained: bool,
}

impl Signals {
    /// All of them, and nobody else may handle them.
    pub const ALL: Self = Self { interrupt: true, terminate: true, hang_up: true, chained: false };
    /// None of them.
    pub const NONE: Self = Self { interrupt: false, terminate: false, hang_up: false, chained: false };

    fn wants(self, signal: i32) -> bool {
        match signal {
            libc::SIGINT => self.interrupt,
            libc::SIGTERM => self.terminate,
            _ => self.hang_up,
        }
    }
}

/// Who asked for a signal, and what it did before.
struct Before {
    /// The [`Origin`] that asked for the signal, 0 for none: a forked child inherits the handler, and may not want it.
    asked: AtomicU32,
    /// A handler; 0 for none.
    handler: AtomicUsize,
    /// Whether it takes three arguments.
    is_long: AtomicBool,
}

impl Before {
    const fn new() -> Self {
        let (asked, handler) = (AtomicU32::new(0), AtomicUsize::new(0));
        Self { asked, handler, is_long: AtomicBool::new(false) }
    }

    fn of(signal: i32) -> Option<&'static Self> {
        let place = SIGNALS.iter().position(|other| *other == signal)?;
        Some(&BEFORE[place])
    }

    /// Calls it, in a handler. Whether there is one.
    fn call(&self, signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) -> bool {
        let handler = self.handler.load(Ordering::Acquire);
        if handler == 0 {
            return false;
        }
        // SAFETY: what stands there is a handler that somebody installed, with so many arguments; it is
        // called where it would have been.
        unsafe {
            if self.is_long.load(Ordering::Relaxed) {
                type Long = extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void);
                std::mem::transmute::<usize, Long>(handler)(signal, info, context);
            } else {
                std::mem::transmute::<usize, extern "C" fn(i32)>(handler)(signal);
            }
        }
        true
    }
}

/// Calls `handler` after each of the signals, on a thread made for it, and says whether somebody else handles
/// the signal too. Only the first `handler` of a process counts.
///
/// A signal that is ignored (as `nohup` does) stays ignored.
///
/// # Errors
/// If somebody else handles one of the signals and they are not chained, or there is no pipe or thread.
pub fn on_termination(signals: Signals, handler: fn(bool)) -> io::Result<()> {
    ASKER.with(|asked| {
        if !*asked {
            ask(handler)?;
            *asked = true;
        }
        let wanted = SIGNALS.into_iter().filter(|signal| signals.wants(*signal));
        wanted.into_iter().try_for_each(|signal| install(signal, signals.chained))
    })
}

/// Puts back what the signals did before, where nobody has changed it since.
pub fn restore_termination() -> io::Result<()> {
    ASKER.with(|_| SIGNALS.into_iter().try_for_each(uninstall))
}

fn ask(handler: fn(bool)) -> io::Result<()> {
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
    let thread = std::thread::Builder::new().name("saltus-signal".into()).stack_size(STACK);
    spawn(thread, move || listen(&reader, handler))?;
    PIPE.store(writer.into_raw_fd(), Ordering::Release);
    Ok(())
}

/// Waits for bytes in the pipe, for as long as the process lives.
fn listen(pipe: &OwnedFd, handler: fn(bool)) {
    use rustix::event::{PollFd, PollFlags, poll};
    loop {
        // An interruption is as good as a wake-up: the read finds nothing.
        let _ = poll(&mut [PollFd::new(pipe, PollFlags::IN)], None);
        let mut signals = [0u8; 16];
        let count = rustix::io::read(pipe, &mut signals).unwrap_or(0);
        signals[..count].iter().for_each(|is_shared| handler(*is_shared != 0));
    }
}

/// The action of a signal.
fn action_of(signal: i32) -> io::Result<libc::sigaction> {
    // SAFETY: `sigaction` is plain data for which all-zero is valid; the call writes it alone.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        match libc::sigaction(signal, std::ptr::null(), &mut action) {
            0 => Ok(action),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

fn set_action(signal: i32, handler: libc::sighandler_t, flags: i32) -> io::Result<()> {
    // SAFETY: as above; the handler is this file's, which does only what may be done in one, or one that was
    // there before, with the flags that say how it is called.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler;
        action.sa_flags = flags;
        match libc::sigaction(signal, &action, std::ptr::null_mut()) {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

fn own_handler() -> libc::sighandler_t {
    handle as extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) as libc::sighandler_t
}

/// Makes `handle` the action of a signal that has its default one, or one that may be chained.
fn install(signal: i32, chained: bool) -> io::Result<()> {
    let before = action_of(signal)?;
    let Some(kept) = Before::of(signal) else { return Ok(()) };
    let mut flags = libc::SA_RESTART | libc::SA_SIGINFO;
    match before.sa_sigaction {
        libc::SIG_IGN => return Ok(()),
        other if other == own_handler() => {
            kept.asked.store(Origin::here().number(), Ordering::Release);
            return Ok(());
        }
        libc::SIG_DFL => kept.handler.store(0, Ordering::Release),
        _ if !chained => {
            return Err(io::Error::other(format!("signal {signal} has a handler already")));
        }
        other => {
            // Whoever it is may count on system calls being interrupted.
            flags = before.sa_flags | libc::SA_SIGINFO;
            kept.is_long.store(before.sa_flags & libc::SA_SIGINFO != 0, Ordering::Relaxed);
            kept.handler.store(other, Ordering::Release);
        }
    }
    kept.asked.store(Origin::here().number(), Ordering::Release);
    set_action(signal, own_handler(), flags)
}

fn uninstall(signal: i32) -> io::Result<()> {
    let now = action_of(signal)?;
    let Some(before) = Before::of(signal).filter(|_| now.sa_sigaction == own_handler()) else {
        return Ok(());
    };
    let long = if before.is_long.load(Ordering::Relaxed) { libc::SA_SIGINFO } else { 0 };
    match before.handler.load(Ordering::Acquire) {
        0 => set_action(signal, libc::SIG_DFL, 0),
        handler => set_action(signal, handler, now.sa_flags & !libc::SA_SIGINFO | long),
    }
}

/// The handler: atomics and system calls that a handler may make, and nothing else.
extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let before = Before::of(signal);
    let is_asked =
        before.is_some_and(|before| Origin::numbered(before.asked.load(Ordering::Acquire)).is_here());
    // First: once contexts have been told, their waits end, and what is waited for must have happened.
    let is_shared = before.is_some_and(|before| before.call(signal, info, context));
    if is_asked {
        // SAFETY: writes one byte from a valid buffer; `errno` is put back, as interrupted code may
        // be about to read it. A full pipe means that the thread is about to call the handler anyway.
        unsafe {
            let errno = libc::__errno_location();
            let before = *errno;
            libc::write(PIPE.load(Ordering::Relaxed), [u8::from(is_shared)].as_ptr().cast(), 1);
            *errno = before;
        }
    } else if !is_shared {
        // SAFETY: both calls may be made in a handler. The signal is blocked until the handler
        // returns, and ends the process then.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
}
