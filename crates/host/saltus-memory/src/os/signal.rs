//! Handles SIGINT, SIGTERM and SIGHUP on a thread of its own.
//!
//! No library is used for this, because it must work across `fork`: a signal to a forked child must not
//! reach the parent. A handler that writes to an inherited pipe would pass the signal on to the parent.
//! Here, if a child has not installed the handler itself, the handler restores the default action and
//! raises the signal again.

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

/// The size of the thread's stack in bytes. The handlers of contexts need little.
const STACK: usize = 256 << 10;
const SIGNALS: [i32; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];
/// The end of the pipe that the handler writes to; -1 before there is one.
static PIPE: AtomicI32 = AtomicI32::new(-1);
/// Whether this process has started the thread already.
static HAS_THREAD: ForkCell<bool> = ForkCell::new(ForkLock::new(2));
/// The actions that each of the signals above had before.
static PREVIOUS: [PreviousAction; 3] = [const { PreviousAction::new() }; 3];

/// Which of the signals that end a program shut contexts down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signals {
    /// SIGINT, which is Ctrl-C.
    pub interrupt: bool,
    /// SIGTERM.
    pub terminate: bool,
    /// SIGHUP: the terminal is gone.
    pub hang_up: bool,
    /// Whether the signals may have another handler already. That handler is still called, before contexts are
    /// notified.
    pub chained: bool,
}

impl Signals {
    /// All of them. They may not have another handler.
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

/// The previous action of a signal, and which process replaced it.
struct PreviousAction {
    /// The [`Origin`] that installed this file's handler; 0 for none. A forked child inherits the handler, and may not
    /// want it.
    installed_by: AtomicU32,
    /// The previous handler, or `SIG_DFL` (0) or `SIG_IGN`.
    handler: AtomicUsize,
    /// Whether that handler takes three arguments.
    is_long: AtomicBool,
}

impl PreviousAction {
    /// Whether the signal was ignored before.
    fn was_ignored(&self) -> bool {
        self.handler.load(Ordering::Acquire) == libc::SIG_IGN
    }

    const fn new() -> Self {
        let (installed_by, handler) = (AtomicU32::new(0), AtomicUsize::new(0));
        Self { installed_by, handler, is_long: AtomicBool::new(false) }
    }

    fn of(signal: i32) -> Option<&'static Self> {
        let index = SIGNALS.iter().position(|other| *other == signal)?;
        Some(&PREVIOUS[index])
    }

