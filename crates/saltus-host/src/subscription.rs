//! The receiving end of a topic.

use std::sync::Arc;

use saltus_graph::{EndpointEvent, EndpointInfo};
use saltus_memory::{receiver::BORROW_LIMIT, sample::Sample, waiter::Waker};
use saltus_types::Losses;

use crate::{ends::SubscriptionEnd, presence::Presence};

/// What a subscription can tell of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SubscriptionStatus {
    /// How many messages were taken.
    pub received: u64,
    /// How many publishers are connected.
    pub matched: usize,
    /// How many messages were not delivered, as far as this end knows.
    pub losses: Losses,
    /// How many publishers of this topic can't be received for their type or QoS.
    pub incompatible: u64,
    /// How many messages were copied when they were taken, because as many were borrowed as may be.
    pub copied: u64,
}

/// The receiving end of a topic.
///
/// **Invariant:** holds at most the depth of its QoS, over all publishers; older messages give way
/// and are counted. May be used from any thread.
#[derive(Debug)]
pub struct Subscription {
    end: Arc<SubscriptionEnd>,
    /// This process stays in the domain as long as its handles.
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

    /// What the graph says of it.
    pub fn info(&self) -> &EndpointInfo {
        &self.end.info
    }

    /// The oldest message that waits, if there is one.
    #[inline]
    pub fn take(&self) -> Option<Sample> {
        if !self.is_usable() {
            return None;
        }
        self.end.receiver.take(|lost| self.end.note_lost(lost))
    }

    /// Whether a message waits.
    pub fn has_message(&self) -> bool {
        self.is_usable() && self.end.receiver.has_message()
    }

    /// From now on a message rings there, or nowhere.
    ///
    /// What waits already rings at once, so that it is not overlooked. A waker of another context's waiter
    /// is taken for nobody.
    pub fn set_waker(&self, waker: Option<&Waker>) {
        if self.is_usable() {
            self.end.receiver.set_waker(waker);
        }
    }

    /// Counts and states.
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

    /// How many messages may be borrowed from publishers at a time: those that were taken and not dropped. Beyond
    /// that, messages are copied when they are taken, and counted in [`SubscriptionStatus::copied`]. So a publisher
    /// needs memory for as many messages as its subscriptions may have waiting and borrowed, whatever they keep.
    ///
    /// The limit is [`Subscription::BORROW_LIMIT`] unless it is set. With 0 every message is copied.
    pub fn set_borrow_limit(&self, limit: usize) {
        self.end.receiver.set_borrow_limit(limit);
    }

    /// How many messages may be borrowed unless something else is set.
    pub const BORROW_LIMIT: usize = BORROW_LIMIT;

    /// The next event that was not told yet.
    pub fn take_event(&self) -> Option<EndpointEvent> {
        self.is_usable().then(|| self.end.events.take()).flatten()
    }

    /// Counts a message that was taken and is not what its type says.
    pub fn count_unreadable(&self) {
        if self.is_usable() {
            let lost = self.end.receiver.count_unreadable();
            self.end.note_lost(&lost);
        }
    }

    /// From now on an event rings there, or nowhere.
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
