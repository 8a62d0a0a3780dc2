//! How the messages of a rule are passed on: how many, how large, and with which priority.

use std::time::{Duration, Instant};

/// How a network sends messages, and which of them.
///
/// **Invariant:** the default passes everything, as the network does without a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passage {
    /// The shortest time between two messages of a publisher. Those that come earlier are dropped.
    pub interval: Option<Duration>,
    /// The longest message, in bytes. Longer ones are dropped.
    pub max_size: Option<usize>,
    /// The priority on a link; `None` leaves it to the network.
    pub priority: Option<Priority>,
    /// Whether messages are sent at once, and not together with others.
    pub is_express: bool,
    /// What is done if a link is full; `None` leaves it to the profile of the publisher.
    pub when_full: Option<WhenFull>,
    /// Whether entities are hidden from others, which need to know their names then.
    pub is_hidden: bool,
}

impl Passage {
    /// Returns whether only some messages pass.
    pub fn is_limited(&self) -> bool {
        self.interval.is_some() || self.max_size.is_some()
    }
}

/// The priority of messages on a link. The first is sent before all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// The first.
    RealTime,
    /// Before all that is not real time.
    InteractiveHigh,
    /// After the former.
    InteractiveLow,
    /// Before usual data.
    DataHigh,
    /// Usual data.
    Data,
    /// After usual data.
    DataLow,
    /// After everything else.
    Background,
}

/// What is done with a message if a link is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// It is dropped after a short time.
    Drop,
    /// It waits until the link has room or is lost.
    Block,
}

/// The messages of one publisher that may pass.
///
/// **Invariant:** on average, there is at most one message in each interval.
#[derive(Debug)]
pub(crate) struct Limit {
    passage: Passage,
    /// When the next message may pass.
    next: Option<Instant>,
}

impl Limit {
    pub(crate) fn new(passage: Passage) -> Self {
        Self { passage, next: None }
    }

    /// Returns whether a message may pass now. The clock is read only if there is a limit in time.
    pub(crate) fn admits(&mut self, size: usize, clock: impl FnOnce() -> Instant) -> bool {
        if self.passage.max_size.is_some_and(|max| size > max) {
            return false;
        }
        let Some(interval) = self.passage.interval else { return true };
        let now = clock();
        let due = self.next.unwrap_or(now);
        if now < due {
            return false;
        }
        // A message that is somewhat late does not make the next ones late.
        let begin = if now - due < interval { due } else { now };
        self.next = Some(begin + interval);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_pass_at_the_rate_and_not_faster() {
        let interval = Some(Duration::from_millis(200));
        let mut limit = Limit::new(Passage { interval, ..Passage::default() });
        let begin = Instant::now();
        // 100 messages per second for two seconds, with a pause after the first one.
        let passed = |limit: &mut Limit, range: std::ops::Range<u64>| {
            range.filter(|ms| limit.admits(1, || begin + Duration::from_millis(ms * 10))).count()
        };
        assert_eq!(passed(&mut limit, 0..200), 10);
        assert_eq!(passed(&mut limit, 500..600), 5, "nothing is made up for a pause");
    }

    #[test]
    fn messages_that_are_too_long_do_not_pass() {
        let mut limit = Limit::new(Passage { max_size: Some(10), ..Passage::default() });
        let now = Instant::now();
        assert!(limit.admits(10, || now) && !limit.admits(11, || now));
        assert!(Limit::new(Passage::default()).admits(usize::MAX, || now));
    }
}
