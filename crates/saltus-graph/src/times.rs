//! Deadlines and leases: what must be noticed while nothing happens.
//!
//! Whoever has a clock asks each endpoint that has one, and comes back when the next is due. All times are monotonic
//! nanoseconds: setting the system clock changes nothing.

use std::time::Duration;

use saltus_types::{Liveliness, QoS};

/// Times are not looked at more often than this, in nanoseconds: however short a period somebody asks for,
/// or a stranger pretends.
const SHORTEST: u64 = 1_000_000;

/// A period in nanoseconds, 0 for none; beyond what the clock counts it is none.
pub fn nanos(period: Option<Duration>) -> u64 {
    let nanos = period.map_or(0, |period| period.as_nanos());
    u64::try_from(nanos).ok().filter(|nanos| *nanos < i64::MAX as u64 / 2).unwrap_or(0)
}

/// When to look again, in monotonic nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due(i64);

impl Due {
    /// There is nothing to look for.
    pub const NEVER: Self = Self(i64::MAX);

    /// At a time.
    pub fn at(time: i64) -> Self {
        Self(time)
    }

    /// The earlier of two.
    pub fn or(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }

    /// How long until then, in nanoseconds, at least a millisecond; `None` if it is never.
    pub fn after(self, now: i64) -> Option<u64> {
        (self != Self::NEVER).then(|| u64::try_from(self.0.saturating_sub(now)).unwrap_or(0).max(SHORTEST))
    }
}

/// Counts the periods that go by without a message.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeadlineWatch {
    /// In nanoseconds; 0 for no deadline.
    period: i64,
    /// When the last message came that is known of, or the watch began; 0 before that.
    since: i64,
    /// How many periods were told of since then.
    told: i64,
}

impl DeadlineWatch {
    /// A watch that has not begun.
    pub fn new(period: Option<Duration>) -> Self {
        Self { period: nanos(period) as i64, ..Self::default() }
    }

    /// Whether there is a deadline at all.
    pub fn is_on(&self) -> bool {
        self.period > 0
    }

    /// How many more periods have gone by since `last`, when the last message was sent (0 for none), and
    /// when to look again. The first begins when `begins` is first true.
    ///
    /// `last` may come from another process, and is not believed beyond `now`.
    pub fn check(&mut self, last: i64, begins: bool, now: i64) -> (u64, Due) {
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

/// How soon a publisher that is silent beyond its lease is looked at again, in nanoseconds.
const SILENT_LOOK: i64 = 10_000_000;

/// When a publisher was active, in monotonic nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// When it last sent; 0 if it has not.
    pub sent_at: i64,
    /// When it last said that it is alive.
    pub asserted_at: i64,
    /// Whether it has a subscription.
    pub is_matched: bool,
}

/// The deadline and the lease of a publisher.
#[derive(Clone, Copy, Debug)]
pub struct PublisherWatch {
    deadline: DeadlineWatch,
    liveliness: Liveliness,
    /// In nanoseconds; 0 for none.
    lease: i64,
    /// When it had last shown itself before a silence that was told of.
    silent_since: Option<i64>,
}

/// What a look at a publisher's times found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublisherTimes {
    /// How many more periods have gone by without a message.
    pub missed: u64,
    /// Whether the lease of manual liveliness has run out just now.
    pub is_lost: bool,
    /// Whether its process must say that it is alive, as automatic liveliness has it.
    pub must_assert: bool,
    /// When to look again.
    pub due: Due,
}

impl PublisherWatch {
    /// What is to be watched of a publisher; `None` if that is nothing.
    pub fn new(qos: &QoS) -> Option<Self> {
        let (deadline, lease) = (DeadlineWatch::new(qos.deadline), nanos(qos.lease) as i64);
        let (liveliness, silent_since) = (qos.liveliness, None);
        (qos.deadline.is_some() || qos.lease.is_some()).then_some(Self {
            deadline,
            liveliness,
            lease,
            silent_since,
        })
    }

    /// Looks at the time.
    pub fn check(&mut self, activity: Activity, now: i64) -> PublisherTimes {
        let (missed, due) = self.deadline.check(activity.sent_at, activity.is_matched, now);
        let times = PublisherTimes { missed, is_lost: false, must_assert: false, due };
        if self.lease == 0 {
            return times;
        }
        if self.liveliness == Liveliness::Automatic {
            // Three times a lease, so that one late look is no lapse.
            let due = due.or(Due::at(now.saturating_add(self.lease / 3)));
            return PublisherTimes { must_assert: true, due, ..times };
        }
        let shown_at = activity.sent_at.max(activity.asserted_at);
        let until = shown_at.saturating_add(self.lease);
        let is_silent = now >= until;
        let next = if is_silent { now.saturating_add(self.lease) } else { until };
        let is_lost = is_silent && self.silent_since.replace(shown_at) != Some(shown_at);
        PublisherTimes { is_lost, due: due.or(Due::at(next)), ..times }
    }
}

/// Whether a publisher that last showed itself then is alive within its lease, and when to look again.
///
/// Both are what another process says, and are not believed beyond half of all time.
pub fn check_lease(alive_at: i64, lease: u64, now: i64) -> (bool, Due) {
    let lease = lease.min(i64::MAX as u64 / 2) as i64;
    if lease == 0 {
        return (true, Due::NEVER);
    }
    let until = alive_at.saturating_add(lease);
    let is_alive = now < until;
    // Who is silent may speak at any time.
    (is_alive, Due::at(if is_alive { until } else { now.saturating_add(lease.min(SILENT_LOOK)) }))
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

    #[test]
    fn a_manual_lease_that_runs_out_is_told_once_until_it_is_renewed() {
        let lease = Duration::from_nanos(100);
        let qos = QoS::default().liveliness(Liveliness::ManualByTopic, lease);
        let mut watch = PublisherWatch::new(&qos).unwrap();
        let activity = |at| Activity { asserted_at: at, ..Activity::default() };
        assert_eq!(watch.check(activity(10), 20).due, Due::at(110));
        assert!(watch.check(activity(10), 110).is_lost);
        assert!(!watch.check(activity(10), 150).is_lost);
        assert!(!watch.check(activity(150), 160).is_lost);
        assert!(watch.check(activity(150), 250).is_lost);
        assert!(PublisherWatch::new(&QoS::default()).is_none());
    }

    #[test]
    fn a_publisher_is_alive_for_its_lease_and_a_silent_one_is_looked_at_soon() {
        assert_eq!(check_lease(10, 0, i64::MAX), (true, Due::NEVER));
        assert_eq!(check_lease(10, 100, 109), (true, Due::at(110)));
        assert_eq!(check_lease(10, 100, 110), (false, Due::at(210)));
        assert!(check_lease(0, u64::MAX, 0).0);
    }
}
