//! Ctrl-C: the measured processes end by themselves, this one tidies up behind them.

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
/// What a shell reports of a program that was interrupted.
const STATUS: i32 = 130;
const ONE_PRESS: Duration = Duration::from_millis(300);

/// From now on the first Ctrl-C is noted, and the second ends the process at once.
pub(crate) fn note() -> Result<(), RunError> {
    let start = Instant::now();
    let first = Mutex::new(None);
    ctrlc::set_handler(move || {
        let mut first = lock(&first);
        let since = *first.get_or_insert(start.elapsed());
        INTERRUPTED.store(true, Ordering::Release);
        // Some send it to the process and to its group: that is once.
        if start.elapsed() - since > ONE_PRESS {
            std::process::exit(STATUS);
        }
    })
    .map_err(|error| RunError::Failed("can't handle Ctrl-C".into(), error.to_string()))
}

/// An error if Ctrl-C was pressed.
pub(crate) fn check() -> Result<(), RunError> {
    if INTERRUPTED.load(Ordering::Acquire) { Err(RunError::Interrupted) } else { Ok(()) }
}

/// Sleeps until that monotonic time in nanoseconds, but not beyond Ctrl-C, which is an error.
pub(crate) fn sleep_until(time: u64) -> Result<(), RunError> {
    const LOOK: Duration = Duration::from_millis(100);
    loop {
        check()?;
        let left = Duration::from_nanos(time.saturating_sub(saltus::monotonic_now()));
        if left.is_zero() {
            return Ok(());
        }
        std::thread::sleep(left.min(LOOK));
    }
}
