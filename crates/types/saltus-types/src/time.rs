//! A point in time, as in messages.

use std::{
    ops::{Add, Sub},
    time::Duration,
};

/// A point in time: the nanoseconds since the Unix epoch on the system clock. They are negative before 1970.
///
/// ```
/// use saltus::Time;
/// assert_eq!(Time::from_nanos(1_500_000_000).as_secs_f64(), 1.5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Time(i64);

impl Time {
    /// Returns the time that is `nanos` nanoseconds after the epoch.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// Returns the nanoseconds since the epoch.
    pub const fn as_nanos(self) -> i64 {
        self.0
    }

    /// Returns the seconds and nanoseconds as in `builtin_interfaces/msg/Time`. A time outside the range of
    /// that message becomes the smallest or the largest value of the range.
    ///
    /// ```
    /// use saltus::Time;
    /// assert_eq!(Time::from_nanos(1_500_000_000).split(), (1, 500_000_000));
    /// assert_eq!(Time::from_nanos(-1).split(), (-1, 999_999_999));
    /// ```
    pub const fn split(self) -> (i32, u32) {
        let (sec, nanosec) = (self.0.div_euclid(1_000_000_000), self.0.rem_euclid(1_000_000_000) as u32);
        if sec > i32::MAX as i64 {
            (i32::MAX, 999_999_999)
        } else if sec < i32::MIN as i64 {
            (i32::MIN, 0)
        } else {
            (sec as i32, nanosec)
        }
    }

    /// Returns the seconds since the epoch, rounded to the precision of an `f64` (about 0.2 µs for present times).
    pub const fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Returns how long after another time this one is; 0 if it is before it.
    ///
    /// ```
    /// use saltus::Time;
    /// use std::time::Duration;
    /// let (early, late) = (Time::from_nanos(5), Time::from_nanos(8));
    /// assert_eq!((late.since(early), early.since(late)), (Duration::from_nanos(3), Duration::ZERO));
    /// ```
    pub fn since(self, earlier: Self) -> Duration {
        let nanos = i128::from(self.0) - i128::from(earlier.0);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(0))
    }
}

/// Returns the time after a duration. It is not later than the last one that there is.
impl Add<Duration> for Time {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(nanos(duration)))
    }
}

/// Returns the time before a duration. It is not earlier than the first one that there is.
impl Sub<Duration> for Time {
    type Output = Self;

    fn sub(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(nanos(duration)))
    }
}

fn nanos(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}
