//! The latest message of each input, at the rate of the fastest input.

use std::cmp::Ordering;

use saltus_types::Time;

/// The settings with which the rate of an input is estimated. Both weights are from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateConfig {
    /// The weight of the newest period in the mean rate.
    pub rate_weight: f64,
    /// The weight of the newest error in the mean error.
    pub error_weight: f64,
    /// A rate that differs from the mean by more than this many mean errors is a new rate. A message that is late by
    /// more than that does not count as the fastest.
    pub margin: f64,
}

impl RateConfig {
    /// Whether the weights are from 0 to 1 and the margin is at least 0.
    pub fn is_valid(&self) -> bool {
        let weights = [self.rate_weight, self.error_weight];
        weights.iter().all(|weight| (0.0..=1.0).contains(weight)) && self.margin >= 0.0
    }
}

impl Default for RateConfig {
    fn default() -> Self {
        Self { rate_weight: 0.9, error_weight: 0.3, margin: 10.0 }
    }
}

/// Returns the latest message of each input, whenever the fastest input that is not late has a new one.
///
/// Stamps are not used: the times are those at which messages come. It begins when each input has had a message and the
/// rate of one of them is known. If the time goes back, the estimates begin again.
/// This is the policy `LatestTime` of ROS 2's `message_filters`.
#[derive(Clone, Debug)]
pub struct LatestTime<T> {
    latest: Vec<Option<T>>,
    rates: Vec<Rate>,
}

impl<T> LatestTime<T> {
    /// Returns a filter with an input for each of these settings.
    ///
    /// # Panics
    ///
    /// Panics if there is no input, or if settings are not valid.
    pub fn new(inputs: impl IntoIterator<Item = RateConfig>) -> Self {
        let rates: Vec<Rate> = inputs.into_iter().map(Rate::new).collect();
        assert!(!rates.is_empty(), "expected at least one input");
        for rate in &rates {
            assert!(
                rate.config.is_valid(),
                "expected weights from 0 to 1 and a margin of at least 0: {rate:?}"
            );
        }
        Self { latest: rates.iter().map(|_| None).collect(), rates }
    }

    /// Adds a message that came at the time `now`. Returns the latest message of each input if this input is the fastest
    /// one.
    ///
    /// # Panics
    ///
    /// Panics if there is no such input.
    pub fn add(&mut self, input: usize, now: Time, message: T) -> Option<impl Iterator<Item = &T>> {
        let is_first = self.latest[input].replace(message).is_none();
        let is_measured = self.rates[input].measure(now) && !is_first;
        let is_due =
            is_measured && self.fastest(now) == Some(input) && self.latest.iter().all(Option::is_some);
        is_due.then(|| self.latest.iter().flatten())
    }

    /// Drops all messages and rates.
    pub fn clear(&mut self) {
        self.latest.fill_with(|| None);
        for rate in &mut self.rates {
            *rate = Rate::new(rate.config);
        }
    }

    /// Returns the number of inputs.
    pub fn inputs(&self) -> usize {
        self.rates.len()
    }

    /// Returns the fastest input that is not late.
    fn fastest(&self, now: Time) -> Option<usize> {
        let usable = self.rates.iter().enumerate().filter(|(_, rate)| rate.is_usable(now));
        // Of several inputs with the same rate, the first one counts.
        let faster = |a: &Rate, b: &Rate| {
            a.hz.unwrap_or(0.0).partial_cmp(&b.hz.unwrap_or(0.0)).unwrap_or(Ordering::Equal)
        };
        usable.max_by(|(i, a), (j, b)| faster(a, b).then(j.cmp(i))).map(|(input, _)| input)
    }
}

/// The estimated rate of an input.
#[derive(Clone, Debug)]
struct Rate {
    config: RateConfig,
    /// The time at which the last message came.
    last: Option<Time>,
    /// The mean rate in Hz. `None` before the second message.
    hz: Option<f64>,
    /// The mean difference of the rate from its mean, in Hz. `None` before the third message.
    error: Option<f64>,
}

impl Rate {
    fn new(config: RateConfig) -> Self {
        Self { config, last: None, hz: None, error: None }
    }

