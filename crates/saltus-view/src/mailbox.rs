//! What waits for a page: the newest message of each topic.

use std::{collections::BTreeMap, io};

use tungstenite::Message;

use super::sync::{Bell, Mutex, lock};

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
    bell: Bell,
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
        Ok(Self { waiting: Mutex::new(Waiting::default()), bell: Bell::new()? })
    }

    /// Puts a message into its place, and wakes the thread of the page.
    pub(crate) fn put(&self, place: Place, message: Message) {
        let mut waiting = lock(&self.waiting);
        let is_data = matches!(place, Place::Data(_));
        if waiting.messages.insert(place, message).is_some() && is_data {
            waiting.replaced += 1;
        }
        drop(waiting);
        self.bell.ring();
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

    /// Returns what rings after each message. It must be silenced before messages are taken, so that none is missed.
    pub(crate) fn bell(&self) -> &Bell {
        &self.bell
    }
}
