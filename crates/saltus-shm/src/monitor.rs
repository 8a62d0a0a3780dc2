//! Deadlines and leases: what must be noticed while nothing happens.
//!
//! The housekeeping asks each endpoint that has one, and sleeps until the next is due. All times are monotonic
//! nanoseconds: setting the system clock changes nothing.

use std::time::Duration;

use crate::registry::nanos;

/// Times are not looked at more often than this, in nanoseconds: however short a period somebody asks for,
/// or a stranger pretends.
const SHORTEST: u64 = 1_000_000;

/// When to look again, in monotonic nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due(i64);

impl Due {
    pub(crate) const NEVER: Self = Self(i64::MAX);

    pub(crate) fn at(time: i64) -> Self {
        Self(time)
    }

    /// The earlier of two.
    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }

    /// How long until then, in nanoseconds, at least a millisecond; `None` if it is never.
    pub(crate) fn after(self, now: i64) -> Option<u64> {
        (self != Self::NEVER).then(|| u64::try_from(self.0.saturating_sub(now)).unwrap_or(0).max(SHORTEST))
    }
}

/// Counts the periods that go by without a message.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DeadlineWatch {
    /// In nanoseconds; 0 for no deadline.
    period: i64,
    /// When the last message came that is known of, or the watch began; 0 before that.
    since: i64,
    /// How many periods were told of since then.
    told: i64,
}

impl DeadlineWatch {
    pub(crate) fn new(period: Option<Duration>) -> Self {
        Self { period: nanos(period) as i64, ..Self::default() }
    }

    /// Whether there is a deadline at all.
    pub(crate) fn is_on(&self) -> bool {
        self.period > 0
    }

    /// How many more periods have gone by since `last`, when the last message was sent (0 for none), and
    /// when to look again. The first begins when `begins` is first true.
    ///
    /// `last` may come from another process, and is not believed beyond `now`.
    pub(crate) fn check(&mut self, last: i64, begins: bool, now: i64) -> (u64, Due) {
        if self.period == 0 || self.since == 0 && !begins {
            return (0, Due::NEVER);
        }
        let since = if self.since == 0 { now } else { self.since.max(last.min(now)) };
        if since > self.since {
            (self.since, self.told) = (since, 0);
        }
        let gone = now.saturating_sub(self.since).max(0) / self.period;
        let missed = (gone - self.told).max(0);
        self.told = self.told.max(gone);
        let next = self.told.saturating_add(1).saturating_mul(self.period);
        (missed as u64, Due::at(self.since.saturating_add(next)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_period_without_a_message_is_told_once() {
        let mut watch = DeadlineWatch::new(Some(Duration::from_nanos(10)));
        assert_eq!(watch.check(50, false, 100), (0, Due::NEVER), "nobody is there yet");
        assert_eq!(watch.check(50, true, 100), (0, Due::at(110)), "what was before does not count");
        assert_eq!(watch.check(0, true, 109), (0, Due::at(110)));
        assert_eq!(watch.check(0, true, 110), (1, Due::at(120)));
        assert_eq!(watch.check(0, true, 135), (2, Due::at(140)), "a late look counts them all");
        assert_eq!(watch.check(134, true, 135), (0, Due::at(144)), "a message begins anew");
        assert_eq!(watch.check(134, false, 144), (1, Due::at(154)), "also after everybody has gone");
        assert_eq!(watch.check(i64::MAX, true, 144), (0, Due::at(154)), "nobody comes from the future");
        assert_eq!(DeadlineWatch::new(None).check(1, true, 99), (0, Due::NEVER));
    }
}
