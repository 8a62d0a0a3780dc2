//! Latency histograms, which are always on. One process fills a histogram, and every process can read it.
//!
//! A bucket is an eighth of a doubling wide, so the error of a quantile is at most 12.5 %. Counting costs a few
//! nanoseconds and takes no lock. The size of a histogram is 16 cache lines and never grows.

use std::{
    sync::atomic::{AtomicU32, AtomicU64, Ordering},
    time::Duration,
};

/// All times below 2 to the power of this, in nanoseconds, are in the first bucket.
const LOWEST_LOG2: u32 = 6;
/// The number of buckets per doubling is 2 to the power of this.
const STEPS_LOG2: u32 = 3;
/// The number of doublings: from 64 ns to 68 s.
const DOUBLINGS: u32 = 30;
const BUCKETS: usize = 1 + ((DOUBLINGS as usize) << STEPS_LOG2);

/// A histogram in shared memory. An all-zero histogram is empty.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Histogram {
    buckets: [AtomicU32; BUCKETS],
    count: AtomicU64,
    sum: AtomicU64,
    max: AtomicU64,
}

/// The content of a histogram at one moment.
///
/// ```
/// let latency = saltus_memory::latency::Latency::default();
/// assert_eq!((latency.count(), latency.quantile(0.5)), (0, None));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Latency {
    buckets: Vec<u32>,
    count: u64,
    sum: u64,
    max: u64,
}

/// Returns the bucket of a time in nanoseconds.
#[inline]
fn bucket_of(nanos: u64) -> usize {
    let Some(doubling) = nanos.checked_ilog2().and_then(|log| log.checked_sub(LOWEST_LOG2)) else { return 0 };
    let within = (nanos >> (doubling + LOWEST_LOG2 - STEPS_LOG2)) & ((1 << STEPS_LOG2) - 1);
    (1 + ((doubling as usize) << STEPS_LOG2) + within as usize).min(BUCKETS - 1)
}

/// Returns the end of a bucket: the first time in nanoseconds that is not in it.
fn end_of(bucket: usize) -> u64 {
    let doubling = (bucket >> STEPS_LOG2) as u32;
    let within = (bucket & ((1 << STEPS_LOG2) - 1)) as u64;
    ((1 << STEPS_LOG2) + within) << (doubling + LOWEST_LOG2 - STEPS_LOG2)
}

impl Histogram {
    /// Counts a time in nanoseconds. Only one thread at a time may count. Other threads and processes may read at the
    /// same time.
    #[inline]
    pub(crate) fn record(&self, nanos: u64) {
        let bucket = &self.buckets[bucket_of(nanos)];
        let before = bucket.load(Ordering::Relaxed);
        if before == u32::MAX {
            self.halve();
        }
        add(bucket, 1);
        self.count.store(self.count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        self.sum.store(self.sum.load(Ordering::Relaxed).saturating_add(nanos), Ordering::Relaxed);
        if nanos > self.max.load(Ordering::Relaxed) {
            self.max.store(nanos, Ordering::Relaxed);
        }
    }

    /// Halves all buckets, so that none overflows. The quantiles stay the same, up to rounding.
    #[cold]
    fn halve(&self) {
        for bucket in &self.buckets {
            bucket.store(bucket.load(Ordering::Relaxed) / 2, Ordering::Relaxed);
        }
    }

    /// Makes the histogram empty.
    pub(crate) fn clear(&self) {
        self.buckets.iter().for_each(|bucket| bucket.store(0, Ordering::Relaxed));
        [&self.count, &self.sum, &self.max].into_iter().for_each(|word| word.store(0, Ordering::Relaxed));
    }

    /// Returns the content. A message that is counted at the same time may be in some of the numbers and not in others.
    pub fn snapshot(&self) -> Latency {
        Latency {
            buckets: self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed)).collect(),
            count: self.count.load(Ordering::Relaxed),
            sum: self.sum.load(Ordering::Relaxed),
            max: self.max.load(Ordering::Relaxed),
        }
    }
}

#[inline]
fn add(bucket: &AtomicU32, count: u32) {
    bucket.store(bucket.load(Ordering::Relaxed).wrapping_add(count), Ordering::Relaxed);
}

