//! Deadlines and leases: what must be noticed while nothing happens.
//!
//! The caller has a clock. It checks each endpoint that has a deadline or a lease, and checks again when the next
//! one is due. All times are monotonic nanoseconds, so setting the system clock has no effect.

use std::time::Duration;

use saltus_types::{Liveliness, QoS};

/// The shortest time between two checks, in nanoseconds. It holds for any period, however short, that the user
/// requests or an untrusted process claims.
const SHORTEST: u64 = 1_000_000;

/// Returns a period in nanoseconds, or 0 for none. A period that is too long for the clock becomes 0, too.
pub fn nanos(period: Option<Duration>) -> u64 {
    let nanos = period.map_or(0, |period| period.as_nanos());
    u64::try_from(nanos).ok().filter(|nanos| *nanos < i64::MAX as u64 / 2).unwrap_or(0)
}

/// When to check again, in monotonic nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due(i64);

impl Due {
    /// There is nothing to check.
    pub const NEVER: Self = Self(i64::MAX);

    /// Creates the due time `time`.
    pub fn at(time: i64) -> Self {
        Self(time)
    }

    /// Returns the earlier of the two.
    pub fn or(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }

    /// Returns the time from `now` until then, in nanoseconds, at least a millisecond. Returns `None` for
    /// [`Due::NEVER`].
    pub fn after(self, now: i64) -> Option<u64> {
        (self != Self::NEVER).then(|| u64::try_from(self.0.saturating_sub(now)).unwrap_or(0).max(SHORTEST))
    }
}

/// Counts the periods that pass without a message.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeadlineWatch {
    /// In nanoseconds; 0 for no deadline.
    period: i64,
    /// When the last known message was sent, or when the watch began if that is later; 0 before it began.
    since: i64,
    /// The number of periods since then that were reported.
    reported: i64,
}

impl DeadlineWatch {
    /// Creates a watch that has not begun.
    pub fn new(period: Option<Duration>) -> Self {
        Self { period: nanos(period) as i64, ..Self::default() }
    }

    /// Whether there is a deadline at all.
    pub fn is_on(&self) -> bool {
        self.period > 0
    }

    /// Returns how many more periods have passed without a message, and when to check again. `last` is when
    /// the last message was sent; 0 for none. The first period begins when `begins` is first true.
    ///
    /// `last` may come from another process and is untrusted. If it is after `now`, `now` is used instead.
    pub fn check(&mut self, last: i64, begins: bool, now: i64) -> (u64, Due) {
        if self.period == 0 || self.since == 0 && !begins {
            return (0, Due::NEVER);
        }
        let since = if self.since == 0 { now } else { self.since.max(last.min(now)) };
        if since > self.since {
            (self.since, self.reported) = (since, 0);
        }
        let passed = now.saturating_sub(self.since).max(0) / self.period;
        let missed = (passed - self.reported).max(0);
        self.reported = self.reported.max(passed);
        let next = self.reported.saturating_add(1).saturating_mul(self.period);
        (missed as u64, Due::at(self.since.saturating_add(next)))
    }
}

/// The longest time until a publisher that is silent beyond its lease is checked again, in nanoseconds.
const SILENT_CHECK: i64 = 10_000_000;

/// When a publisher was active, in monotonic nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// When it last sent; 0 if it has not.
    pub sent_at: i64,
    /// When it last asserted that it is alive.
    pub asserted_at: i64,
    /// Whether it is matched with a subscription.
    pub is_matched: bool,
}

/// The deadline and the lease of a publisher.
#[derive(Clone, Copy, Debug)]
pub struct PublisherWatch {
    deadline: DeadlineWatch,
    liveliness: Liveliness,
    /// In nanoseconds; 0 for none.
    lease: i64,
    /// When it was last active before the loss of liveliness that was reported last.
    silent_since: Option<i64>,
}

/// The result of a check of a publisher's times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublisherTimes {
    /// The number of further periods that have passed without a message.
    pub missed: u64,
    /// Whether the lease of manual liveliness has expired since the last check.
    pub is_lost: bool,
    /// Whether its process must assert that it is alive, because its liveliness is automatic.
    pub must_assert: bool,
    /// When to check again.
    pub due: Due,
}

impl PublisherWatch {
    /// Creates the watch of a publisher with a profile. Returns `None` if the profile has no deadline and no lease.
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

    /// Checks the deadline and the lease at the time `now`.
    pub fn check(&mut self, activity: Activity, now: i64) -> PublisherTimes {
        let (missed, due) = self.deadline.check(activity.sent_at, activity.is_matched, now);
        let times = PublisherTimes { missed, is_lost: false, must_assert: false, due };
        if self.lease == 0 {
            return times;
        }
        if self.liveliness == Liveliness::Automatic {
            // Three times per lease, so that the lease does not expire if one check is late.
            let due = due.or(Due::at(now.saturating_add(self.lease / 3)));
            return PublisherTimes { must_assert: true, due, ..times };
        }
        let active_at = activity.sent_at.max(activity.asserted_at);
        let until = active_at.saturating_add(self.lease);
        let is_silent = now >= until;
        let next = if is_silent { now.saturating_add(self.lease) } else { until };
        let is_lost = is_silent && self.silent_since.replace(active_at) != Some(active_at);
        PublisherTimes { is_lost, due: due.or(Due::at(next)), ..times }
    }
}

/// Returns whether a publisher that was last active at `alive_at` is alive within its lease, and when to check again.
///
/// Both values come from another process and are untrusted. So the lease is limited to half of the largest time.
pub fn check_lease(alive_at: i64, lease: u64, now: i64) -> (bool, Due) {
    let lease = lease.min(i64::MAX as u64 / 2) as i64;
    if lease == 0 {
        return (true, Due::NEVER);
    }
    let until = alive_at.saturating_add(lease);
    let is_alive = now < until;
    // A silent publisher may become active at any time.
    (is_alive, Due::at(if is_alive { until } else { now.saturating_add(lease.min(SILENT_CHECK)) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_period_without_a_message_is_reported_once() {
        let mut watch = DeadlineWatch::new(Some(Duration::from_nanos(10)));
        assert_eq!(watch.check(50, false, 100), (0, Due::NEVER), "no endpoint is matched yet");
        assert_eq!(watch.check(50, true, 100), (0, Due::at(110)), "earlier time does not count");
        assert_eq!(watch.check(0, true, 109), (0, Due::at(110)));
        assert_eq!(watch.check(0, true, 110), (1, Due::at(120)));
        assert_eq!(watch.check(0, true, 135), (2, Due::at(140)), "a late check counts all of them");
        assert_eq!(watch.check(134, true, 135), (0, Due::at(144)), "a message starts a new period");
        assert_eq!(watch.check(134, false, 144), (1, Due::at(154)), "also after all endpoints have gone");
        assert_eq!(watch.check(i64::MAX, true, 144), (0, Due::at(154)), "a time in the future is not used");
        assert_eq!(DeadlineWatch::new(None).check(1, true, 99), (0, Due::NEVER));
    }

    #[test]
    fn an_expired_manual_lease_is_reported_once_until_it_is_renewed() {
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
    fn a_publisher_is_alive_for_its_lease_and_a_silent_one_is_checked_again_soon() {
        assert_eq!(check_lease(10, 0, i64::MAX), (true, Due::NEVER));
        assert_eq!(check_lease(10, 100, 109), (true, Due::at(110)));
        assert_eq!(check_lease(10, 100, 110), (false, Due::at(210)));
        assert!(check_lease(0, u64::MAX, 0).0);
    }
}
