//! The transforms of one frame over time, which are read while others are written.
//!
//! A [`Ring`] has one writer at a time and any number of readers, which never wait. The writer writes a slot that no reader
//! should read, and then moves `end`. It moves `begin` before it writes the oldest slot again. A reader that was so slow that
//! its slot was written again sees the new `begin` afterwards, and begins again.

use super::sync::{AtomicI64, AtomicU64, Ordering};

/// The numbers of a transform.
type Numbers = [f64; 7];

/// The capacity of a new history, in transforms.
const INITIAL_CAPACITY: usize = 16;
/// The largest number of transforms of a history: those of 10 s at 13 kHz. After that, each new one replaces the oldest one.
pub(crate) const MAX_SAMPLES: usize = 1 << 17;

/// A transform at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sample {
    /// In nanoseconds.
    pub(crate) stamp: i64,
    pub(crate) numbers: Numbers,
}

/// The position of a time among the transforms of a history.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Found {
    /// A transform has this time.
    At(Sample),
    /// The time is between two transforms.
    Between(Sample, Sample),
    /// There is only one transform, which has another time.
    Only(i64),
    /// All transforms are newer than the time; these are the oldest and the newest one.
    Before(i64, i64),
    /// All transforms are older than the time; this is the newest one.
    After(i64),
}

/// A slot of a ring. Each number is atomic, so a reader may meet a writer.
#[derive(Debug, Default)]
struct Slot {
    stamp: AtomicI64,
    /// The bits of the numbers.
    numbers: [AtomicU64; 7],
}

/// Transforms in the order of their stamps. It is never empty.
#[derive(Debug)]
pub(crate) struct Ring {
    /// The number of slots is a power of two.
    slots: Box<[Slot]>,
    /// The number of the oldest transform. All numbers count from the first transform of the ring.
    begin: AtomicU64,
    /// The number of the next transform.
    end: AtomicU64,
}

impl Ring {
    /// Returns a ring with transforms, which must be in the order of their stamps. There must be one at least.
    pub(crate) fn new(samples: &[Sample]) -> Self {
        Self::with_capacity(
            samples,
            (samples.len() + 1).max(INITIAL_CAPACITY).min(MAX_SAMPLES.max(samples.len())),
        )
    }

    fn with_capacity(samples: &[Sample], capacity: usize) -> Self {
        let slots = (0..capacity.next_power_of_two()).map(|_| Slot::default()).collect();
        let ring = Self { slots, begin: AtomicU64::new(0), end: AtomicU64::new(0) };
        samples.iter().for_each(|sample| ring.write(*sample));
        ring
    }

    /// Adds a transform that is newer than the newest one. Those that are older than `oldest` are removed. Returns `false`
    /// if there is no room. Only one thread at a time may do it.
    pub(crate) fn append(&self, sample: Sample, oldest: i64) -> bool {
        self.trim(oldest);
        let (begin, end) = (self.begin.load(Ordering::Relaxed), self.end.load(Ordering::Relaxed));
        if end - begin == self.slots.len() as u64 {
            if self.slots.len() < MAX_SAMPLES {
                return false;
            }
            self.begin.store(begin + 1, Ordering::Release);
        }
        self.write(sample);
        // The one that was the newest before may be too old now.
        self.trim(oldest);
        true
    }

    /// Removes the transforms that are older than a time, but not the newest one.
    fn trim(&self, oldest: i64) {
        let end = self.end.load(Ordering::Relaxed);
        let mut begin = self.begin.load(Ordering::Relaxed);
        while begin + 1 < end && self.slot(begin).stamp.load(Ordering::Relaxed) < oldest {
            begin += 1;
        }
        self.begin.store(begin, Ordering::Release);
    }

