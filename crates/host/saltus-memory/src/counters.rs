//! The counters of endpoints and connections, in memory that every tool can read.

use std::sync::atomic::{AtomicU64, Ordering};

use saltus_types::{LinkCounts, LinkLoss, LossCause, Losses};

use crate::{
    latency::Histogram,
    os::{clock::monotonic_now, mapping::SharedType},
};

/// The counts of a publisher or a subscription, in the segment of its process. All-zero counters are unused.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct EndpointCounters {
    /// The serial number, in its process, of the endpoint that uses these counters.
    owner: AtomicU64,
    /// The number of messages that the endpoint has sent or taken.
    messages: AtomicU64,
    /// The sum of `losses`. One load shows whether anything was lost.
    lost: AtomicU64,
    /// Subscriptions: how many messages were copied, because the borrow limit was reached.
    copied: AtomicU64,
    /// Subscriptions: when the last message was copied, in monotonic nanoseconds.
    copied_at: AtomicU64,
    /// Subscriptions: when the last message was taken, in monotonic nanoseconds. Before that, when it was opened.
    taken_at: AtomicU64,
    /// Publishers: how many times `publish` failed because there was not enough memory.
    failed: AtomicU64,
    /// The losses of connections that have ended, and those that this endpoint itself has counted.
    losses: [AtomicU64; LossCause::COUNT],
    /// When the last message was lost, by cause, in monotonic nanoseconds; 0 if none was. Overflows of queues, which
    /// the queues count, have no time.
    lost_at: [AtomicU64; LossCause::COUNT],
    /// Subscriptions: how many messages incompatible publishers had sent when they were found, by cause. What they have
    /// sent since is lost to the subscription.
    mismatch_base: [AtomicU64; 2],
}

// SAFETY: consists of atomics; any bits are valid.
unsafe impl SharedType for EndpointCounters {}

/// The two causes for which two endpoints are incompatible.
pub const MISMATCHES: [LossCause; 2] = [LossCause::TypeMismatch, LossCause::QosMismatch];

impl EndpointCounters {
    /// Owner: sets all counts to 0 for a new endpoint.
    pub fn open(&self, serial: u64) {
        self.owner.store(0, Ordering::Release);
        let rest = self.losses.iter().chain(&self.lost_at).chain(&self.mismatch_base);
        rest.chain([&self.messages, &self.lost, &self.copied, &self.copied_at, &self.failed])
            .for_each(|word| word.store(0, Ordering::Relaxed));
        self.taken_at.store(monotonic_now(), Ordering::Relaxed);
        self.owner.store(serial, Ordering::Release);
    }

    /// Whether the endpoint with this serial number uses the counters.
    pub fn is_of(&self, serial: u64) -> bool {
        self.owner.load(Ordering::Acquire) == serial
    }

    /// Owner: sets how many messages it has sent.
    #[inline]
    pub(crate) fn set_sent(&self, count: u64) {
        self.messages.store(count, Ordering::Relaxed);
    }

    /// Owner: sets how many messages it has taken, and when it took the last one, in monotonic nanoseconds.
    #[inline]
    pub(crate) fn set_taken(&self, count: u64, at: u64) {
        self.messages.store(count, Ordering::Relaxed);
        self.taken_at.store(at, Ordering::Relaxed);
    }

    /// Returns when the last message was taken, in monotonic nanoseconds. If none was, returns when the endpoint was
    /// opened.
    pub fn taken_at(&self) -> u64 {
        self.taken_at.load(Ordering::Relaxed)
    }

    /// Returns how many messages the endpoint has sent or taken.
    pub fn messages(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }

    /// Owner: counts a message that was copied.
    pub(crate) fn count_copy(&self) {
        self.copied.fetch_add(1, Ordering::Relaxed);
        self.copied_at.store(monotonic_now(), Ordering::Relaxed);
    }

    /// Returns how many messages were copied.
    pub fn copied(&self) -> u64 {
        self.copied.load(Ordering::Relaxed)
    }

    /// Returns when the last message was copied, in monotonic nanoseconds; `None` if none was.
    pub fn copied_at(&self) -> Option<u64> {
        time(&self.copied_at)
    }

    /// Owner: counts a `publish` that failed because there was not enough memory.
    pub(crate) fn count_failure(&self) {
        self.failed.fetch_add(1, Ordering::Relaxed);
        self.note_loss(LossCause::OutOfMemory);
    }

