//! What endpoints and connections count, where every tool can read it.

use std::sync::atomic::{AtomicU64, Ordering};

use saltus_types::{LossCause, Losses};

use crate::{latency::Histogram, os::mapping::Shared};

/// The counts of a publisher or subscription, in its process's segment. All-zero is a fresh one.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct EndpointCounters {
    /// The number of the endpoint in its process that it belongs to.
    owner: AtomicU64,
    /// How many messages it has sent, or taken.
    messages: AtomicU64,
    /// How much was lost of all causes, so that one look tells whether anything was.
    lost: AtomicU64,
    /// Subscriptions: how many messages were copied, because as many were borrowed as may be.
    copied: AtomicU64,
    /// What was lost of connections that have ended, and what its own side lost.
    losses: [AtomicU64; LossCause::COUNT],
    /// Subscriptions: what publishers that don't suit it had sent when that was found, by cause: what
    /// they sent since is lost to it.
    mismatch_base: [AtomicU64; 2],
}

// SAFETY: consists of atomics; any bits are valid.
unsafe impl Shared for EndpointCounters {}

/// The two causes by which whole endpoints don't suit each other.
pub const MISMATCHES: [LossCause; 2] = [LossCause::TypeMismatch, LossCause::QosMismatch];

impl EndpointCounters {
    /// Owner: makes it a fresh one of an endpoint.
    pub fn open(&self, serial: u64) {
        self.owner.store(0, Ordering::Release);
        let rest = self.losses.iter().chain(&self.mismatch_base);
        rest.chain([&self.messages, &self.lost, &self.copied])
            .for_each(|word| word.store(0, Ordering::Relaxed));
        self.owner.store(serial, Ordering::Release);
    }

    /// Whether it still is that endpoint's.
    pub fn is_of(&self, serial: u64) -> bool {
        self.owner.load(Ordering::Acquire) == serial
    }

    /// Owner: how many messages there are by now.
    pub fn set_messages(&self, count: u64) {
        self.messages.store(count, Ordering::Relaxed);
    }

    /// How many messages there are by now.
    pub fn messages(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }

    /// Owner: a message was copied.
    pub fn count_copy(&self) {
        self.copied.fetch_add(1, Ordering::Relaxed);
    }

    /// How many messages were copied.
    pub fn copied(&self) -> u64 {
        self.copied.load(Ordering::Relaxed)
    }

    /// Counts messages as lost.
    pub fn lose(&self, cause: LossCause, count: u64) {
        if count > 0 {
            self.losses[cause as usize].fetch_add(count, Ordering::Relaxed);
            self.lost.fetch_add(count, Ordering::Relaxed);
        }
    }

    /// Counts all of these as lost.
    pub fn lose_all(&self, losses: &Losses) {
        losses.iter().for_each(|(cause, count)| self.lose(cause, count));
    }

    /// Owner: what unsuitable publishers had sent when they were found.
    pub fn set_mismatch_base(&self, mismatch: usize, sent: u64) {
        self.mismatch_base[mismatch].store(sent, Ordering::Relaxed);
    }

    /// What unsuitable publishers had sent when they were found.
    pub fn mismatch_base(&self, mismatch: usize) -> u64 {
        self.mismatch_base[mismatch].load(Ordering::Relaxed)
    }

    /// How much was lost of all causes.
    pub fn total_losses(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// What was lost, by cause.
    pub fn losses(&self) -> Losses {
        let mut losses = Losses::default();
        for (cause, count) in LossCause::ALL.into_iter().zip(&self.losses) {
            losses.add(cause, count.load(Ordering::Relaxed));
        }
        losses
    }
}

/// What a subscription counts of one publisher, in the subscription's segment.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct ConnectionCounters {
    /// From `publish` until the message was taken.
    pub transport: Histogram,
    /// In the subscription's callback.
    pub callback: Histogram,
}

// SAFETY: consists of atomics; any bits are valid.
unsafe impl Shared for ConnectionCounters {}

impl ConnectionCounters {
    /// Owner: makes them those of a new connection.
    pub fn clear(&self) {
        self.transport.clear();
        self.callback.clear();
    }
}
