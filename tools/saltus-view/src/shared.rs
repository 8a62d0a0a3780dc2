//! What all connections share.

use std::{
    sync::{
        Arc, Condvar, Mutex, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use saltus::{Node, types::lock};
use serde_json::json;
use tungstenite::Message;

use crate::{
    access::Access,
    control::Control,
    mailbox::{Mailbox, Place},
    order::Order,
    topics::{self, Topics},
    trees::Trees,
};

/// How many connections there are.
#[derive(Default)]
pub(crate) struct Count {
    now: Mutex<usize>,
    fell: Condvar,
}

impl Count {
    /// Waits until there are no connections, or until the time is over.
    pub(crate) fn wait_for_none(&self, timeout: Duration) {
        // Both ends of the wait are fine: what remains ends by itself.
        let _ = self.fell.wait_timeout_while(lock(&self.now), timeout, |now| *now > 0);
    }
}

/// Counts a connection, as long as it is there.
pub(crate) struct Counted<'a>(&'a Count);

impl<'a> Counted<'a> {
    /// Counts one more, if there are fewer than `most`.
    pub(crate) fn new(count: &'a Count, most: usize) -> Option<Self> {
        let mut now = lock(&count.now);
        if *now == most {
            return None;
        }
        *now += 1;
        Some(Self(count))
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        *lock(&self.0.now) -= 1;
        self.0.fell.notify_all();
    }
}

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) node: Node,
    pub(crate) access: Access,
    pub(crate) topics: Topics,
    pub(crate) trees: Trees,
    pub(crate) control: Option<Control>,
    pub(crate) pages: Mutex<Vec<Weak<Mailbox>>>,
    /// How many connections there are that have not shown yet that they may see the page, and how many that have.
    pub(crate) strangers: Count,
    pub(crate) known: Count,
    pub(crate) is_over: AtomicBool,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl Shared {
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }

    pub(crate) fn has_control(&self) -> bool {
        self.control.is_some()
    }

    /// Does what a page asks for.
    pub(crate) fn obey(&self, order: &Order, page: &Arc<Mailbox>) -> Result<(), String> {
        match (order, &self.control) {
            (Order::Subscribe { topic }, _) => self.topics.subscribe(&self.node, topic, page),
            (Order::Unsubscribe { topic }, _) => {
                self.topics.unsubscribe(topic, page);
                Ok(())
            }
            (order, Some(control)) => control.act(order),
            (order, None) => {
                debug_assert!(order.is_control());
                Err("this server only shows: start it with --control".into())
            }
        }
    }

    /// Returns a function for a timer that does not keep the server alive.
    pub(crate) fn regularly(shared: &Arc<Self>, work: fn(&Self)) -> impl FnMut() + Send + 'static {
        let shared = Arc::downgrade(shared);
        move || {
            if let Some(shared) = shared.upgrade() {
                work(&shared);
            }
        }
    }

    pub(crate) fn mailboxes(&self) -> Vec<Arc<Mailbox>> {
        let mut pages = lock(&self.pages);
        pages.retain(|page| page.strong_count() > 0);
        pages.iter().filter_map(Weak::upgrade).collect()
    }

    pub(crate) fn send_frames(&self) {
        let mailboxes = self.mailboxes();
        if mailboxes.is_empty() {
            return;
        }
        let text = json!({"op": "frames", "trees": self.trees.json()}).to_string();
        mailboxes.iter().for_each(|mailbox| mailbox.put(Place::Frames, Message::text(text.clone())));
    }

    /// Lists the topics, and follows those with transforms, as long as a page is open.
    pub(crate) fn send_topics(&self) {
        let mailboxes = self.mailboxes();
        self.topics.close_unused();
        if mailboxes.is_empty() {
            return self.trees.clear();
        }
        let graph = self.node.context().graph();
        self.trees.follow(&self.node, &graph);
        self.topics.follow(&self.node, &graph);
        if let Some(control) = &self.control {
            control.follow_clock(&graph);
        }
        let text = topics::list(&graph).to_string();
        mailboxes.iter().for_each(|mailbox| mailbox.put(Place::Topics, Message::text(text.clone())));
    }
}