    /// Returns how many times `publish` failed because there was not enough memory.
    pub fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }

    /// Counts messages as lost.
    pub(crate) fn lose(&self, cause: LossCause, count: u64) {
        if count > 0 {
            self.losses[cause as usize].fetch_add(count, Ordering::Relaxed);
            self.lost.fetch_add(count, Ordering::Relaxed);
            self.note_loss(cause);
        }
    }

    /// Sets the time of the last loss for a cause to now. The loss itself is counted elsewhere, in a queue.
    pub(crate) fn note_loss(&self, cause: LossCause) {
        self.lost_at[cause as usize].store(monotonic_now(), Ordering::Relaxed);
    }

    /// Returns when the last message was lost for a cause, in monotonic nanoseconds; `None` if that is not known.
    pub fn lost_at(&self, cause: LossCause) -> Option<u64> {
        time(&self.lost_at[cause as usize])
    }

    /// Counts all of these as lost.
    pub(crate) fn lose_all(&self, losses: &Losses) {
        losses.iter().for_each(|(cause, count)| self.lose(cause, count));
    }

    /// Owner: sets how many messages incompatible publishers had sent when they were found.
    pub(crate) fn set_mismatch_base(&self, mismatch: usize, sent: u64) {
        self.mismatch_base[mismatch].store(sent, Ordering::Relaxed);
    }

    /// Returns how many messages incompatible publishers had sent when they were found.
    pub fn mismatch_base(&self, mismatch: usize) -> u64 {
        self.mismatch_base[mismatch].load(Ordering::Relaxed)
    }

    /// Returns how many messages were lost for all causes together.
    pub(crate) fn total_losses(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Returns how many messages were lost, by cause.
    pub fn losses(&self) -> Losses {
        let mut losses = Losses::default();
        for (cause, count) in LossCause::ALL.into_iter().zip(&self.losses) {
            losses.add(cause, count.load(Ordering::Relaxed));
        }
        losses
    }
}

/// Reads a time; `None` if it was not set.
fn time(word: &AtomicU64) -> Option<u64> {
    Some(word.load(Ordering::Relaxed)).filter(|time| *time > 0)
}

/// The latencies of one publisher's messages, in the segment of the subscription that counts them.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct ConnectionCounters {
    /// The times from `publish` until a message was taken.
    pub transport: Histogram,
    /// The times in the subscription's callback.
    pub callback: Histogram,
}

// SAFETY: consists of atomics; any bits are valid.
unsafe impl SharedType for ConnectionCounters {}

impl ConnectionCounters {
    /// Owner: sets all counts to 0 for a new connection.
    pub(crate) fn clear(&self) {
        self.transport.clear();
        self.callback.clear();
    }
}

/// The counts of a device, in the segment of the process that represents it. All-zero counters are unused.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct DeviceCounters {
    /// The serial number, in its process, of the device that uses these counters.
    owner: AtomicU64,
    /// 1 if the device is there.
    is_present: AtomicU64,
    /// When the device was last heard, in monotonic nanoseconds.
    heard_at: AtomicU64,
    /// Messages from the device and their bytes, messages to the device and their bytes, messages that were sent again.
    traffic: [AtomicU64; 5],
    /// Messages that were lost, by cause.
    lost: [AtomicU64; LinkLoss::COUNT],
    /// When the last message was lost, by cause, in monotonic nanoseconds; 0 if none was.
    lost_at: [AtomicU64; LinkLoss::COUNT],
}

// SAFETY: consists of atomics; any bits are valid.
unsafe impl SharedType for DeviceCounters {}

impl DeviceCounters {
    /// Owner: uses the counters for a device.
    pub fn open(&self, serial: u64) {
        self.owner.store(0, Ordering::Release);
        self.set(&LinkCounts::default());
        self.owner.store(serial, Ordering::Release);
    }

    /// Whether the device with this serial number uses the counters.
    pub fn is_of(&self, serial: u64) -> bool {
        self.owner.load(Ordering::Acquire) == serial
    }

    /// Owner: sets all counts.
    pub fn set(&self, counts: &LinkCounts) {
        self.is_present.store(counts.is_present.into(), Ordering::Relaxed);
        self.heard_at.store(counts.heard_at, Ordering::Relaxed);
        let LinkCounts { received, received_bytes, sent, sent_bytes, repeated, .. } = *counts;
        let traffic = [received, received_bytes, sent, sent_bytes, repeated];
        let words = [self.traffic.as_slice(), &self.lost, &self.lost_at].into_iter().flatten();
        let values = [traffic.as_slice(), &counts.lost, &counts.lost_at].into_iter().flatten();
        words.zip(values).for_each(|(word, value)| word.store(*value, Ordering::Relaxed));
    }

    /// Returns all counts.
    pub fn get(&self) -> LinkCounts {
        let load = |word: &AtomicU64| word.load(Ordering::Relaxed);
        let [received, received_bytes, sent, sent_bytes, repeated] = self.traffic.each_ref().map(load);
        LinkCounts {
            is_present: load(&self.is_present) == 1,
            heard_at: load(&self.heard_at),
            received,
            received_bytes,
            sent,
            sent_bytes,
            repeated,
            lost: self.lost.each_ref().map(load),
            lost_at: self.lost_at.each_ref().map(load),
        }
    }
}
