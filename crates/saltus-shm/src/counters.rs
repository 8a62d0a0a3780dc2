//! What endpoints and connections count, where every tool can read it.

use std::sync::atomic::{AtomicU64, Ordering};

use saltus_types::{Gid, LossCause, Losses};

use crate::{latency::Histogram, os::mapping::Shared};

/// The counts of a publisher or subscription, in its process's segment. All-zero is a fresh one.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct EndpointCounters {
    /// The number of the endpoint that it belongs to.
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
pub(crate) const MISMATCHES: [LossCause; 2] = [LossCause::TypeMismatch, LossCause::QosMismatch];

impl EndpointCounters {
    /// Owner: makes it a fresh one of an endpoint.
    pub(crate) fn open(&self, endpoint: Gid) {
        self.owner.store(0, Ordering::Release);
        let rest = self.losses.iter().chain(&self.mismatch_base);
        rest.chain([&self.messages, &self.lost, &self.copied])
            .for_each(|word| word.store(0, Ordering::Relaxed));
        self.owner.store(endpoint.entity(), Ordering::Release);
    }

    /// Whether it still is that endpoint's.
    pub(crate) fn is_of(&self, endpoint: Gid) -> bool {
        self.owner.load(Ordering::Acquire) == endpoint.entity()
    }

    /// Owner: how many messages there are by now.
    pub(crate) fn set_messages(&self, count: u64) {
        self.messages.store(count, Ordering::Relaxed);
    }

    pub(crate) fn messages(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }

    /// Owner: a message was copied.
    pub(crate) fn count_copy(&self) {
        self.copied.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn copied(&self) -> u64 {
        self.copied.load(Ordering::Relaxed)
    }

    pub(crate) fn lose(&self, cause: LossCause, count: u64) {
        if count > 0 {
            self.losses[cause as usize].fetch_add(count, Ordering::Relaxed);
            self.lost.fetch_add(count, Ordering::Relaxed);
        }
    }

    pub(crate) fn lose_all(&self, losses: &Losses) {
        losses.iter().for_each(|(cause, count)| self.lose(cause, count));
    }

    /// Owner: what unsuitable publishers had sent when they were found.
    pub(crate) fn set_mismatch_base(&self, mismatch: usize, sent: u64) {
        self.mismatch_base[mismatch].store(sent, Ordering::Relaxed);
    }

    pub(crate) fn mismatch_base(&self, mismatch: usize) -> u64 {
        self.mismatch_base[mismatch].load(Ordering::Relaxed)
    }

    pub(crate) fn total_losses(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    pub(crate) fn losses(&self) -> Losses {
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
pub(crate) struct ConnectionCounters {
    /// From `publish` until the message was taken.
    pub(crate) transport: Histogram,
    /// In the subscription's callback.
    pub(crate) callback: Histogram,
}

// SAFETY: consists of atomics; any bits are valid.
unsafe impl Shared for ConnectionCounters {}

impl ConnectionCounters {
    pub(crate) fn clear(&self) {
        self.transport.clear();
        self.callback.clear();
    }
}
