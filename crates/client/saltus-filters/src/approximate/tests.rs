//! Tests of the filter: its documented cases, its properties, and a comparison with two plain models.

use std::time::Duration;

use saltus_types::Time;

use super::ApproximateTime;

const SECOND: i64 = 1_000_000_000;

/// Adds messages of `(seconds, input)`. Returns the seconds of the messages in each set.
fn run(mut filter: ApproximateTime<i64>, messages: &[(i64, usize)]) -> Vec<Vec<i64>> {
    let mut sets = Vec::new();
    for (second, input) in messages {
        filter.add(*input, Time::from_nanos(second * SECOND), *second, |set| sets.push(set));
    }
    sets
}

fn two(queue_size: usize) -> ApproximateTime<i64> {
    ApproximateTime::new(2, queue_size)
}

#[test]
fn equal_stamps_match() {
    let messages = [(0, 0), (0, 1), (3, 0), (3, 1), (6, 0), (6, 1)];
    assert_eq!(run(two(10), &messages), [[0, 0], [3, 3], [6, 6]]);
}

#[test]
fn a_constant_offset_matches() {
    let messages = [(0, 0), (1, 1), (3, 0), (4, 1), (6, 0), (7, 1)];
    assert_eq!(run(two(10), &messages), [[0, 1], [3, 4]]);
}

#[test]
fn a_message_without_a_partner_is_left_out() {
    let messages = [(0, 0), (1, 1), (2, 0), (3, 0), (5, 1), (6, 0), (7, 1)];
    assert_eq!(run(two(10), &messages), [[0, 1], [6, 5]]);
}

#[test]
fn the_closest_set_around_the_pivot_counts() {
    let messages = [(0, 0), (7, 1), (12, 0), (15, 1), (17, 0), (18, 1)];
    assert_eq!(run(two(10), &messages), [[12, 7], [17, 18]]);
}

#[test]
fn a_queue_that_is_too_short_drops_messages() {
    let messages = [(0, 0), (1, 1), (3, 1), (4, 0), (7, 1), (8, 0), (10, 0), (11, 1), (13, 0), (14, 1)];
    assert_eq!(run(two(1), &messages), [[4, 3], [10, 11]]);
    assert_eq!(run(two(2), &messages), [[0, 1], [4, 3], [8, 7], [10, 11]]);
}

#[test]
fn the_first_messages_of_a_fast_input_are_dropped() {
    let mut messages: Vec<(i64, usize)> = (0..9).map(|second| (second, 0)).collect();
    messages.extend([(3, 1), (9, 0), (10, 0), (11, 0), (12, 0), (10, 1), (13, 0)]);
    assert_eq!(run(two(5), &messages), [[10, 10]]);
}

#[test]
fn one_message_may_complete_two_sets() {
    assert_eq!(run(two(10), &[(0, 0), (1, 1), (3, 1), (3, 0)]), [[0, 1], [3, 3]]);
}

#[test]
fn four_inputs_match() {
    let messages = [
        (0, 0),
        (1, 1),
        (2, 2),
        (3, 3),
        (5, 0),
        (5, 3),
        (6, 1),
        (6, 2),
        (8, 0),
        (9, 1),
        (10, 2),
        (11, 3),
        (10, 0),
        (13, 0),
        (14, 1),
    ];
    let sets = run(ApproximateTime::new(4, 10), &messages);
    assert_eq!(sets, [[0, 1, 2, 3], [5, 6, 6, 5], [10, 9, 10, 11]]);
}

#[test]
fn a_set_is_returned_before_all_inputs_have_later_messages() {
    let messages = [(0, 0), (1, 1), (2, 2), (3, 3), (7, 0)];
    assert_eq!(run(ApproximateTime::new(4, 10), &messages), [[0, 1, 2, 3]]);
}

#[test]
fn a_lower_bound_returns_sets_earlier() {
    let messages = [(0, 0), (1, 1), (3, 0), (4, 1), (6, 0), (7, 1)];
    let bound = |seconds| two(10).lower_bound(0, Duration::from_secs_f64(seconds));
    assert_eq!(run(bound(1.5), &messages), [[0, 1], [3, 4]]);
    assert_eq!(run(bound(2.0), &messages), [[0, 1], [3, 4], [6, 7]]);
}

#[test]
fn a_longest_interval_excludes_sets() {
    let messages = [(0, 0), (2, 1), (10, 0), (11, 1), (20, 0), (22, 1), (30, 0), (31, 1), (40, 0)];
    let filter = two(10).max_interval(Duration::from_secs(1));
    assert_eq!(run(filter, &messages), [[10, 11], [30, 31]]);
}

#[test]
fn messages_that_are_in_no_set_are_counted() {
    let mut filter = two(2);
    for second in 0..5 {
        filter.add(0, Time::from_nanos(second), second, |_| {});
    }
    assert_eq!(filter.dropped(), 3);
    filter.add(0, Time::from_nanos(1), 1, |_| {});
    assert_eq!((filter.dropped(), filter.out_of_order()), (4, 1));
}

