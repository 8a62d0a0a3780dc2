//! The two clocks.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use rustix::time::{ClockId, Timespec, clock_gettime};
use saltus_types::Time;

/// Nanoseconds on the monotonic clock, the same for all processes of this host.
pub fn monotonic_now() -> u64 {
    nanos_of(ClockId::Monotonic) as u64
}

/// The same as a signed number, as differences are made of it.
pub fn monotonic_nanos() -> i64 {
    monotonic_now() as i64
}

/// The time on the system clock, as messages carry it.
pub fn system_now() -> Time {
    Time::from_nanos(nanos_of(ClockId::Realtime))
}

/// For how long the difference of the clocks is used once it was read, in nanoseconds.
const DIFFERENCE_AGE: u64 = 1_000_000;

/// By how many nanoseconds the system clock is ahead of the monotonic one. It changes only when the system clock is set.
static DIFFERENCE: AtomicI64 = AtomicI64::new(0);
/// When that was read, on the monotonic clock.
static READ_AT: AtomicU64 = AtomicU64::new(0);

/// What both clocks show now: the system clock for the user, the monotonic one for what is measured.
///
/// Reading a clock takes as long as queueing a message. So the difference of the two is read at most once a millisecond:
/// when the system clock is set, that shows up to a millisecond later.
pub fn both_now() -> (Time, i64) {
    let now = monotonic_now();
    // A process in another time namespace than its parent may be before the time that the parent noted.
    if now.wrapping_sub(READ_AT.load(Ordering::Acquire)) >= DIFFERENCE_AGE {
        DIFFERENCE.store(difference(), Ordering::Relaxed);
        READ_AT.store(now, Ordering::Release);
    }
    (Time::from_nanos(now as i64 + DIFFERENCE.load(Ordering::Relaxed)), now as i64)
}

/// The difference of the two clocks. Their coarse readings are both of the kernel's last tick, so it is exact if no tick
/// came in between.
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

fn nanos_of(clock: ClockId) -> i64 {
    let now = clock_gettime(clock);
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}

/// A point or span of nanoseconds as the kernel takes it.
pub fn timespec(nanos: u64) -> Timespec {
    Timespec { tv_sec: (nanos / 1_000_000_000) as i64, tv_nsec: (nanos % 1_000_000_000) as i64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_clocks_are_those_of_one_moment() {
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
