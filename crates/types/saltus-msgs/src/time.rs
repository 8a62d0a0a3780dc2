//! Conversions between `builtin_interfaces` and the time types of Saltus and of the standard library.

use std::{
    error::Error,
    fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use saltus_types as types;

use crate::builtin_interfaces::msg;

/// The error for a `builtin_interfaces/msg/Duration` that is negative. A [`Duration`] can't be negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NegativeDuration(pub msg::Duration);

impl fmt::Display for NegativeDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "can't convert a duration of {} s and {} ns: it is negative", self.0.sec, self.0.nanosec)
    }
}

impl Error for NegativeDuration {}

/// A time outside the range of the message becomes the first or the last time of the range.
///
/// ```
/// use saltus::msgs::{builtin_interfaces::msg, std_msgs::msg::Header};
/// use saltus::Time;
/// let header = Header { stamp: Time::from_nanos(1_500_000_000).into(), ..Header::default() };
/// assert_eq!(header.stamp, msg::Time { sec: 1, nanosec: 500_000_000 });
/// ```
impl From<types::Time> for msg::Time {
    fn from(time: types::Time) -> Self {
        let (sec, nanosec) = time.split();
        Self { sec, nanosec }
    }
}

/// ```
/// use saltus::msgs::builtin_interfaces::msg;
/// use saltus::Time;
/// assert_eq!(Time::from(msg::Time { sec: -1, nanosec: 999_999_999 }), Time::from_nanos(-1));
/// ```
impl From<msg::Time> for types::Time {
    fn from(time: msg::Time) -> Self {
        Self::from_nanos(i64::from(time.sec) * 1_000_000_000 + i64::from(time.nanosec))
    }
}

/// A time outside the range of the message becomes the first or the last time of the range.
///
/// ```
/// use saltus::msgs::builtin_interfaces::msg;
/// use std::time::{Duration, UNIX_EPOCH};
/// assert_eq!(msg::Time::from(UNIX_EPOCH + Duration::from_millis(2500)), msg::Time { sec: 2, nanosec: 500_000_000 });
/// ```
impl From<SystemTime> for msg::Time {
    fn from(time: SystemTime) -> Self {
        let nanos = match time.duration_since(UNIX_EPOCH) {
            Ok(after) => saturating_nanos(after),
            Err(before) => saturating_nanos(before.duration()).saturating_neg(),
        };
        types::Time::from_nanos(nanos).into()
    }
}

/// ```
/// use saltus::msgs::builtin_interfaces::msg;
/// use std::time::{Duration, SystemTime, UNIX_EPOCH};
/// assert_eq!(SystemTime::from(msg::Time { sec: -2, nanosec: 500_000_000 }), UNIX_EPOCH - Duration::from_millis(1500));
/// ```
impl From<msg::Time> for SystemTime {
    fn from(time: msg::Time) -> Self {
        let sec = Duration::from_secs(time.sec.unsigned_abs().into());
        let whole = if time.sec < 0 { UNIX_EPOCH - sec } else { UNIX_EPOCH + sec };
        whole + Duration::from_nanos(time.nanosec.into())
    }
}

/// A duration of more than 68 years becomes the longest duration of the message.
///
/// ```
/// use saltus::msgs::builtin_interfaces::msg;
/// use std::time::Duration;
/// assert_eq!(msg::Duration::from(Duration::from_millis(2500)), msg::Duration { sec: 2, nanosec: 500_000_000 });
/// ```
impl From<Duration> for msg::Duration {
    fn from(duration: Duration) -> Self {
        match i32::try_from(duration.as_secs()) {
            Ok(sec) => Self { sec, nanosec: duration.subsec_nanos() },
            Err(_) => Self { sec: i32::MAX, nanosec: 999_999_999 },
        }
    }
}

/// ```
/// use saltus::msgs::builtin_interfaces::msg;
/// use std::time::Duration;
/// assert_eq!(Duration::try_from(msg::Duration { sec: 2, nanosec: 500_000_000 }), Ok(Duration::from_millis(2500)));
/// assert!(Duration::try_from(msg::Duration { sec: -1, nanosec: 0 }).is_err());
/// ```
impl TryFrom<msg::Duration> for Duration {
    type Error = NegativeDuration;

    fn try_from(duration: msg::Duration) -> Result<Self, NegativeDuration> {
        let nanos = i64::from(duration.sec) * 1_000_000_000 + i64::from(duration.nanosec);
        u64::try_from(nanos).map(Self::from_nanos).map_err(|_| NegativeDuration(duration))
    }
}

fn saturating_nanos(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_out_of_range_become_the_first_or_last_time_of_the_range() {
        let century = Duration::from_secs(100 * 366 * 86_400);
        assert_eq!(msg::Time::from(UNIX_EPOCH + century), msg::Time { sec: i32::MAX, nanosec: 999_999_999 });
        assert_eq!(msg::Time::from(UNIX_EPOCH - century), msg::Time { sec: i32::MIN, nanosec: 0 });
        assert_eq!(msg::Duration::from(century), msg::Duration { sec: i32::MAX, nanosec: 999_999_999 });
    }

    #[test]
    fn a_message_is_unchanged_after_conversion_to_a_time_and_back() {
        for sec in [i32::MIN, -1, 0, 1, i32::MAX] {
            for nanosec in [0, 1, 999_999_999] {
                let time = msg::Time { sec, nanosec };
                assert_eq!(msg::Time::from(types::Time::from(time)), time);
                assert_eq!(msg::Time::from(SystemTime::from(time)), time);
            }
        }
    }

    #[test]
    fn nanoseconds_of_more_than_a_second_are_added_to_the_seconds() {
        let time = msg::Time { sec: 1, nanosec: 2_000_000_000 };
        assert_eq!(types::Time::from(time), types::Time::from_nanos(3_000_000_000));
        let duration = msg::Duration { sec: -1, nanosec: 2_000_000_000 };
        assert_eq!(Duration::try_from(duration), Ok(Duration::from_secs(1)));
    }
}
