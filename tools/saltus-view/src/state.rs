//! The state that all connections use.

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
    command::PageCommand,
    control::Control,
    mailbox::{Mailbox, MailboxSlot},
    topics::{self, Topics},
    trees::Trees,
};

/// The number of connections of a kind.
#[derive(Default)]
pub(crate) struct ConnectionCounter {
    count: Mutex<usize>,
    decreased: Condvar,
}

impl ConnectionCounter {
    /// Waits until there are no connections, at most for `timeout`.
    pub(crate) fn wait_for_none(&self, timeout: Duration) {
        // After a timeout, the remaining connections end by themselves.
        let _ = self.decreased.wait_timeout_while(lock(&self.count), timeout, |count| *count > 0);
    }
}

/// Counts one connection until it is dropped.
pub(crate) struct ConnectionGuard<'a>(&'a ConnectionCounter);

impl<'a> ConnectionGuard<'a> {
    /// Counts one more connection. Returns `None` if there are already `max`.
    pub(crate) fn new(counter: &'a ConnectionCounter, max: usize) -> Option<Self> {
        let mut count = lock(&counter.count);
        if *count == max {
            return None;
        }
        *count += 1;
        Some(Self(counter))
    }
}

impl Drop for ConnectionGuard<'_> {
    fn drop(&mut self) {
        *lock(&self.0.count) -= 1;
        self.0.decreased.notify_all();
    }
}

/// The state of a server, which all its connections use.
pub(crate) struct ServerState {
    pub(crate) node: Node,
    pub(crate) access: Access,
    pub(crate) topics: Topics,
    pub(crate) trees: Trees,
    /// `None` if pages may only look.
    pub(crate) control: Option<Control>,
    /// The mailboxes of the open pages.
    pub(crate) pages: Mutex<Vec<Weak<Mailbox>>>,
    /// The connections whose request is not checked yet.
    pub(crate) unchecked: ConnectionCounter,
    /// The connections whose request was accepted.
    pub(crate) admitted: ConnectionCounter,
    pub(crate) is_ended: AtomicBool,
}

impl std::fmt::Debug for ServerState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerState").finish_non_exhaustive()
    }
}

impl ServerState {
    /// Returns whether the server has ended.
    pub(crate) fn is_ended(&self) -> bool {
        self.is_ended.load(Ordering::Acquire)
    }

    /// Returns whether pages may send goals, initial poses and velocities.
    pub(crate) fn has_control(&self) -> bool {
        self.control.is_some()
    }

    /// Executes a command of a page.
    ///
    /// # Errors
    ///
    /// Returns an error text for the page.
    pub(crate) fn execute(&self, command: &PageCommand, page: &Arc<Mailbox>) -> Result<(), String> {
        match (command, &self.control) {
            (PageCommand::Subscribe { topic }, _) => self.topics.subscribe(&self.node, topic, page),
            (PageCommand::Unsubscribe { topic }, _) => {
                self.topics.unsubscribe(topic, page);
                Ok(())
            }
            (command, Some(control)) => control.execute(command),
            (command, None) => {
                debug_assert!(command.is_control());
                Err("this server only shows: start it with --control".into())
            }
        }
    }

    /// Returns the callback of a timer that calls `work`. The callback does not keep the server alive.
    pub(crate) fn timer_callback(state: &Arc<Self>, work: fn(&Self)) -> impl FnMut() + Send + 'static {
        let state = Arc::downgrade(state);
        move || {
            if let Some(state) = state.upgrade() {
                work(&state);
            }
        }
    }

    /// Returns the mailboxes of the open pages.
    pub(crate) fn mailboxes(&self) -> Vec<Arc<Mailbox>> {
        let mut pages = lock(&self.pages);
        pages.retain(|page| page.strong_count() > 0);
        pages.iter().filter_map(Weak::upgrade).collect()
    }

    /// Sends all transforms to the open pages.
    pub(crate) fn send_frames(&self) {
        let mailboxes = self.mailboxes();
        if mailboxes.is_empty() {
            return;
        }
        let text = json!({"op": "frames", "trees": self.trees.json()}).to_string();
        mailboxes.iter().for_each(|mailbox| mailbox.put(MailboxSlot::Frames, Message::text(text.clone())));
    }

    /// Sends the list of topics to the open pages, and updates the subscriptions to the graph. If no page is open, closes the
    /// subscriptions to transforms.
    pub(crate) fn send_topics(&self) {
        let mailboxes = self.mailboxes();
        self.topics.close_unused();
        if mailboxes.is_empty() {
            return self.trees.clear();
        }
        let graph = self.node.context().graph();
        self.trees.update(&self.node, &graph);
        self.topics.update(&self.node, &graph);
        if let Some(control) = &self.control {
            control.follow_clock(&graph);
        }
        let text = topics::list(&graph).to_string();
        mailboxes.iter().for_each(|mailbox| mailbox.put(MailboxSlot::Topics, Message::text(text.clone())));
    }
}