    /// Notes that a message came. Returns whether the rate could be measured: the time must have grown.
    fn measure(&mut self, now: Time) -> bool {
        let Some(last) = self.last else {
            self.last = Some(now);
            return false;
        };
        if now < last {
            *self = Self { last: Some(now), ..Self::new(self.config) };
        }
        let period = seconds(last, now);
        if period <= 0.0 {
            return false;
        }
        let current = 1.0 / period;
        let RateConfig { rate_weight, error_weight, margin } = self.config;
        (self.hz, self.error) = match (self.hz, self.error) {
            (None, _) => (Some(current), None),
            (Some(hz), None) => (Some(mean(rate_weight, current, hz)), Some((hz - current).abs())),
            // The rate has changed: the estimate begins again.
            (Some(hz), Some(error)) if (hz - current).abs() > margin * error => (Some(current), None),
            (Some(hz), Some(error)) => {
                (Some(mean(rate_weight, current, hz)), Some(mean(error_weight, (hz - current).abs(), error)))
            }
        };
        self.last = Some(now);
        true
    }

    /// Whether the rate is known, and the next message is not late.
    fn is_usable(&self, now: Time) -> bool {
        let (Some(last), Some(hz)) = (self.last, self.hz) else { return false };
        let period = seconds(last, now);
        let is_late = |error| period != 0.0 && hz - 1.0 / period > self.config.margin * error;
        !self.error.is_some_and(is_late)
    }
}

fn seconds(from: Time, to: Time) -> f64 {
    to.as_nanos().saturating_sub(from.as_nanos()) as f64 * 1e-9
}

fn mean(weight: f64, new: f64, old: f64) -> f64 {
    weight * new + (1.0 - weight) * old
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    /// Adds messages of `(time in ms, input)`. Returns when sets are returned, and their messages (the times).
    fn run(inputs: usize, messages: &[(i64, usize)]) -> Vec<(i64, Vec<i64>)> {
        let mut filter = LatestTime::new(vec![RateConfig::default(); inputs]);
        let sets = messages.iter().filter_map(|(ms, input)| {
            let set = filter.add(*input, Time::from_nanos(ms * MS), *ms)?;
            Some((*ms, set.copied().collect()))
        });
        sets.collect()
    }

    #[test]
    fn sets_come_at_the_rate_of_the_fastest_input() {
        // Input 0 every 10 ms, input 1 every 30 ms, 1 ms later.
        let mut messages: Vec<(i64, usize)> = (0..13).map(|i| (i * 10, 0)).collect();
        messages.extend((0..4).map(|i| (i * 30 + 1, 1)));
        messages.sort_unstable();
        let sets = run(2, &messages);
        // The set of 31 ms: the rate of input 1 is known, and input 0 came later than its period would allow.
        let times: Vec<i64> = sets.iter().map(|(ms, _)| *ms).collect();
        assert_eq!(times, [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120]);
        assert_eq!(sets[4], (50, vec![50, 31]));
    }

    #[test]
    fn when_the_fastest_input_stops_the_next_one_leads() {
        let mut messages: Vec<(i64, usize)> = (0..10).map(|i| (i * 10, 0)).collect();
        messages.extend((0..10).map(|i| (i * 30 + 1, 1)));
        messages.sort_unstable();
        let last = run(2, &messages).pop().unwrap();
        assert_eq!(last, (271, vec![90, 271]));
    }

    #[test]
    fn the_estimates_begin_again_when_the_time_goes_back() {
        assert_eq!(run(1, &[(50, 0), (60, 0), (5, 0), (15, 0)]), [(60, vec![60]), (15, vec![15])]);
    }

    #[test]
    #[should_panic = "expected weights"]
    fn settings_that_are_not_valid_are_refused() {
        LatestTime::<()>::new([RateConfig { rate_weight: f64::NAN, ..RateConfig::default() }]);
    }

    #[test]
    fn messages_at_the_same_time_are_no_rate() {
        assert_eq!(run(1, &[(5, 0), (5, 0), (5, 0)]), []);
        assert_eq!(run(1, &[(5, 0), (6, 0), (6, 0)]), [(6, vec![6])]);
    }
}
