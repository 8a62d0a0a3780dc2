//! Messages that come before the token of their publisher.

use std::{
    collections::{HashMap, VecDeque},
    time::{Duration, Instant},
};

use saltus_relay::Message;
use saltus_rmw::Attachment;
use saltus_types::Gid;

/// The longest time that a message waits for the token of its publisher.
const WAIT: Duration = Duration::from_secs(1);
/// The most messages that wait.
const MAX_MESSAGES: usize = 1024;
/// The most bytes that wait.
const MAX_BYTES: usize = 16 << 20;
/// The most gids without a token that are known.
const MAX_STRAYS: usize = 256;

/// Messages that wait, and the gids that no token has.
#[derive(Debug, Default)]
pub(crate) struct Early {
    messages: VecDeque<(Instant, Attachment, Message)>,
    bytes: usize,
    /// When each gid without a token has come first.
    strays: HashMap<Gid, Instant>,
}

impl Early {
    /// Keeps a message. The oldest ones go if there are too many, or after a second.
    pub(crate) fn keep(&mut self, attachment: Attachment, message: Message) {
        let now = Instant::now();
        self.bytes += message.len();
        self.messages.push_back((now, attachment, message));
        let is_too_much = |all: &Self| all.messages.len() > MAX_MESSAGES || all.bytes > MAX_BYTES;
        while let Some((since, ..)) = self.messages.front()
            && (is_too_much(self) || now.saturating_duration_since(*since) > WAIT)
        {
            let gone = self.messages.pop_front().map_or(0, |(_, _, message)| message.len());
            self.bytes -= gone;
        }
    }

    /// Takes the messages of a publisher, in their order.
    pub(crate) fn take(&mut self, gid: Gid) -> Vec<(Attachment, Message)> {
        let (due, rest): (VecDeque<_>, VecDeque<_>) = std::mem::take(&mut self.messages)
            .into_iter()
            .partition(|(_, attachment, _)| attachment.gid == gid);
        self.messages = rest;
        self.bytes = self.messages.iter().map(|(_, _, message)| message.len()).sum();
        self.strays.remove(&gid);
        // What has waited too long is no news.
        let now = Instant::now();
        let is_new = |since: Instant| now.saturating_duration_since(since) <= WAIT;
        let due = due.into_iter().filter(|(since, ..)| is_new(*since));
        due.map(|(_, attachment, message)| (attachment, message)).collect()
    }

    /// Returns whether a gid has come without a token for so long that none will come.
    pub(crate) fn is_stray(&mut self, gid: Gid) -> bool {
        let now = Instant::now();
        if self.strays.len() == MAX_STRAYS && !self.strays.contains_key(&gid) {
            self.strays.clear();
        }
        now.saturating_duration_since(*self.strays.entry(gid).or_insert(now)) > WAIT
    }
}
