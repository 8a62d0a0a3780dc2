//! What waits for a page: the newest messages of each topic.

use std::{
    collections::{BTreeMap, VecDeque},
    io,
};

use tungstenite::Message;

use super::sync::{Bell, Mutex, lock};

/// The place of messages in a mailbox. Those before `Frames` go first.
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

/// How many bytes of several messages wait in a place.
const MOST_BYTES: usize = 1 << 20;

/// What waits for a page. Its memory is bounded: newer messages replace older ones in their place.
#[derive(Debug)]
pub(crate) struct Mailbox {
    waiting: Mutex<Waiting>,
    /// Wakes the thread of the page.
    bell: Bell,
}

#[derive(Debug, Default)]
struct Waiting {
    /// No list is empty.
    messages: BTreeMap<Place, VecDeque<Message>>,
    /// The place that was taken last: all places take turns.
    last: Option<Place>,
    replaced: u64,
}

impl Mailbox {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { waiting: Mutex::new(Waiting::default()), bell: Bell::new()? })
    }

    /// Puts a message into its place instead of the one that waits there, and wakes the thread of the page.
    pub(crate) fn put(&self, place: Place, message: Message) {
        self.append(place, message, 1);
    }

    /// Puts a message into its place, where at most `most` wait, and wakes the thread of the page.
    pub(crate) fn append(&self, place: Place, message: Message, most: usize) {
        let mut waiting = lock(&self.waiting);
        let is_data = matches!(place, Place::Data(_));
        let messages = waiting.messages.entry(place).or_default();
        messages.push_back(message);
        let mut replaced = 0;
        while messages.len() > 1 && (messages.len() > most || length(messages) > MOST_BYTES) {
            messages.pop_front();
            replaced += 1;
        }
        waiting.replaced += if is_data { replaced } else { 0 };
        drop(waiting);
        self.bell.ring();
    }

    /// Takes a message. What the page must know comes first: the description of a channel before its messages. Then all
    /// others take turns.
    pub(crate) fn take(&self) -> Option<Message> {
        let mut waiting = lock(&self.waiting);
        let first = waiting.messages.keys().next().filter(|place| **place < Place::Frames).cloned();
        if let Some(first) = first {
            return waiting.take(&first);
        }
        let after = waiting.last.as_ref().and_then(|last| {
            let after = (std::ops::Bound::Excluded(last), std::ops::Bound::Unbounded);
            waiting.messages.range::<Place, _>(after).next().map(|(place, _)| place.clone())
        });
        let place = after.or_else(|| waiting.messages.keys().next().cloned())?;
        waiting.last = Some(place.clone());
        waiting.take(&place)
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

impl Waiting {
    /// Takes the oldest message of a place.
    fn take(&mut self, place: &Place) -> Option<Message> {
        let messages = self.messages.get_mut(place)?;
        let message = messages.pop_front();
        if messages.is_empty() {
            self.messages.remove(place);
        }
        message
    }
}

/// Returns how many bytes messages have.
fn length(messages: &VecDeque<Message>) -> usize {
    messages.iter().map(Message::len).sum()
}
