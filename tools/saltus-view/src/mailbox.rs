//! The messages that wait for a page: the newest ones of each topic.

use std::{
    collections::{BTreeMap, VecDeque},
    io,
};

use tungstenite::Message;

use super::sync::{Mutex, WakeEvent, lock};

/// A slot of a mailbox. The messages of the slots before `Frames` are sent first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MailboxSlot {
    /// The first message: what the page may do.
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

/// The maximum length of the messages in a slot together, in bytes. A single message may be longer.
const MAX_BYTES: usize = 1 << 20;

/// The messages that wait for a page. The memory is limited: in each slot, newer messages replace older ones.
#[derive(Debug)]
pub(crate) struct Mailbox {
    waiting: Mutex<Waiting>,
    /// Wakes the thread of the page after each new message.
    wake_event: WakeEvent,
}

#[derive(Debug, Default)]
struct Waiting {
    /// The messages of each slot, the oldest one first. No queue is empty.
    messages: BTreeMap<MailboxSlot, VecDeque<Message>>,
    /// The slot from which the last message was taken. The slots take turns.
    last: Option<MailboxSlot>,
    /// The number of messages of channels that newer ones have replaced.
    replaced: u64,
}

impl Mailbox {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { waiting: Mutex::new(Waiting::default()), wake_event: WakeEvent::new()? })
    }

    /// Puts a message into a slot in place of the messages that wait there, and wakes the thread of the page.
    pub(crate) fn put(&self, slot: MailboxSlot, message: Message) {
        self.append(slot, message, 1);
    }

    /// Puts a message into a slot, keeps at most `max` messages there, and wakes the thread of the page.
    pub(crate) fn append(&self, slot: MailboxSlot, message: Message, max: usize) {
        let mut waiting = lock(&self.waiting);
        let is_data = matches!(slot, MailboxSlot::Data(_));
        let messages = waiting.messages.entry(slot).or_default();
        messages.push_back(message);
        let mut replaced = 0;
        while messages.len() > 1 && (messages.len() > max || length(messages) > MAX_BYTES) {
            messages.pop_front();
            replaced += 1;
        }
        waiting.replaced += if is_data { replaced } else { 0 };
        drop(waiting);
        self.wake_event.signal();
    }

    /// Takes the next message. The slots before `Frames` come first, so that a page gets the description of a channel before
    /// its messages. The other slots take turns.
    pub(crate) fn take(&self) -> Option<Message> {
        let mut waiting = lock(&self.waiting);
        let first = waiting.messages.keys().next().filter(|slot| **slot < MailboxSlot::Frames).cloned();
        if let Some(first) = first {
            return waiting.take(&first);
        }
        let after = waiting.last.as_ref().and_then(|last| {
            let after = (std::ops::Bound::Excluded(last), std::ops::Bound::Unbounded);
            waiting.messages.range::<MailboxSlot, _>(after).next().map(|(slot, _)| slot.clone())
        });
        let slot = after.or_else(|| waiting.messages.keys().next().cloned())?;
        waiting.last = Some(slot.clone());
        waiting.take(&slot)
    }

    /// Removes the messages of a slot.
    pub(crate) fn remove(&self, slot: &MailboxSlot) {
        lock(&self.waiting).messages.remove(slot);
    }

    /// Returns the number of messages of channels that newer ones have replaced.
    pub(crate) fn replaced(&self) -> u64 {
        lock(&self.waiting).replaced
    }

    /// Returns the event that is set after each new message. It must be cleared before messages are taken, so that no message
    /// is missed.
    pub(crate) fn wake_event(&self) -> &WakeEvent {
        &self.wake_event
    }
}

impl Waiting {
    /// Takes the oldest message of a slot.
    fn take(&mut self, slot: &MailboxSlot) -> Option<Message> {
        let messages = self.messages.get_mut(slot)?;
        let message = messages.pop_front();
        if messages.is_empty() {
            self.messages.remove(slot);
        }
        message
    }
}

/// Returns the length of all messages together, in bytes.
fn length(messages: &VecDeque<Message>) -> usize {
    messages.iter().map(Message::len).sum()
}
