//! Always-on latency: histograms that one process fills and every tool may read.
//!
//! A bucket is an eighth of a doubling wide, so a quantile is right to within 12.5 %. Counting costs a
//! few nanoseconds and no lock; a histogram has the size of 16 cache lines, whatever happens.

use std::{
    sync::atomic::{AtomicU32, AtomicU64, Ordering},
    time::Duration,
};

/// Everything below 2 to the power of this, in nanoseconds, is one bucket.
const LOWEST: u32 = 6;
/// Buckets per doubling, as a power of two.
const FINENESS: u32 = 3;
/// From 64 ns to 68 s.
const DOUBLINGS: u32 = 30;
const BUCKETS: usize = 1 + ((DOUBLINGS as usize) << FINENESS);

/// A histogram in shared memory. All-zero is an empty one.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Histogram {
    buckets: [AtomicU32; BUCKETS],
    count: AtomicU64,
    sum: AtomicU64,
    max: AtomicU64,
}

/// What a histogram held at one moment.
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

/// The bucket of a time in nanoseconds.
#[inline]
fn bucket_of(nanos: u64) -> usize {
    let Some(doubling) = nanos.checked_ilog2().and_then(|log| log.checked_sub(LOWEST)) else { return 0 };
    let within = (nanos >> (doubling + LOWEST - FINENESS)) & ((1 << FINENESS) - 1);
    (1 + ((doubling as usize) << FINENESS) + within as usize).min(BUCKETS - 1)
}

/// The first time in nanoseconds behind a bucket.
fn end_of(bucket: usize) -> u64 {
    let doubling = (bucket >> FINENESS) as u32;
    let within = (bucket & ((1 << FINENESS) - 1)) as u64;
    ((1 << FINENESS) + within) << (doubling + LOWEST - FINENESS)
}

impl Histogram {
    /// Counts a time in nanoseconds. Only one thread may count at a time; any may read meanwhile.
    #[inline]
    pub fn record(&self, nanos: u64) {
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

    /// Makes room in all buckets alike, which changes no quantile.
    #[cold]
    fn halve(&self) {
        for bucket in &self.buckets {
            bucket.store(bucket.load(Ordering::Relaxed) / 2, Ordering::Relaxed);
        }
    }

    /// Makes it empty.
    pub fn clear(&self) {
        self.buckets.iter().for_each(|bucket| bucket.store(0, Ordering::Relaxed));
        [&self.count, &self.sum, &self.max].into_iter().for_each(|word| word.store(0, Ordering::Relaxed));
    }

    /// What it holds. A message that is counted meanwhile may be in one figure and not yet in another.
    pub fn snapshot(&self) -> Latency {
        Latency {
            buckets: self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed)).collect(),
            count: self.count.load(Ordering::Relaxed),
            sum: self.sum.load(Ordering::Relaxed),
            max: self.max.load(Ordering::Relaxed),
        }
    }
}

fn add(bucket: &AtomicU32, count: u32) {
    bucket.store(bucket.load(Ordering::Relaxed).wrapping_add(count), Ordering::Relaxed);
}

impl Latency {
    /// How many messages were counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The longest; `None` if there was none.
    pub fn max(&self) -> Option<Duration> {
        (self.count > 0).then(|| Duration::from_nanos(self.max))
    }

    /// The mean; `None` if there was none.
    pub fn mean(&self) -> Option<Duration> {
        (self.count > 0).then(|| Duration::from_nanos(self.sum / self.count))
    }

    /// A time that this part of all (0 to 1) does not exceed, at most 12.5 % too long; `None` if there
    /// was none.
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
    fn buckets_follow_each_other_without_gaps_and_are_an_eighth_wide() {
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
    fn quantiles_are_those_of_the_times_within_an_eighth() {
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
    fn a_full_bucket_halves_all_and_nothing_wraps() {
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
