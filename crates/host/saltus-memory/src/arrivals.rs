//! When the next message is expected, if messages come at regular intervals.
//!
//! A CPU that is idle takes tens of microseconds to wake. A thread that wakes a little before its next message, and polls
//! for it, answers at once. That pays only if the message comes when it is expected, so intervals that vary much are not
//! predicted.

/// The time before the window at which its thread is to wake, in nanoseconds: about the delay of a timer.
const LATENESS_OF_TIMERS: u64 = 20_000;
/// Half of the window if the interval does not vary at all, in nanoseconds.
const SHORTEST_HALF: u64 = 30_000;
/// The longest window, in nanoseconds.
const LONGEST_WINDOW: u64 = 300_000;
/// The window may be this part of the interval at most: a quarter of a CPU.
const LARGEST_PART: u64 = 4;
/// A difference from the average by this factor starts a new average.
const OTHER_INTERVAL: u64 = 2;

/// The intervals between the messages that a thread has taken.
///
/// The average and the mean deviation are moving averages over about eight messages, as in the retransmission timer of
/// TCP (RFC 6298).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arrivals {
    /// When the last message was sent, in monotonic nanoseconds; 0 before the first.
    last: u64,
    /// The average interval in nanoseconds; 0 before the second message.
    interval: u64,
    /// The average difference of intervals from their average.
    deviation: u64,
}

/// When a message is expected, in monotonic nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// When the thread is to wake.
    pub from: u64,
    /// When it is to give up polling.
    pub until: u64,
}

impl Arrivals {
    /// Notes when a message was sent, in monotonic nanoseconds.
    pub(crate) fn note(&mut self, sent_at: u64) {
        let interval = sent_at.saturating_sub(self.last);
        let is_first = self.last == 0;
        self.last = sent_at;
        if is_first {
            return;
        }
        let deviation = interval.abs_diff(self.interval);
        if deviation > self.interval / OTHER_INTERVAL {
            // The first interval, or another one than before. It must prove to be regular first.
            (self.interval, self.deviation) = (interval, interval / 2);
            return;
        }
        self.interval = (self.interval * 7 + interval) / 8;
        self.deviation = (self.deviation * 7 + deviation) / 8;
    }

    /// Returns when the next message is expected. Returns `None` if intervals vary too much, or if the time is over.
    pub(crate) fn expected(&self, now: u64) -> Option<Window> {
        let half = self.deviation * 3 + SHORTEST_HALF;
        let expected = self.last + self.interval;
        let window =
            Window { from: expected.saturating_sub(half + LATENESS_OF_TIMERS), until: expected + half };
        let longest = LONGEST_WINDOW.min(self.interval / LARGEST_PART);
        (window.until - window.from <= longest && now < window.until).then_some(window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: u64 = 1_000_000;

    /// Notes messages at these intervals, and returns the time of the last one.
    fn note(arrivals: &mut Arrivals, intervals: impl IntoIterator<Item = u64>) -> u64 {
        let mut now = 5 * MILLISECOND;
        arrivals.note(now);
        for interval in intervals {
            now += interval;
            arrivals.note(now);
        }
        now
    }

    #[test]
    fn a_regular_message_is_expected_and_the_wait_for_it_ends() {
        let mut arrivals = Arrivals::default();
        let last = note(&mut arrivals, [MILLISECOND; 60]);
        let window = arrivals.expected(last).unwrap();
        assert!((window.from..window.until).contains(&(last + MILLISECOND)), "{window:?} after {last}");
        assert!(window.until - window.from < 100_000);
        assert_eq!(arrivals.expected(window.until), None, "it did not come");
    }

    #[test]
    fn little_variation_widens_the_window_and_much_closes_it() {
        let varied = |by: u64| {
            let mut arrivals = Arrivals::default();
            let intervals = (0..60).map(|i| if i % 2 == 0 { MILLISECOND - by } else { MILLISECOND + by });
            let last = note(&mut arrivals, intervals);
            arrivals.expected(last).map(|window| window.until - window.from)
        };
        assert!(varied(0) < varied(10_000) && varied(10_000).is_some());
        assert_eq!(varied(100_000), None);
    }

    #[test]
    fn messages_of_several_publishers_are_not_predicted() {
        let mut arrivals = Arrivals::default();
        let last = note(&mut arrivals, (0..60).map(|i| [2, 13, 5, 30][i % 4] * MILLISECOND));
        assert_eq!(arrivals.expected(last), None);
    }

    /// Below 400 microseconds a window would be more than a quarter of the interval.
    #[test]
    fn fast_messages_are_left_to_polling() {
        let mut arrivals = Arrivals::default();
        let last = note(&mut arrivals, [300_000; 60]);
        assert_eq!(arrivals.expected(last), None);
    }

    #[test]
    fn another_rate_is_learned() {
        let mut arrivals = Arrivals::default();
        note(&mut arrivals, [MILLISECOND; 60]);
        let last = note(&mut arrivals, [10 * MILLISECOND; 60]);
        let window = arrivals.expected(last).unwrap();
        assert!((window.from..window.until).contains(&(last + 10 * MILLISECOND)));
    }
}