#[test]
fn extreme_stamps_do_no_harm() {
    let mut filter = two(3).lower_bound(0, Duration::MAX).max_interval(Duration::MAX);
    for stamp in [i64::MIN, i64::MAX, 0, i64::MAX, i64::MIN, -1, i64::MAX, i64::MIN] {
        for input in [0, 1] {
            filter.add(input, Time::from_nanos(stamp), stamp, |set| assert_eq!(set.len(), 2));
        }
    }
}

/// Random numbers: xorshift64*.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % end
    }
}

/// Returns messages of `(stamp, input)` in the order of their stamps, or with `is_late` of delays.
fn random_messages(random: &mut Random, inputs: usize, is_late: bool) -> Vec<(i64, usize)> {
    let mut messages = Vec::new();
    for input in 0..inputs {
        let mut stamp = random.below(20) as i64;
        let period = 2 + random.below(20);
        let delay = if is_late { random.below(60) as i64 } else { 0 };
        for _ in 0..random.below(14) {
            messages.push((stamp + delay, stamp, input));
            stamp += 1 + random.below(2 * period) as i64;
        }
    }
    messages.sort_unstable();
    messages.into_iter().map(|(_, stamp, input)| (stamp, input)).collect()
}

fn run_nanos(mut filter: ApproximateTime<i64>, messages: &[(i64, usize)]) -> Vec<Vec<i64>> {
    let mut sets = Vec::new();
    for (stamp, input) in messages {
        filter.add(*input, Time::from_nanos(*stamp), *stamp, |set| sets.push(set));
    }
    sets
}

/// Returns the sets by their definition: around the pivot, the set with the shortest interval; of several, the earliest.
fn best_sets(inputs: usize, messages: &[(i64, usize)]) -> Vec<Vec<i64>> {
    let mut waiting: Vec<Vec<i64>> = vec![Vec::new(); inputs];
    messages.iter().for_each(|(stamp, input)| waiting[*input].push(*stamp));
    let mut sets = Vec::new();
    while waiting.iter().all(|queue| !queue.is_empty()) {
        let pivot = waiting.iter().map(|queue| queue[0]).max().unwrap();
        // A set begins at a stamp not after the pivot. Each input then gives its first message from there on. The pivot is
        // the first message of its input, so it is in each of these sets.
        let mut starts: Vec<i64> =
            waiting.iter().flatten().copied().filter(|stamp| *stamp <= pivot).collect();
        starts.sort_unstable();
        let from = |start: i64| -> Option<Vec<i64>> {
            waiting.iter().map(|queue| queue.iter().copied().find(|stamp| *stamp >= start)).collect()
        };
        let length = |set: &Vec<i64>| set.iter().max().unwrap() - set.iter().min().unwrap();
        let Some(best) = starts.into_iter().filter_map(from).min_by_key(length) else { break };
        for (queue, last) in waiting.iter_mut().zip(&best) {
            queue.retain(|stamp| stamp > last);
        }
        sets.push(best);
    }
    sets
}

#[test]
fn without_an_age_penalty_the_sets_are_the_best_by_definition() {
    let mut random = Random(1);
    let mut returned = 0;
    for round in 0..20_000 {
        let inputs = 1 + random.below(4) as usize;
        let messages = random_messages(&mut random, inputs, round % 2 == 0);
        let found = run_nanos(ApproximateTime::new(inputs, 1000).age_penalty(0.0), &messages);
        let best = best_sets(inputs, &messages);
        // The last sets may wait for messages that would never come.
        assert!(found.len() <= best.len(), "{messages:?}: {found:?}, {best:?}");
        assert_eq!(found, best[..found.len()], "{messages:?}");
        returned += found.len();
    }
    assert!(returned > 20_000, "{returned}");
}

#[test]
fn a_message_is_in_one_set_at_most_and_sets_do_not_cross() {
    let mut random = Random(2);
    for _ in 0..20_000 {
        let inputs = 1 + random.below(5) as usize;
        let messages = random_messages(&mut random, inputs, true);
        let mut filter = ApproximateTime::new(inputs, 1 + random.below(6) as usize);
        filter = filter.age_penalty(random.below(3) as f64 / 10.0);
        let longest = random.below(40) as i64;
        filter = filter.max_interval(Duration::from_nanos(longest as u64));
        let sets = run_nanos(filter.clone(), &messages);
        for pair in sets.windows(2) {
            assert!(pair[0].iter().zip(&pair[1]).all(|(a, b)| a < b), "{messages:?}: {sets:?}");
        }
        for set in &sets {
            assert_eq!(set.len(), inputs);
            assert!(set.iter().max().unwrap() - set.iter().min().unwrap() <= longest, "{set:?}");
            assert!(set.iter().enumerate().all(|(input, stamp)| messages.contains(&(*stamp, input))));
        }
    }
}

#[test]
fn each_message_is_returned_dropped_or_waits() {
    let mut random = Random(3);
    for _ in 0..5_000 {
        let inputs = 1 + random.below(4) as usize;
        let messages = random_messages(&mut random, inputs, true);
        let mut filter = ApproximateTime::new(inputs, 1 + random.below(6) as usize);
        let mut returned = 0;
        for (stamp, input) in &messages {
            filter.add(*input, Time::from_nanos(*stamp), (), |set| returned += set.len());
        }
        let waiting: usize = filter.queues.iter().map(|queue| queue.messages.len()).sum();
        assert_eq!(returned + waiting + filter.dropped() as usize, messages.len());
    }
}
