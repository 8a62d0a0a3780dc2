//! The two clocks.

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

/// A point or span of nanoseconds as the kernel takes it.
pub(crate) fn timespec(nanos: u64) -> Timespec {
    Timespec { tv_sec: (nanos / 1_000_000_000) as i64, tv_nsec: (nanos % 1_000_000_000) as i64 }
}
