//! The way of one publisher's messages to its replica.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use saltus_host::system_now;
use saltus_relay::{Message, OpenOutput, Output};
use saltus_rmw::Attachment;
use saltus_types::NetworkLoss;

use crate::{
    link::number_of,
    peers::Counts,
    worker::{Queue, Worker},
};

/// The most messages of a publisher that wait. Then the oldest goes.
const MAX_WAITING: usize = 1024;

/// The way of one publisher's messages.
pub(crate) struct Route {
    /// Its number. A question for an earlier route of the same publisher does not count.
    pub(crate) number: u64,
    pub(crate) output: Arc<Output>,
    /// Counts its messages.
    pub(crate) counts: Arc<Counts>,
    /// The queue in which messages wait, since a subscription of this host keeps all messages.
    pub(crate) queue: Option<(Arc<Queue<Message>>, Worker)>,
    /// How to ask for what the publisher has kept; `None` if it keeps nothing.
    pub(crate) question: Option<Arc<str>>,
    pub(crate) state: Progress,
}

/// How far a route is.
pub(crate) enum Progress {
    /// What comes meanwhile waits.
    Waiting { stage: Stage, kept: BTreeMap<i64, Message>, new: BTreeMap<i64, Message> },
    /// The output is open. The number is that of the last message: what was kept may come twice.
    Open { last: Option<i64> },
}

/// What a route waits for until it is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The bridge of the publisher does not send its messages yet.
    Sending,
    /// The output could not be opened. It is tried again with the next message. The number is that of the last message that was kept.
    Opening(Option<i64>),
    /// What the publisher has kept is on its way. If its bridge has said so, messages up to this number were kept before this route
    /// was there.
    Kept(Option<i64>),
}

/// Returns whether the lifespan of a message has ended, if the clocks of both hosts are the same.
fn is_over(message: &Message, lifespan: Option<Duration>) -> bool {
    let age = system_now().as_nanos().saturating_sub(message.stamp.source_time.as_nanos());
    lifespan.is_some_and(|lifespan| u128::from(age.max(0).unsigned_abs()) > lifespan.as_nanos())
}

impl Route {
    /// Opens the output with what was kept, and sends what has come since.
    pub(crate) fn open(&mut self) {
        let Progress::Waiting { stage, kept, new } = &mut self.state else { return };
        let boundary = match stage {
            Stage::Kept(Some(number)) | Stage::Opening(Some(number)) => Some(*number),
            Stage::Opening(None) => None,
            Stage::Kept(None) | Stage::Sending => kept.keys().next_back().copied(),
        };
        // A message may have come in both ways.
        let mut all = std::mem::take(kept);
        all.append(&mut std::mem::take(new));
        // Not the boundary: another session has named it, and what is missing may still come.
        let last = all.keys().next_back().copied();
        let new = match boundary {
            Some(kept) => all.split_off(&kept.saturating_add(1)),
            None => std::mem::take(&mut all),
        };
        let kept = all;
        // Zenoh keeps messages without regard to their lifespan.
        let lifespan = self.output.qos().lifespan;
        let kept: Vec<Message> = kept.into_values().filter(|message| !is_over(message, lifespan)).collect();
        let mut output = self.output.lock();
        if let Err(error) = output.open(&kept) {
            self.output.warn(&error);
            drop(output);
            let kept = kept.into_iter().map(|message| (number_of(&message.stamp), message)).collect();
            self.state = Progress::Waiting { stage: Stage::Opening(boundary), kept, new };
            return;
        }
        drop(output);
        new.into_values().for_each(|message| self.send(message));
        self.state = Progress::Open { last };
    }

    /// Passes on a message. A subscription that keeps all messages may have no room for it, and zenoh's threads must not wait. So
    /// another thread does.
    pub(crate) fn send(&mut self, message: Message) {
        let mut output = self.output.lock();
        if self.queue.is_none() && output.may_wait() {
            let (worker, output) = (Worker::new("keep all"), self.output.clone());
            let queue = worker.queue(MAX_WAITING, None, move |message| send_to(&mut output.lock(), message));
            self.queue = Some((queue, worker));
        }
        match &self.queue {
            None => send_to(&mut output, message),
            Some((queue, _)) => {
                let dropped = queue.push(message);
                output.count_missing((dropped > 0).then_some((NetworkLoss::Congestion, dropped)));
            }
        }
    }

    /// Takes a message. Returns how many messages are missing before it.
    pub(crate) fn receive(&mut self, attachment: &Attachment, message: Message) -> u64 {
        match &mut self.state {
            Progress::Waiting { stage, new, .. } => {
                new.insert(attachment.sequence, message);
                if new.len() > MAX_WAITING {
                    new.pop_first();
                }
                if matches!(stage, Stage::Opening(_)) {
                    self.open();
                }
                0
            }
            Progress::Open { last } => {
                let before = last.unwrap_or(attachment.sequence.saturating_sub(1));
                if attachment.sequence <= before {
                    return 0;
                }
                *last = Some(attachment.sequence);
                self.send(message);
                attachment.sequence.abs_diff(before) - 1
            }
        }
    }
}

/// Sends a message, and counts it if it is not passed on.
fn send_to(output: &mut OpenOutput, message: Message) {
    let missing = output.send(message);
    output.count_missing(missing);
}
