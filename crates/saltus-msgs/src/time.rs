//! Conversions between `builtin_interfaces` and the times of Saltus and of the standard library.

use std::{
    error::Error,
    fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use saltus_types as types;

use crate::builtin_interfaces::msg;

/// A `builtin_interfaces/msg/Duration` is negative. [`Duration`] has no value for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NegativeDuration(pub msg::Duration);

impl fmt::Display for NegativeDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a duration of {} s and {} ns is negative", self.0.sec, self.0.nanosec)
    }
}

impl Error for NegativeDuration {}

/// Times outside the range of the message become its first or last time.
///
/// ```
/// use saltus_msgs::{builtin_interfaces::msg, std_msgs::msg::Header};
/// use saltus_types::Time;
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
/// use saltus_msgs::builtin_interfaces::msg;
/// use saltus_types::Time;
/// assert_eq!(Time::from(msg::Time { sec: -1, nanosec: 999_999_999 }), Time::from_nanos(-1));
/// ```
impl From<msg::Time> for types::Time {
    fn from(time: msg::Time) -> Self {
        Self::from_nanos(i64::from(time.sec) * 1_000_000_000 + i64::from(time.nanosec))
    }
}

/// Times outside the range of the message become its first or last time.
///
/// ```
/// use saltus_msgs::builtin_interfaces::msg;
/// use std::time::{Duration, UNIX_EPOCH};
/// assert_eq!(msg::Time::from(UNIX_EPOCH + Duration::from_millis(2500)), msg::Time { sec: 2, nanosec: 500_000_000 });
/// ```
impl From<SystemTime> for msg::Time {
    fn from(time: SystemTime) -> Self {
        let nanos = match time.duration_since(UNIX_EPOCH) {
            Ok(after) => nanos_of(after),
            Err(before) => nanos_of(before.duration()).saturating_neg(),
        };
        types::Time::from_nanos(nanos).into()
    }
}

/// ```
/// use saltus_msgs::builtin_interfaces::msg;
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

/// Durations over 68 years become the longest of the message.
///
/// ```
/// use saltus_msgs::builtin_interfaces::msg;
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
/// use saltus_msgs::builtin_interfaces::msg;
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

fn nanos_of(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_out_of_range_become_the_first_or_last_time() {
        let century = Duration::from_secs(100 * 366 * 86_400);
        assert_eq!(msg::Time::from(UNIX_EPOCH + century), msg::Time { sec: i32::MAX, nanosec: 999_999_999 });
        assert_eq!(msg::Time::from(UNIX_EPOCH - century), msg::Time { sec: i32::MIN, nanosec: 0 });
        assert_eq!(msg::Duration::from(century), msg::Duration { sec: i32::MAX, nanosec: 999_999_999 });
    }

    #[test]
    fn any_message_becomes_a_time_and_comes_back() {
        for sec in [i32::MIN, -1, 0, 1, i32::MAX] {
            for nanosec in [0, 1, 999_999_999] {
                let time = msg::Time { sec, nanosec };
                assert_eq!(msg::Time::from(types::Time::from(time)), time);
                assert_eq!(msg::Time::from(SystemTime::from(time)), time);
            }
        }
    }

    #[test]
    fn nanoseconds_beyond_a_second_are_carried() {
        let time = msg::Time { sec: 1, nanosec: 2_000_000_000 };
        assert_eq!(types::Time::from(time), types::Time::from_nanos(3_000_000_000));
        let duration = msg::Duration { sec: -1, nanosec: 2_000_000_000 };
        assert_eq!(Duration::try_from(duration), Ok(Duration::from_secs(1)));
    }
}
