//! What waits for a page: the newest message of each topic.

use std::{
    collections::BTreeMap,
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::Mutex,
};

use rustix::event::{EventfdFlags, eventfd};
use saltus::types::lock;
use tungstenite::Message;

/// The place of a message in a mailbox. A newer message in the same place replaces it. Those before `Frames` go first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// What the page may do.
    Hello,
    /// The list of all topics.
    Topics,
    /// The description of a channel.
    Channel(u32),
    /// An error text.
    Error,
    /// All transforms.
    Frames,
    /// The messages of a channel.
    Data(u32),
}

/// What waits for a page. Its memory is bounded: one message for each place.
#[derive(Debug)]
pub(crate) struct Mailbox {
    waiting: Mutex<Waiting>,
    /// Wakes the thread of the page.
    bell: OwnedFd,
}

#[derive(Debug, Default)]
struct Waiting {
    messages: BTreeMap<Place, Message>,
    /// The place that was taken last: all places take turns.
    last: Option<Place>,
    replaced: u64,
}

impl Mailbox {
    pub(crate) fn new() -> io::Result<Self> {
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { waiting: Mutex::default(), bell })
    }

    /// Puts a message into its place, and wakes the thread of the page.
    pub(crate) fn put(&self, place: Place, message: Message) {
        let mut waiting = lock(&self.waiting);
        let is_data = matches!(place, Place::Data(_));
        if waiting.messages.insert(place, message).is_some() && is_data {
            waiting.replaced += 1;
        }
        drop(waiting);
        // If the counter is full, the thread is awake.
        let _ = rustix::io::write(&self.bell, &1_u64.to_ne_bytes());
    }

    /// Takes a message. What the page must know comes first: the description of a channel before its messages. Then all
    /// others take turns.
    pub(crate) fn take(&self) -> Option<Message> {
        let mut waiting = lock(&self.waiting);
        let first = waiting.messages.keys().next().filter(|place| **place < Place::Frames).cloned();
        if let Some(first) = first {
            return waiting.messages.remove(&first);
        }
        let after = waiting.last.as_ref().and_then(|last| {
            let after = (std::ops::Bound::Excluded(last), std::ops::Bound::Unbounded);
            waiting.messages.range::<Place, _>(after).next().map(|(place, _)| place.clone())
        });
        let place = after.or_else(|| waiting.messages.keys().next().cloned())?;
        waiting.last = Some(place.clone());
        waiting.messages.remove(&place)
    }

    /// Removes what waits in a place.
    pub(crate) fn remove(&self, place: &Place) {
        lock(&self.waiting).messages.remove(place);
    }

    /// Returns how many messages of channels were replaced by newer ones.
    pub(crate) fn replaced(&self) -> u64 {
        lock(&self.waiting).replaced
    }

    /// Forgets that it was woken.
    pub(crate) fn silence(&self) {
        let mut counter = [0; 8];
        // If it was not woken, there is nothing to read.
        let _ = rustix::io::read(&self.bell, &mut counter);
    }
}

impl AsFd for Mailbox {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}
