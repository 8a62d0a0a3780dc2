//! The choice of the chunk for a large message: the one that was freed last, or several in turn.
//!
//! The chunk that was freed last is still in the cache of the CPU on which its message was read. To write to it, this CPU
//! has to fetch or to invalidate each cache line. Chunks that are used in turn avoid that, but need more of the cache.
//! Which is faster depends on the sizes and speeds of the caches, and on what else uses them. So both are measured from
//! time to time: how long it takes from when a chunk is acquired until its message is sent. See decision 0023.

/// Chunks of at least this many bytes may be used in turn.
pub(crate) const ROTATED_LEN: u64 = 32 << 10;
/// The number of chunks that are used in turn.
pub(crate) const ROTATION_CHUNKS: usize = 4;
/// Chunks are used in turn only if all of them need at most this part of the largest cache. The rest is for those of
/// other publishers, and for other data.
const ROTATION_PART: u64 = 4;

/// The size of a cache that is not known. Robots have computers with 1 to 8 MB.
const USUAL_CACHE: u64 = 8 << 20;

/// The number of messages after a change that are not measured, because their chunks were used in the other order.
const SKIPPED: u32 = ROTATION_CHUNKS as u32;
/// The number of messages that are measured with each order. Their median counts.
const SAMPLES: usize = 9;
/// The other order is used only if it needs less than this part of the time. Otherwise chance would decide.
const GAIN: f64 = 0.95;
/// The number of messages between two measurements: at first, and at most. It doubles while the order remains.
const FIRST_INTERVAL: u32 = 256;
const LAST_INTERVAL: u32 = 1 << 16;

/// The order in which a publisher uses its large chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Order {
    /// The chunk that was freed last is used.
    #[default]
    LastFreed,
    /// The chunk that was freed first is used.
    InTurn,
}

impl Order {
    fn other(self) -> Self {
        match self {
            Self::LastFreed => Self::InTurn,
            Self::InTurn => Self::LastFreed,
        }
    }
}

/// What is done with the next messages.
#[derive(Debug)]
enum Phase {
    /// The better order is used for this many messages.
    Settled(u32),
    /// The order in use is measured.
    Measured(Samples),
    /// The other order is measured. The median time of the first is known.
    OtherMeasured(Samples, f64),
}

/// The times of some messages, in nanoseconds for each byte.
#[derive(Debug, Default)]
struct Samples {
    seen: u32,
    times: Vec<f64>,
}

impl Samples {
    /// Adds a time. Returns the median if there are enough of them.
    fn add(&mut self, time: f64) -> Option<f64> {
        self.seen += 1;
        if self.seen <= SKIPPED {
            return None;
        }
        self.times.push(time);
        (self.times.len() == SAMPLES).then(|| {
            self.times.sort_by(f64::total_cmp);
            self.times[SAMPLES / 2]
        })
    }
}

/// The order of a publisher's large chunks.
#[derive(Debug)]
pub(crate) struct Rotation {
    /// The largest length of chunks that are used in turn.
    longest: u64,
    /// The better order, as far as it was measured.
    order: Order,
    phase: Phase,
    interval: u32,
}

/// A rotation for CPUs with a usual cache.
impl Default for Rotation {
    fn default() -> Self {
        Self::new(None)
    }
}

impl Rotation {
    /// Creates the rotation for CPUs with a cache of this size in bytes, if it is known.
    pub(crate) fn new(cache: Option<u64>) -> Self {
        let cache = cache.unwrap_or(USUAL_CACHE);
        let longest = cache / ROTATION_PART / ROTATION_CHUNKS as u64;
        let phase = Phase::Measured(Samples::default());
        Self { longest, order: Order::default(), phase, interval: FIRST_INTERVAL }
    }

    /// Whether chunks of this length may be used in turn.
    pub(crate) fn includes(&self, len: u64) -> bool {
        (ROTATED_LEN..=self.longest).contains(&len)
    }

    /// Returns the order in which the next chunk is chosen.
    pub(crate) fn order(&self) -> Order {
        match self.phase {
            Phase::OtherMeasured(..) => self.order.other(),
            Phase::Settled(_) | Phase::Measured(_) => self.order,
        }
    }

