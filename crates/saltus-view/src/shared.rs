//! What all connections share.

use std::sync::{
    Arc, Mutex, Weak,
    atomic::{AtomicBool, AtomicUsize, Ordering},
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

/// Counts a connection, as long as it is there.
pub(crate) struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    /// Counts one more, if there are fewer than `most`.
    pub(crate) fn new(count: &'a AtomicUsize, most: usize) -> Option<Self> {
        let counted = Self(count);
        (count.fetch_add(1, Ordering::AcqRel) < most).then_some(counted)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
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
    pub(crate) strangers: AtomicUsize,
    pub(crate) known: AtomicUsize,
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
        let text = topics::list(&graph).to_string();
        mailboxes.iter().for_each(|mailbox| mailbox.put(Place::Topics, Message::text(text.clone())));
    }
}
