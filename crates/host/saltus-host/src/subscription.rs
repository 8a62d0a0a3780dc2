//! The receiving end of a topic.

use std::sync::Arc;

use saltus_graph::{EndpointEvent, EndpointInfo};
use saltus_memory::{receiver::BORROW_LIMIT, sample::Sample, waiter::Waker};
use saltus_types::{LossCause, Losses, NetworkLoss};

use crate::{ends::SubscriptionEnd, presence::Presence};

/// The counts and states of a subscription.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SubscriptionStatus {
    /// The number of messages that were taken.
    pub received: u64,
    /// The number of connected publishers.
    pub matched: usize,
    /// The number of messages that were not delivered, as far as this end knows.
    pub losses: Losses,
    /// The number of publishers of this topic that are incompatible in type or QoS.
    pub incompatible: u64,
    /// The number of messages that were copied when they were taken, because the borrow limit was reached.
    pub copied: u64,
}

/// The receiving end of a topic.
///
/// **Invariant:** with `keep_last`, its queues hold at most as many messages as the depth of its QoS, over all
/// publishers, when a message is taken. Older messages are dropped and counted. It may be used from any thread.
#[derive(Debug)]
pub struct Subscription {
    end: Arc<SubscriptionEnd>,
    /// Keeps this process in the domain as long as this handle exists.
    presence: Presence,
}

impl Subscription {
    pub(crate) fn new(end: Arc<SubscriptionEnd>, presence: Presence) -> Self {
        Self { end, presence }
    }

    #[inline]
    fn is_usable(&self) -> bool {
        self.end.receiver.is_usable()
    }

    /// Returns the subscription as the graph shows it.
    pub fn info(&self) -> &EndpointInfo {
        &self.end.info
    }

    /// Takes the oldest message, if there is one.
    #[inline]
    pub fn take(&self) -> Option<Sample> {
        if !self.is_usable() {
            return None;
        }
        self.end.receiver.take(|lost| self.end.note_lost(lost))
    }

    /// Returns whether there is a message to take.
    pub fn has_message(&self) -> bool {
        self.is_usable() && self.end.receiver.has_message()
    }

    /// Sets the waker that each message rings, or removes it if `None`.
    ///
    /// Rings the new waker at once, so that messages that are there already are not missed. A waker of another
    /// context's waiter is treated as `None`.
    pub fn set_waker(&self, waker: Option<&Waker>) {
        if self.is_usable() {
            self.end.receiver.set_waker(waker);
        }
    }

    /// Returns counts and states.
    pub fn status(&self) -> SubscriptionStatus {
        if !self.is_usable() {
            return SubscriptionStatus::default();
        }
        let status = self.end.receiver.status();
        SubscriptionStatus {
            received: status.received,
            matched: status.matched,
            losses: status.losses,
            incompatible: self.end.events.incompatible(),
            copied: status.copied,
        }
    }

    /// Sets how many messages may be borrowed from publishers at a time: messages that were taken and not dropped.
    /// Beyond that, messages are copied when they are taken, and counted in [`SubscriptionStatus::copied`]. So the
    /// memory that a publisher needs is limited by the queues and borrow limits of its subscriptions, however many
    /// messages their programs keep.
    ///
    /// The limit is [`Subscription::BORROW_LIMIT`] unless it is set. With 0 every message is copied.
    pub fn set_borrow_limit(&self, limit: usize) {
        self.end.receiver.set_borrow_limit(limit);
    }

    /// The default borrow limit.
    pub const BORROW_LIMIT: usize = BORROW_LIMIT;

    /// Takes the next event.
    pub fn take_event(&self) -> Option<EndpointEvent> {
        self.is_usable().then(|| self.end.events.take()).flatten()
    }

    /// Counts messages that were taken for another host and not passed on.
    pub fn count_not_passed(&self, loss: NetworkLoss, number: u64) {
        if self.is_usable() {
            let lost = self.end.receiver.count_not_passed(loss, number);
            self.end.note_lost(&lost);
        }
    }

    /// Counts a message that was taken and can't be decoded as its type.
    pub fn count_unreadable(&self) {
        self.count_lost(LossCause::Deserialization, 1);
    }

    /// Counts messages that were dropped because a queue of the program was full.
    pub fn count_overflow(&self, count: u64) {
        self.count_lost(LossCause::QueueOverflow, count);
    }

    fn count_lost(&self, cause: LossCause, count: u64) {
        if self.is_usable() {
            let lost = self.end.receiver.count_lost(cause, count);
            self.end.note_lost(&lost);
        }
    }

    /// Sets the waker that each event rings, or removes it if `None`. Rings the new waker at once.
    pub fn set_event_waker(&self, waker: Option<&Waker>) {
        if self.is_usable() {
            self.end.events.set_waker(waker);
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if self.presence.host.memory.usability.may_release() {
            self.presence.host.remove_subscription(&self.end);
        }
    }
}
