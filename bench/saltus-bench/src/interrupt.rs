//! Ctrl-C: this process ends the measured processes and cleans up after them.

use rustix::process::{Pid, Signal, kill_process_group};
use saltus::types::lock;
use std::{
    io::{self, Write},
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crate::error::RunError;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// The process groups that this process must end before it ends itself.
static GROUPS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());
/// The exit status that a shell reports for an interrupted program.
const STATUS: i32 = 130;
const ONE_PRESS: Duration = Duration::from_millis(300);

/// Installs a handler for Ctrl-C. The first Ctrl-C is recorded, and the second one ends the process at once.
pub(crate) fn install_handler() -> Result<(), RunError> {
    let start = Instant::now();
    let first = Mutex::new(None);
    ctrlc::set_handler(move || {
        let mut first = lock(&first);
        let since = *first.get_or_insert(start.elapsed());
        if !INTERRUPTED.swap(true, Ordering::AcqRel) {
            // If nobody can read the text, Ctrl-C works all the same.
            let _ = writeln!(io::stderr(), "ending; Ctrl-C again ends at once");
        }
        // Some programs send the signal to the process and to its process group. Signals within `ONE_PRESS` count as
        // one press.
        if start.elapsed() - since > ONE_PRESS {
            for group in lock(&GROUPS).drain(..) {
                let _ = kill_process_group(group, Signal::KILL);
            }
            std::process::exit(STATUS);
        }
    })
    .map_err(|error| RunError::Failed("can't handle Ctrl-C".into(), error.to_string()))
}

/// Notes a process group that is killed if Ctrl-C is pressed a second time.
pub(crate) fn begin_group(group: Pid) {
    lock(&GROUPS).push(group);
}

/// Notes that a process group has ended.
pub(crate) fn end_group(group: Pid) {
    lock(&GROUPS).retain(|other| *other != group);
}

/// Returns an error if Ctrl-C was pressed.
pub(crate) fn check() -> Result<(), RunError> {
    if INTERRUPTED.load(Ordering::Acquire) { Err(RunError::Interrupted) } else { Ok(()) }
}

/// Sleeps until `time`, a monotonic time in nanoseconds. If Ctrl-C is pressed, returns early with an error.
pub(crate) fn sleep_until(time: u64) -> Result<(), RunError> {
    const POLL: Duration = Duration::from_millis(100);
    loop {
        check()?;
        let left = Duration::from_nanos(time.saturating_sub(saltus::time::monotonic_now()));
        if left.is_zero() {
            return Ok(());
        }
        std::thread::sleep(left.min(POLL));
    }
}