    /// Ends a measurement, because there is no memory for it.
    pub(crate) fn give_up(&mut self) {
        if !matches!(self.phase, Phase::Settled(_)) {
            self.phase = Phase::Settled(self.interval);
        }
    }

    /// Notes how many nanoseconds a message of `len` bytes took from when its chunk was acquired in an order until it was
    /// sent. Nothing is noted if another order is measured by now.
    pub(crate) fn note(&mut self, order: Order, len: u64, nanos: i64) {
        if order != self.order() {
            return;
        }
        let time = nanos as f64 / len as f64;
        match &mut self.phase {
            Phase::Settled(0) => self.phase = Phase::Measured(Samples::default()),
            Phase::Settled(left) => *left -= 1,
            Phase::Measured(samples) => {
                if let Some(median) = samples.add(time) {
                    self.phase = Phase::OtherMeasured(Samples::default(), median);
                }
            }
            Phase::OtherMeasured(samples, before) => {
                let before = *before;
                if let Some(median) = samples.add(time) {
                    self.decide(before, median);
                }
            }
        }
    }

    fn decide(&mut self, current: f64, other: f64) {
        if other < current * GAIN {
            self.order = self.order.other();
            self.interval = FIRST_INTERVAL;
        } else {
            self.interval = (self.interval * 2).min(LAST_INTERVAL);
        }
        self.phase = Phase::Settled(self.interval);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEN: u64 = 256 << 10;

    /// Sends messages that need these times with the two orders. Returns how many of them were in turn.
    fn send(rotation: &mut Rotation, count: u32, last_freed: i64, in_turn: i64) -> u32 {
        let mut turns = 0;
        for _ in 0..count {
            let is_in_turn = rotation.order() == Order::InTurn;
            turns += u32::from(is_in_turn);
            rotation.note(rotation.order(), LEN, if is_in_turn { in_turn } else { last_freed });
        }
        turns
    }

    #[test]
    fn the_faster_order_is_used_and_the_other_one_is_tried_less_and_less() {
        let mut rotation = Rotation::new(Some(64 << 20));
        let turns = send(&mut rotation, 10_000, 30_000, 20_000);
        assert!(turns > 9_700, "{turns}");
        let turns = send(&mut rotation, 100_000, 20_000, 30_000);
        assert!(turns < 10_000, "{turns}");
        assert_eq!(rotation.order(), Order::LastFreed);
        // The measurements of a million messages.
        let turns = send(&mut rotation, 1_000_000, 20_000, 30_000);
        assert!(turns <= 20 * (SKIPPED + SAMPLES as u32), "{turns}");
    }

    #[test]
    fn a_small_difference_and_a_few_late_messages_change_nothing() {
        let mut rotation = Rotation::new(Some(64 << 20));
        send(&mut rotation, 10_000, 20_000, 19_500);
        assert_eq!(rotation.order, Order::LastFreed);
        let mut rotation = Rotation::new(Some(64 << 20));
        for message in 0..10_000 {
            let is_late = message % 5 == 0;
            rotation.note(rotation.order(), LEN, if is_late { 5_000_000 } else { 20_000 });
        }
        assert_eq!(rotation.order, Order::LastFreed);
    }

    #[test]
    fn a_measurement_without_memory_ends_and_late_times_of_the_other_order_do_not_count() {
        let mut rotation = Rotation::new(Some(64 << 20));
        for _ in 0..SKIPPED + SAMPLES as u32 {
            rotation.note(Order::LastFreed, LEN, 20_000);
        }
        assert_eq!(rotation.order(), Order::InTurn);
        for _ in 0..100 {
            rotation.note(Order::LastFreed, LEN, 20_000);
        }
        assert_eq!(rotation.order(), Order::InTurn);
        rotation.give_up();
        assert_eq!(rotation.order(), Order::LastFreed);
    }

    #[test]
    fn only_chunks_of_which_a_turn_fits_the_cache_are_used_in_turn() {
        let rotation = Rotation::new(Some(8 << 20));
        assert!(rotation.includes(ROTATED_LEN) && rotation.includes(512 << 10));
        assert!(!rotation.includes(ROTATED_LEN - 1) && !rotation.includes(1 << 20));
        assert!(!Rotation::new(Some(0)).includes(ROTATED_LEN));
        assert!(Rotation::new(None).includes(ROTATED_LEN));
    }
}
