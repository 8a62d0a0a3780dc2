//! The two clocks.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use rustix::time::{ClockId, Timespec, clock_gettime};
use saltus_types::Time;

/// Nanoseconds on the monotonic clock, the same for all processes of this host.
pub fn monotonic_now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// The same as a signed number, as differences are made of it.
pub(crate) fn monotonic_nanos() -> i64 {
    monotonic_now() as i64
}

/// The time on the system clock, as messages carry it.
pub fn system_now() -> Time {
    let now = clock_gettime(ClockId::Realtime);
    Time::from_nanos(now.tv_sec * 1_000_000_000 + now.tv_nsec)
}

/// For how long the difference of the clocks is used once it was read, in nanoseconds.
const DIFFERENCE_AGE: u64 = 1_000_000;
/// How long reading it may take, so that it is that of one moment, in nanoseconds.
const ONE_MOMENT: u64 = 1_000;
/// How often it is read at most until that holds.
const READINGS: u32 = 4;

/// By how many nanoseconds the system clock is ahead of the monotonic one.
static DIFFERENCE: AtomicI64 = AtomicI64::new(0);
/// When that was read, on the monotonic clock.
static READ_AT: AtomicU64 = AtomicU64::new(0);

/// What both clocks show now: the system clock for the user, the monotonic one for what is measured.
///
/// Reading a clock takes as long as queueing a message. So the difference of the two is read at most once a millisecond,
/// and a step of the system clock shows that much later. The first is never later than the system clock.
pub(crate) fn both_now() -> (Time, i64) {
    let now = monotonic_now();
    if now.saturating_sub(READ_AT.load(Ordering::Acquire)) >= DIFFERENCE_AGE {
        read_difference();
    }
    (Time::from_nanos(now as i64 + DIFFERENCE.load(Ordering::Relaxed)), now as i64)
}

#[cold]
fn read_difference() {
    let (mut before, mut now) = (monotonic_now(), 0);
    for _ in 0..READINGS {
        let system = system_now();
        now = monotonic_now();
        DIFFERENCE.store(system.as_nanos() - now as i64, Ordering::Relaxed);
        if now - before < ONE_MOMENT {
            break;
        }
        before = now;
    }
    READ_AT.store(now, Ordering::Release);
}

/// A point or span of nanoseconds as the kernel takes it.
pub(crate) fn timespec(nanos: u64) -> Timespec {
    Timespec { tv_sec: (nanos / 1_000_000_000) as i64, tv_nsec: (nanos % 1_000_000_000) as i64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_clocks_are_those_of_one_moment() {
        for _ in 0..10_000 {
            let (before, earlier) = (system_now(), monotonic_now() as i64);
            let (system, monotonic) = both_now();
            assert!(system <= system_now() && monotonic >= earlier);
            // A reading that was interrupted each time makes it earlier, and not by more than the interruptions.
            assert!(system.as_nanos() >= before.as_nanos() - 1_000_000_000);
        }
    }
}