impl Latency {
    /// Returns what was counted since an earlier snapshot of the same histogram. The longest time is that of all messages.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut since = self.clone();
        for (now, before) in since.buckets.iter_mut().zip(&earlier.buckets) {
            *now = now.saturating_sub(*before);
        }
        since.count = self.count.saturating_sub(earlier.count);
        since.sum = self.sum.saturating_sub(earlier.sum);
        since
    }

    /// Adds the messages of another histogram.
    pub fn merge(&mut self, other: &Self) {
        self.buckets.resize(self.buckets.len().max(other.buckets.len()), 0);
        for (own, others) in self.buckets.iter_mut().zip(&other.buckets) {
            *own = own.saturating_add(*others);
        }
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
        self.max = self.max.max(other.max);
    }

    /// Returns how many messages were counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the longest time, or `None` if no message was counted.
    pub fn max(&self) -> Option<Duration> {
        (self.count > 0).then(|| Duration::from_nanos(self.max))
    }

    /// Returns the mean time, or `None` if no message was counted.
    pub fn mean(&self) -> Option<Duration> {
        (self.count > 0).then(|| Duration::from_nanos(self.sum / self.count))
    }

    /// Returns a time that the given part (0 to 1) of all times does not exceed, or `None` if no message was counted.
    /// The result is at most 12.5 % too long.
    pub fn quantile(&self, part: f64) -> Option<Duration> {
        let total: u64 = self.buckets.iter().map(|count| u64::from(*count)).sum();
        let rank = ((total as f64 * part).ceil() as u64).clamp(1, total.max(1));
        let mut seen = 0;
        let reached = |count: &u32| {
            seen += u64::from(*count);
            seen >= rank
        };
        let bucket = self.buckets.iter().position(reached)?;
        Some(Duration::from_nanos(end_of(bucket).min(self.max)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> Histogram {
        Histogram {
            buckets: [const { AtomicU32::new(0) }; BUCKETS],
            count: AtomicU64::new(0),
            sum: AtomicU64::new(0),
            max: AtomicU64::new(0),
        }
    }

    #[test]
    fn buckets_are_contiguous_and_an_eighth_of_a_doubling_wide() {
        let mut last = 0;
        for nanos in (0..4096).chain((12..40).flat_map(|log| [(1 << log) - 1, 1 << log, (1 << log) + 1])) {
            let bucket = bucket_of(nanos);
            assert!(bucket == last || bucket == last + 1 || nanos >= 4096, "{nanos}");
            last = bucket.max(last);
            if bucket < BUCKETS - 1 {
                assert!(nanos < end_of(bucket), "{nanos} in {bucket}");
                assert!(nanos < 64 || end_of(bucket) - nanos <= nanos / 8 + 1, "{nanos}: {}", end_of(bucket));
            }
        }
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn quantiles_are_right_within_an_eighth() {
        let histogram = empty();
        (1..=10_000u64).for_each(|i| histogram.record(i * 100));
        let latency = histogram.snapshot();
        for part in [0.01, 0.5, 0.9, 0.99, 1.0] {
            let exact = part * 1e6;
            let found = latency.quantile(part).unwrap().as_nanos() as f64;
            assert!(found >= exact && found <= exact * 1.125 + 1.0, "{part}: {found} for {exact}");
        }
        assert_eq!(latency.max(), Some(Duration::from_millis(1)));
        assert_eq!((latency.count(), latency.mean()), (10_000, Some(Duration::from_nanos(500_050))));
    }

    #[test]
    fn snapshots_are_subtracted_and_merged() {
        let histogram = empty();
        histogram.record(1_000_000);
        let earlier = histogram.snapshot();
        (0..9).for_each(|_| histogram.record(1000));
        let since = histogram.snapshot().since(&earlier);
        assert_eq!((since.count(), since.mean()), (9, Some(Duration::from_micros(1))));
        assert!(since.quantile(1.0).unwrap() < Duration::from_nanos(1126));
        let mut both = Latency::default();
        both.merge(&since);
        both.merge(&earlier);
        assert_eq!(both, histogram.snapshot());
    }

    #[test]
    fn a_full_bucket_halves_all_buckets_and_none_wraps() {
        let histogram = empty();
        histogram.record(1_000_000);
        histogram.record(1_000_000);
        histogram.buckets[bucket_of(100)].store(u32::MAX, Ordering::Relaxed);
        histogram.record(100);
        let count = |nanos| histogram.buckets[bucket_of(nanos)].load(Ordering::Relaxed);
        assert_eq!((count(100), count(1_000_000)), (u32::MAX / 2 + 1, 1));
        histogram.clear();
        assert_eq!(histogram.snapshot().quantile(0.5), None);
    }
}
