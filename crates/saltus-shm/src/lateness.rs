//! How late sleeps end, and by how much sooner they must end for a deadline to be met.

/// A thread wakes at most so long before a deadline, in nanoseconds.
const LONGEST_LEAD: u64 = 200_000;
/// At most one part in so many of the time is spent awake for deadlines.
const SHARE: u64 = 10;
/// What was not spent is kept for deadlines that follow one another, up to so much, in nanoseconds.
const MOST_CREDIT: u64 = 2 * LONGEST_LEAD;

/// How late the sleeps of a thread have lately ended.
///
/// A few microseconds on a machine of one's own, a hundred and more on a virtual one; so it is learned. The mean and the
/// margin are those of a retransmission timer (V. Jacobson, "Congestion Avoidance and Control", 1988).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lateness {
    /// In nanoseconds; 0 before the first sleep has ended.
    mean: u64,
    /// How far sleeps are from the mean, in nanoseconds.
    deviation: u64,
    /// For how long the thread might have stayed awake when it last did, in nanoseconds.
    credit: u64,
    /// When that was, in monotonic nanoseconds.
    awake_until: u64,
}

impl Lateness {
    /// Takes in by how many nanoseconds a sleep ended late.
    pub(crate) fn learn(&mut self, late: u64) {
        // One that was far longer says nothing of the next.
        let late = late.min(LONGEST_LEAD);
        if self.mean == 0 {
            (self.mean, self.deviation) = (late, late / 2);
        } else {
            self.deviation = (self.deviation * 3 + late.abs_diff(self.mean)) / 4;
            self.mean = (self.mean * 7 + late) / 8;
        }
    }

    /// How long before a deadline a sleep must end, in nanoseconds, to be over by then nearly always.
    pub(crate) fn lead(&self, deadline: u64) -> u64 {
        (self.mean + 3 * self.deviation).min(LONGEST_LEAD).min(self.credit_at(deadline))
    }

    /// The thread has stayed awake for a deadline, between two times in monotonic nanoseconds.
    pub(crate) fn stayed_awake(&mut self, from: u64, until: u64) {
        self.credit = self.credit_at(until).saturating_sub(until.saturating_sub(from));
        self.awake_until = until;
    }

    fn credit_at(&self, time: u64) -> u64 {
        (self.credit + time.saturating_sub(self.awake_until) / SHARE).min(MOST_CREDIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sleep_ends_as_much_sooner_as_sleeps_were_late() {
        let mut lateness = Lateness::default();
        assert_eq!(lateness.lead(u64::MAX), 0);
        lateness.learn(100_000);
        assert!(lateness.lead(u64::MAX) > 100_000);
        for late in [4000, 6000].into_iter().cycle().take(100) {
            lateness.learn(late);
        }
        let lead = lateness.lead(u64::MAX);
        assert!((6000..10_000).contains(&lead), "{lead} ns, where sleeps are 4 to 6 µs late");
    }

    #[test]
    fn a_sleep_that_was_very_late_is_soon_forgotten() {
        let mut lateness = Lateness::default();
        lateness.learn(5000);
        lateness.learn(u64::MAX);
        assert!((100_000..=LONGEST_LEAD).contains(&lateness.lead(u64::MAX)));
        for _ in 0..40 {
            lateness.learn(5000);
        }
        assert!(lateness.lead(u64::MAX) < 10_000);
    }

    #[test]
    fn no_more_than_a_tenth_of_the_time_is_spent_awake() {
        let mut lateness = Lateness::default();
        lateness.learn(100_000);
        let mut awake = 0;
        for deadline in (1..=1000).map(|number| number * 500_000) {
            let lead = lateness.lead(deadline);
            lateness.stayed_awake(deadline - lead, deadline);
            awake += lead;
        }
        assert!((49_000_000..=50_000_000).contains(&awake), "{awake} ns of 500 ms");
    }

    #[test]
    fn a_deadline_that_soon_follows_another_has_what_that_left() {
        let mut lateness = Lateness::default();
        lateness.learn(50_000);
        let lead = lateness.lead(5_000_000);
        lateness.stayed_awake(5_000_000 - lead, 5_000_000);
        assert_eq!(lateness.lead(5_050_000), lead, "there is time left, and a sleep would not end by then");
    }
}