    /// Calls the previous handler in this handler. Returns whether there is one.
    fn call(&self, signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) -> bool {
        let handler = self.handler.load(Ordering::Acquire);
        if matches!(handler, libc::SIG_DFL | libc::SIG_IGN) {
            return false;
        }
        // SAFETY: the address is that of a handler which was installed before, with as many arguments. It is
        // called in the same situation as without this file's handler.
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

/// Calls `handler` after each of the signals, on a thread that is started for this. Its argument is whether another
/// handler handles the signal too. Only the first `handler` of a process is used.
///
/// A SIGHUP that is ignored (as `nohup` does) stays ignored. An ignored SIGINT or SIGTERM does not, as in ROS 2: a shell
/// script starts programs in the background with SIGINT ignored.
///
/// # Errors
/// Returns an error if one of the signals has another handler and `chained` is not set, or if no pipe or thread
/// can be created.
pub fn on_termination(signals: Signals, handler: fn(bool)) -> io::Result<()> {
    HAS_THREAD.with(|has_thread| {
        if !*has_thread {
            start_thread(handler)?;
            *has_thread = true;
        }
        let wanted = SIGNALS.into_iter().filter(|signal| signals.wants(*signal));
        wanted.into_iter().try_for_each(|signal| install(signal, signals.chained))
    })
}

/// Restores the previous actions of the signals. An action that was changed since is left as it is.
pub fn restore_termination() -> io::Result<()> {
    HAS_THREAD.with(|_| SIGNALS.into_iter().try_for_each(uninstall))
}

fn start_thread(handler: fn(bool)) -> io::Result<()> {
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
        // An interruption does no harm: the read then finds nothing.
        let _ = poll(&mut [PollFd::new(pipe, PollFlags::IN)], None);
        let mut signals = [0u8; 16];
        let count = rustix::io::read(pipe, &mut signals).unwrap_or(0);
        signals[..count].iter().for_each(|is_shared| handler(*is_shared != 0));
    }
}

/// Returns the action of a signal.
fn action_of(signal: i32) -> io::Result<libc::sigaction> {
    // SAFETY: `sigaction` is plain data for which all-zero is valid. The call writes nothing else.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        match libc::sigaction(signal, std::ptr::null(), &mut action) {
            0 => Ok(action),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

fn set_action(signal: i32, handler: libc::sighandler_t, flags: i32) -> io::Result<()> {
    // SAFETY: as above. The handler is either this file's, which does only what a signal handler may do, or the one
    // that was there before, with the flags that say how it is called.
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

/// Makes `handle` the action of a signal that has the default action, or another action that may be chained.
fn install(signal: i32, chained: bool) -> io::Result<()> {
    let before = action_of(signal)?;
    let Some(previous) = PreviousAction::of(signal) else { return Ok(()) };
    let mut flags = libc::SA_RESTART | libc::SA_SIGINFO;
    match before.sa_sigaction {
        libc::SIG_IGN if signal == libc::SIGHUP => return Ok(()),
        other if other == own_handler() => {
            previous.installed_by.store(Origin::here().number(), Ordering::Release);
            return Ok(());
        }
        none @ (libc::SIG_DFL | libc::SIG_IGN) => {
            previous.is_long.store(false, Ordering::Relaxed);
            previous.handler.store(none, Ordering::Release);
        }
        _ if !chained => {
            return Err(io::Error::other(format!("signal {signal} has a handler already")));
        }
        other => {
            // Its flags are kept: the program may need system calls to be interrupted.
            flags = before.sa_flags | libc::SA_SIGINFO;
            previous.is_long.store(before.sa_flags & libc::SA_SIGINFO != 0, Ordering::Relaxed);
            previous.handler.store(other, Ordering::Release);
        }
    }
    previous.installed_by.store(Origin::here().number(), Ordering::Release);
    set_action(signal, own_handler(), flags)
}

fn uninstall(signal: i32) -> io::Result<()> {
    let now = action_of(signal)?;
    let Some(previous) = PreviousAction::of(signal).filter(|_| now.sa_sigaction == own_handler()) else {
        return Ok(());
    };
    let long = if previous.is_long.load(Ordering::Relaxed) { libc::SA_SIGINFO } else { 0 };
    match previous.handler.load(Ordering::Acquire) {
        0 => set_action(signal, libc::SIG_DFL, 0),
        handler => set_action(signal, handler, now.sa_flags & !libc::SA_SIGINFO | long),
    }
}

/// The handler. It uses atomics and makes system calls that a handler may make, and does nothing else.
extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let previous = PreviousAction::of(signal);
    let is_installed_here = previous
        .is_some_and(|previous| Origin::numbered(previous.installed_by.load(Ordering::Acquire)).is_here());
    // The previous handler is called first. Once contexts are notified, their waits end. By then the previous handler
    // must have done its work.
    let is_shared = previous.is_some_and(|previous| previous.call(signal, info, context));
    if is_installed_here {
        // SAFETY: writes one byte from a valid buffer. `errno` is restored, because the interrupted code may
        // be about to read it. If the pipe is full, the thread is about to call the handler anyway.
        unsafe {
            let errno = libc::__errno_location();
            let before = *errno;
            libc::write(PIPE.load(Ordering::Relaxed), [u8::from(is_shared)].as_ptr().cast(), 1);
            *errno = before;
        }
    } else if !is_shared && !previous.is_some_and(PreviousAction::was_ignored) {
        // SAFETY: both calls may be made in a handler. The signal is blocked until the handler
        // returns. Then it ends the process.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
}
