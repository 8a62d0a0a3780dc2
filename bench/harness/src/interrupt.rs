//! Ctrl-C: the measured processes end on their own, and this process cleans up after them.

use saltus::types::lock;
use std::{
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crate::error::RunError;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
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
        INTERRUPTED.store(true, Ordering::Release);
        // Some programs send the signal to the process and to its process group. Signals within `ONE_PRESS` count as
        // one press.
        if start.elapsed() - since > ONE_PRESS {
            std::process::exit(STATUS);
        }
    })
    .map_err(|error| RunError::Failed("can't handle Ctrl-C".into(), error.to_string()))
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