    fn write(&self, sample: Sample) {
        let end = self.end.load(Ordering::Relaxed);
        let slot = self.slot(end);
        // `Release`: a reader that sees a new number also sees that `begin` has moved on.
        slot.stamp.store(sample.stamp, Ordering::Release);
        for (stored, number) in slot.numbers.iter().zip(sample.numbers) {
            stored.store(number.to_bits(), Ordering::Release);
        }
        self.end.store(end + 1, Ordering::Release);
    }

    fn slot(&self, number: u64) -> &Slot {
        &self.slots[number as usize & (self.slots.len() - 1)]
    }

    fn stamp(&self, number: u64) -> i64 {
        self.slot(number).stamp.load(Ordering::Acquire)
    }

    fn sample(&self, number: u64) -> Sample {
        let slot = self.slot(number);
        let numbers =
            std::array::from_fn(|index| f64::from_bits(slot.numbers[index].load(Ordering::Acquire)));
        Sample { stamp: slot.stamp.load(Ordering::Acquire), numbers }
    }

    /// Calls `reads` with the numbers `begin` and `end` of the transforms, and returns its result. `reads` also returns the number of
    /// the oldest transform that it has read. It is called again if that transform was overwritten meanwhile.
    fn read<T>(&self, reads: impl Fn(u64, u64) -> (u64, T)) -> T {
        loop {
            // `begin` is loaded first, so that it is not after `end`.
            let begin = self.begin.load(Ordering::Acquire);
            let end = self.end.load(Ordering::Acquire);
            let (oldest_read, found) = reads(begin, end);
            if self.begin.load(Ordering::Acquire) <= oldest_read {
                return found;
            }
        }
    }

    /// Returns the stamp of the newest transform.
    pub(crate) fn newest_stamp(&self) -> i64 {
        self.read(|_, end| (end - 1, self.stamp(end - 1)))
    }

    /// Returns the stamp of the oldest transform, and how many there are.
    pub(crate) fn oldest_stamp_and_count(&self) -> (i64, usize) {
        self.read(|begin, end| (begin, (self.stamp(begin), (end - begin) as usize)))
    }

    /// Returns all transforms.
    pub(crate) fn samples(&self) -> Vec<Sample> {
        self.read(|begin, end| (begin, (begin..end).map(|number| self.sample(number)).collect()))
    }

    /// Returns the position of a time.
    pub(crate) fn find(&self, time: i64) -> Found {
        self.read(|begin, end| self.find_within(time, begin, end))
    }

    fn find_within(&self, time: i64, begin: u64, end: u64) -> (u64, Found) {
        let newest = self.stamp(end - 1);
        if time == newest {
            return (end - 1, Found::At(self.sample(end - 1)));
        }
        if end - begin == 1 {
            return (begin, Found::Only(newest));
        }
        if time > newest {
            return (end - 1, Found::After(newest));
        }
        let oldest = self.stamp(begin);
        if time < oldest {
            return (begin, Found::Before(oldest, newest));
        }
        let older = self.last_not_after(time, begin, end);
        let found = self.sample(older);
        if found.stamp == time {
            return (older, Found::At(found));
        }
        (older, Found::Between(found, self.sample(older + 1)))
    }

    /// Returns the number of the last transform whose stamp is not after a time. It is searched from the newest one, near which
    /// most times are. The first of the transforms must not be after the time, and the last one must be.
    fn last_not_after(&self, time: i64, begin: u64, end: u64) -> u64 {
        let (mut after, mut step) = (end - 1, 1);
        let mut not_after = loop {
            let number = after.saturating_sub(step).max(begin);
            if self.stamp(number) <= time || number == begin {
                break number;
            }
            (after, step) = (number, step * 2);
        };
        while after - not_after > 1 {
            let middle = u64::midpoint(not_after, after);
            if self.stamp(middle) <= time {
                not_after = middle;
            } else {
                after = middle;
            }
        }
        not_after
    }
}

#[cfg(test)]
impl Ring {
    /// Returns a ring with room for this many transforms only.
    pub(crate) fn tiny(sample: Sample, capacity: usize) -> Self {
        Self::with_capacity(&[sample], capacity)
    }
}
