//! The replica of a publisher, and what is forwarded to it.

use std::{
    sync::{Mutex, MutexGuard},
    time::{Duration, Instant},
};

use saltus_node::Logger;
use saltus_types::{NetworkLoss, QoS, TypeHash, lock};

use crate::{
    ends::{ShowError, Target},
    message::{Message, NotPassed},
    passage::{Limit, Passage},
};

/// The shortest time between two warnings about the same failure.
const WARN_PERIOD: Duration = Duration::from_secs(1);

/// The replica of a publisher in another graph.
///
/// **Invariant:** it is open only while the messages of its original reach the relay. So after a subscription is matched, it
/// loses no message.
pub struct Output {
    qos: QoS,
    name: String,
    logger: Logger,
    state: Mutex<OpenOutput>,
}

/// The state of an output, for one thread at a time.
pub struct OpenOutput {
    target: Box<dyn Target>,
    limit: Limit,
    /// The sequence number of the last message that was forwarded.
    last: u64,
}

impl Output {
    /// Creates the output to a target. The profile and the name are those of the replica.
    pub(crate) fn new(
        target: Box<dyn Target>,
        qos: QoS,
        passage: Passage,
        name: String,
        logger: Logger,
    ) -> Self {
        let limit = Limit::new(passage);
        Self { qos, name, logger, state: Mutex::new(OpenOutput { target, limit, last: 0 }) }
    }

    /// Returns the profile of the replica.
    pub fn qos(&self) -> &QoS {
        &self.qos
    }

    /// Waits for the other threads, and returns the state.
    pub fn lock(&self) -> MutexGuard<'_, OpenOutput> {
        lock(&self.state)
    }

    /// Logs that the replica can't be opened, at most once a second.
    pub fn warn(&self, error: &ShowError) {
        saltus_node::warn_throttle!(self.logger, WARN_PERIOD, "can't publish on '{}': {error}", self.name);
    }
}

impl OpenOutput {
    /// Returns whether the replica is open.
    pub(crate) fn is_open(&self) -> bool {
        self.target.is_open()
    }

    /// Returns the sequence number of the last message that was forwarded.
    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// Opens the replica. `kept` are messages for late subscriptions.
    ///
    /// # Errors
    /// Returns an error if it can't be opened.
    pub fn open(&mut self, kept: &[Message]) -> Result<(), ShowError> {
        self.target.open(kept)?;
        self.last = kept.last().map_or(self.last, |message| message.stamp.sequence);
        Ok(())
    }

    /// Tells which hashes the types of the subscriptions have.
    ///
    /// # Errors
    /// Returns an error if messages can't be sent to one of them.
    pub(crate) fn reach(&mut self, hashes: &[TypeHash]) -> Result<(), ShowError> {
        self.target.reach(hashes)
    }

    /// Sends a message, if a rule does not limit that. Returns what was not passed on, which the caller counts.
    #[must_use]
    pub fn send(&mut self, message: Message) -> NotPassed {
        self.last = message.stamp.sequence;
        if !self.limit.admits(message.len(), Instant::now) {
            return Some((NetworkLoss::RateLimit, 1));
        }
        let dropped = self.target.send(message);
        (dropped > 0).then_some((NetworkLoss::Congestion, dropped))
    }

    /// Counts messages that did not come from the original publisher, or were not passed on.
    pub fn count_missing(&self, missing: NotPassed) {
        if let Some((loss, number)) = missing {
            self.target.count_missing(loss, number);
        }
    }

    /// Returns whether sending may wait for a subscription that keeps all messages.
    pub fn may_wait(&self) -> bool {
        self.target.may_wait()
    }

    /// Waits a short time for room in the queues of subscriptions that keep all messages. Returns whether there is room.
    pub(crate) fn wait_for_room(&self) -> bool {
        self.target.wait_for_room()
    }

    /// Closes the replica. It is still shown. Returns `false` if it stays open, because a subscription has connected that the
    /// relay does not know yet.
    ///
    /// # Errors
    /// Returns an error if it can't be shown.
    pub fn close(&mut self) -> Result<bool, ShowError> {
        self.target.close()
    }
}
