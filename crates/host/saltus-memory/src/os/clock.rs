//! The monotonic clock and the system clock.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use rustix::time::{ClockId, Timespec, clock_gettime};
use saltus_types::Time;

/// Returns the nanoseconds on the monotonic clock. They are the same for all processes of this host.
#[inline]
pub fn monotonic_now() -> u64 {
    nanos_of(ClockId::Monotonic) as u64
}

/// Returns the same as [`monotonic_now`] as a signed number, for differences.
#[inline]
pub fn monotonic_nanos() -> i64 {
    monotonic_now() as i64
}

/// Returns the time on the system clock, as messages carry it.
pub fn system_now() -> Time {
    Time::from_nanos(nanos_of(ClockId::Realtime))
}

/// The time for which the difference of the clocks is used after it was read, in nanoseconds.
const DIFFERENCE_AGE: u64 = 1_000_000;

/// The difference of the system clock from the monotonic one, in nanoseconds. It changes only when the system clock is set.
static DIFFERENCE: AtomicI64 = AtomicI64::new(0);
/// When the difference was read, on the monotonic clock.
static READ_AT: AtomicU64 = AtomicU64::new(0);

/// Returns what both clocks show now: the system clock for the user, and the monotonic clock for measurements.
///
/// Reading a clock takes as long as queueing a message. So the difference of the two clocks is read at most once a
/// millisecond. If the system clock is set, the returned time follows up to a millisecond later.
#[inline]
pub(crate) fn both_now() -> (Time, i64) {
    let now = monotonic_now();
    // If the process is in another time namespace than its parent, its clock may be before the time that the parent noted.
    // Then the subtraction wraps, and the difference is read again.
    if now.wrapping_sub(READ_AT.load(Ordering::Acquire)) >= DIFFERENCE_AGE {
        DIFFERENCE.store(difference(), Ordering::Relaxed);
        READ_AT.store(now, Ordering::Release);
    }
    (Time::from_nanos(now as i64 + DIFFERENCE.load(Ordering::Relaxed)), now as i64)
}

/// Returns the difference of the two clocks. Both coarse clocks show the time of the kernel's last tick. So the difference
/// is exact if no tick came between the readings.
#[cold]
fn difference() -> i64 {
    loop {
        let before = nanos_of(ClockId::MonotonicCoarse);
        let system = nanos_of(ClockId::RealtimeCoarse);
        if nanos_of(ClockId::MonotonicCoarse) == before {
            return system - before;
        }
    }
}

#[inline]
fn nanos_of(clock: ClockId) -> i64 {
    let now = clock_gettime(clock);
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}

/// Converts a point or span of time in nanoseconds to the kernel's format.
pub fn timespec(nanos: u64) -> Timespec {
    Timespec { tv_sec: (nanos / 1_000_000_000) as i64, tv_nsec: (nanos % 1_000_000_000) as i64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_clocks_show_the_same_moment() {
        // The kernel rounds each clock down to whole nanoseconds.
        const ROUNDING: i64 = 2;
        let mut last = 0;
        for _ in 0..10_000 {
            let (before, earlier) = (system_now().as_nanos(), monotonic_nanos());
            let (system, monotonic) = both_now();
            let (after, later) = (system_now().as_nanos(), monotonic_nanos());
            let system = system.as_nanos();
            assert!((before - ROUNDING..=after + ROUNDING).contains(&system), "{before} {system} {after}");
            assert!((earlier..=later).contains(&monotonic));
            assert!(system >= last, "the times of messages go on");
            last = system;
        }
    }
}
