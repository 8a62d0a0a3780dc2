//! Sets of messages with similar stamps.

use std::{collections::VecDeque, time::Duration};

use saltus_types::Time;

/// Returns sets of messages with similar stamps, one of each input.
///
/// This is the adaptive algorithm of ROS 1's and ROS 2's `message_filters::sync_policies::ApproximateTime`. It needs no
/// tolerance. Its properties:
///
/// - Each message is in at most one set.
/// - Sets do not cross: each message of a set is later than the message of that input in the set before.
/// - A set contains its *pivot*: of the first messages of all inputs after the set before, the one with the latest stamp.
/// - Without an age penalty, it is the set around the pivot with the shortest interval between its first and its last
///   stamp.
/// - It is returned as soon as later messages can't change it.
///
/// The stamps of an input must not go back.
///
/// **Invariant:** at most `queue_size` messages of each input wait. If more come, the earliest one is dropped.
#[derive(Clone, Debug)]
pub struct ApproximateTime<T> {
    queues: Vec<Queue<T>>,
    queue_size: usize,
    age_penalty: f64,
    /// In nanoseconds.
    max_interval: i64,
    candidate: Option<Candidate>,
    dropped: u64,
    out_of_order: u64,
}

/// The messages of an input that wait, the earliest first.
#[derive(Clone, Debug)]
struct Queue<T> {
    messages: VecDeque<(i64, T)>,
    /// The number of messages that the search has passed. If there is a candidate, the first message belongs to it.
    passed: usize,
    /// Whether a message was dropped that might have been in the next set.
    has_dropped: bool,
    /// The shortest time between two messages, in nanoseconds.
    lower_bound: i64,
}

/// The best set so far: the first message of each queue.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    start: i64,
    end: i64,
    /// The input of the pivot, and its stamp.
    pivot: (usize, i64),
}

/// An input and a stamp.
type Edge = (usize, i64);

impl<T> Queue<T> {
    /// Returns the stamp of the first message that the search has not passed.
    fn front(&self) -> Option<i64> {
        self.messages.get(self.passed).map(|(stamp, _)| *stamp)
    }

    /// Returns the stamp of the first message that the search has not passed. If it has not come yet, returns the
    /// earliest stamp that it may have. `pivot` is the stamp of the pivot.
    fn front_or_bound(&self, pivot: i64) -> i64 {
        let last = self.messages.back().map_or(pivot, |(stamp, _)| stamp.saturating_add(self.lower_bound));
        self.front().unwrap_or_else(|| last.max(pivot))
    }
}

impl<T> ApproximateTime<T> {
    /// Returns a filter for a number of inputs, with the age penalty 0.1.
    ///
    /// # Panics
    ///
    /// Panics if there is no input, or if `queue_size` is 0.
    pub fn new(inputs: usize, queue_size: usize) -> Self {
        assert!(inputs > 0 && queue_size > 0, "expected at least one input and a queue for one message");
        let queue = || Queue { messages: VecDeque::new(), passed: 0, has_dropped: false, lower_bound: 0 };
        Self {
            queues: (0..inputs).map(|_| queue()).collect(),
            queue_size,
            age_penalty: 0.1,
            max_interval: i64::MAX,
            candidate: None,
            dropped: 0,
            out_of_order: 0,
        }
    }

    /// Sets how much an earlier set is preferred to a later one with a shorter interval. 0 means that the shortest
    /// interval always counts. Values below 0 count as 0.
    #[must_use]
    pub fn age_penalty(mut self, penalty: f64) -> Self {
        self.age_penalty = penalty.max(0.0);
        self
    }

    /// Sets the longest interval between the first and the last stamp of a set. The default is unlimited.
    #[must_use]
    pub fn max_interval(mut self, interval: Duration) -> Self {
        self.max_interval = nanos(interval);
        self
    }

    /// Sets the shortest time between two messages of an input. With it, sets are returned earlier.
    ///
    /// # Panics
    ///
    /// Panics if there is no such input.
    #[must_use]
    pub fn lower_bound(mut self, input: usize, bound: Duration) -> Self {
        self.queues[input].lower_bound = nanos(bound);
        self
    }

    /// Adds a message. Passes each set that is now known to `output`.
    ///
    /// # Panics
    ///
    /// Panics if there is no such input.
    pub fn add(&mut self, input: usize, stamp: Time, message: T, mut output: impl FnMut(Vec<T>)) {
        let queue = &mut self.queues[input];
        let stamp = stamp.as_nanos();
        if queue.messages.back().is_some_and(|(last, _)| stamp < last.saturating_add(queue.lower_bound)) {
            self.out_of_order += 1;
        }
        let was_empty = queue.front().is_none();
        queue.messages.push_back((stamp, message));
        if was_empty {
            self.search(&mut output);
        }
        if self.queues[input].messages.len() > self.queue_size {
            self.drop_earliest(input);
            // The dropped message belonged to the candidate.
            if self.candidate.take().is_some() {
                self.search(&mut output);
            }
        }
    }

    /// Drops all messages that wait. The next message of each input may have any stamp.
    pub fn clear(&mut self) {
        for queue in &mut self.queues {
            self.dropped += queue.messages.len() as u64;
            queue.messages.clear();
            (queue.passed, queue.has_dropped) = (0, false);
        }
        self.candidate = None;
    }

    /// Returns the number of inputs.
    pub fn inputs(&self) -> usize {
        self.queues.len()
    }

    /// Returns the number of messages that were dropped, because they are in no set.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Returns the number of messages that came with a stamp before that of the message before them, or closer to it than the lower
    /// bound. The sets may not be the best ones then.
    pub fn out_of_order(&self) -> u64 {
        self.out_of_order
    }

    fn drop_earliest(&mut self, input: usize) {
        self.queues.iter_mut().for_each(|queue| queue.passed = 0);
        self.queues[input].messages.pop_front();
        self.queues[input].has_dropped = true;
        self.dropped += 1;
    }

    /// Searches sets as long as each input has a message that the search has not passed.
    fn search(&mut self, output: &mut impl FnMut(Vec<T>)) {
        while let Some((start, end)) = self.edges(Queue::front) {
            for (input, queue) in self.queues.iter_mut().enumerate() {
                queue.has_dropped &= input == end.0;
            }
            let candidate = match self.candidate {
                None if self.is_no_set(start, end) => {
                    self.queues[start.0].messages.pop_front();
                    self.dropped += 1;
                    continue;
                }
                None => self.make_candidate(start, end, end),
                Some(candidate)
                    if self.penalized(end.1, candidate) >= start.1.saturating_sub(candidate.start) =>
                {
                    candidate
                }
                Some(candidate) => self.make_candidate(start, end, candidate.pivot),
            };
            self.queues[start.0].passed += 1;
            if start.0 == candidate.pivot.0 || self.is_best(end.1, candidate) {
                self.return_candidate(output);
            } else if self.queues.iter().any(|queue| queue.front().is_none()) {
                self.search_bounds(candidate, output);
            }
        }
    }

    /// Whether the first messages are no set, and the earliest of them can't be in one.
    fn is_no_set(&self, start: Edge, end: Edge) -> bool {
        // If the last message of the set follows on a dropped one, then that one may have been better for an earlier set.
        end.1.saturating_sub(start.1) > self.max_interval || self.queues[end.0].has_dropped
    }

    /// Returns the inputs with the earliest and with the latest stamp. Returns `None` if an input has no stamp.
    fn edges(&self, stamp_of: impl Fn(&Queue<T>) -> Option<i64>) -> Option<(Edge, Edge)> {
        let mut edges: Option<(Edge, Edge)> = None;
        for (input, queue) in self.queues.iter().enumerate() {
            let stamp = stamp_of(queue)?;
            let (start, end) = edges.get_or_insert(((input, stamp), (input, stamp)));
            if stamp < start.1 {
                *start = (input, stamp);
            }
            if stamp >= end.1 {
                *end = (input, stamp);
            }
        }
        edges
    }

    /// Makes the first messages that the search has not passed the candidate. Drops those before them.
    fn make_candidate(&mut self, start: Edge, end: Edge, pivot: Edge) -> Candidate {
        for queue in &mut self.queues {
            queue.messages.drain(..queue.passed);
            self.dropped += queue.passed as u64;
            queue.passed = 0;
        }
        *self.candidate.insert(Candidate { start: start.1, end: end.1, pivot })
    }

    /// Returns how much later a set ends than the candidate, with the penalty for its age.
    fn penalized(&self, end: i64, candidate: Candidate) -> i64 {
        (end.saturating_sub(candidate.end) as f64 * (1.0 + self.age_penalty)) as i64
    }

    /// Whether no set that ends at `end` or later is better than the candidate.
    fn is_best(&self, end: i64, candidate: Candidate) -> bool {
        self.penalized(end, candidate) >= candidate.pivot.1.saturating_sub(candidate.start)
    }

    fn return_candidate(&mut self, output: &mut impl FnMut(Vec<T>)) {
        self.candidate = None;
        let mut set = Vec::with_capacity(self.queues.len());
        for queue in &mut self.queues {
            queue.passed = 0;
            set.extend(queue.messages.pop_front().map(|(_, message)| message));
        }
        output(set);
    }

    /// Continues the search although an input has no more messages. Uses the earliest stamps that its next messages may have.
    /// Returns the candidate if no such message can change it.
    fn search_bounds(&mut self, candidate: Candidate, output: &mut impl FnMut(Vec<T>)) {
        let passed: Vec<usize> = self.queues.iter().map(|queue| queue.passed).collect();
        while let Some((start, end)) = self.edges(|queue| Some(queue.front_or_bound(candidate.pivot.1))) {
            if self.is_best(end.1, candidate) {
                return self.return_candidate(output);
            }
            if self.penalized(end.1, candidate) < start.1.saturating_sub(candidate.start) {
                break;
            }
            // The message of `start` has come: a stamp that is only a bound is not before the pivot.
            self.queues[start.0].passed += 1;
        }
        self.queues.iter_mut().zip(passed).for_each(|(queue, passed)| queue.passed = passed);
    }
}

fn nanos(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
