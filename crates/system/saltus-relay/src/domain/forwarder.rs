//! Forwarding: takes the messages of one publisher of a domain, and passes them to an output.

use std::{
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use saltus_host::{Sample, Subscription, WaitStrategy, Waiter, Waker};
use saltus_node::{Arrival, CallbackGroup, Executed, Waitable};
use saltus_types::{Durability, lock};

use crate::{
    message::Message,
    output::{OpenOutput, Output},
};

/// The subscription of the bridge to one publisher.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) subscription: Subscription,
    /// When the subscription was opened, in monotonic nanoseconds. Messages that were sent earlier were kept by the
    /// publisher.
    pub(crate) opened_at: i64,
}

/// The pause of a forwarder after it has waited in vain for room.
const PAUSE: Duration = Duration::from_millis(1);

/// What a forwarder has done.
enum Step {
    /// There was nothing to do.
    Nothing,
    /// A subscription that keeps all messages has no room for the next one.
    NoRoom,
    /// It has forwarded a message.
    Forwarded(Arrival),
}

/// Forwards the messages of one publisher.
///
/// A forwarder that must not lose messages waits for subscriptions that keep all messages. It has a separate thread for
/// that.
pub(crate) struct Forwarder {
    input: Input,
    output: Arc<Output>,
    /// The messages that were taken before the output was open.
    waiting: Mutex<Vec<Sample>>,
    /// The previous forwarder, which has a shorter queue. It forwards messages until this forwarder is connected.
    before: Mutex<Option<Arc<Self>>>,
    /// The sequence number of the last message that the previous forwarder has forwarded.
    skip: Mutex<Option<u64>>,
    /// The waker of the separate thread, if there is one.
    waker: Option<Waker>,
    is_over: AtomicBool,
    /// Whether the separate thread ends when the queue is empty.
    is_ending: AtomicBool,
}

impl Forwarder {
    /// Starts a forwarder in a callback group, or on a separate thread if there is a waiter.
    pub(crate) fn start(
        input: Input,
        output: &Arc<Output>,
        before: Option<Arc<Self>>,
        group: &CallbackGroup,
        waiter: Option<Waiter>,
    ) -> std::io::Result<Arc<Self>> {
        let forwarder = Arc::new(Self {
            input,
            output: output.clone(),
            waiting: Mutex::default(),
            before: Mutex::new(before),
            skip: Mutex::default(),
            waker: waiter.as_ref().map(|waiter| waiter.waker(0)),
            is_over: AtomicBool::new(false),
            is_ending: AtomicBool::new(false),
        });
        match waiter {
            Some(waiter) => forwarder.clone().spawn(waiter)?,
            None => {
                let waitable: Arc<dyn Waitable> = forwarder.clone();
                group.add(Arc::downgrade(&waitable));
            }
        }
        Ok(forwarder)
    }

    fn spawn(self: Arc<Self>, mut waiter: Waiter) -> std::io::Result<()> {
        self.input.subscription.set_waker(self.waker.as_ref());
        thread::Builder::new().name("keep all".into()).spawn(move || {
            while !self.is_over.load(Ordering::Acquire) {
                loop {
                    match self.forward_one() {
                        Step::Nothing => break,
                        Step::Forwarded(_) => {}
                        // The output is not locked here. Without a pause this thread would lock it again before a thread that
                        // wants to close it: a mutex serves nobody in turn.
                        Step::NoRoom => thread::sleep(PAUSE),
                    }
                }
                if self.is_ending.load(Ordering::Acquire) && !self.input.subscription.has_message() {
                    break;
                }
                waiter.wait(WaitStrategy::Adaptive, None);
            }
            self.input.subscription.set_waker(None);
        })?;
        Ok(())
    }

    /// Forwards a message, if there is one.
    fn forward_one(&self) -> Step {
        let mut state = self.output.lock();
        // Another forwarder may have replaced this one while this one waited for the lock.
        if self.is_over.load(Ordering::Acquire) || !self.is_ready(&mut state) {
            return Step::Nothing;
        }
        if self.waker.is_some() && !state.wait_for_room() {
            return Step::NoRoom;
        }
        let Some(sample) = self.input.subscription.take() else { return Step::Nothing };
        let arrival = Arrival::from(&sample);
        let mut skip = lock(&self.skip);
        if skip.is_none_or(|last| sample.sequence() > last) {
            *skip = None;
            self.send(&mut state, sample);
        }
        Step::Forwarded(arrival)
    }

    /// Sends a message. What was not passed on counts as lost for the bridge's subscription.
    fn send(&self, state: &mut OpenOutput, sample: Sample) {
        if let Some((loss, number)) = state.send(Message::from(sample)) {
            self.input.subscription.count_not_passed(loss, number);
        }
    }

    /// Returns whether the publisher is connected to the input, so that messages come. If so, takes over from the
    /// previous forwarder and opens the replica.
    fn is_ready(&self, state: &mut MutexGuard<'_, OpenOutput>) -> bool {
        let mut before = lock(&self.before);
        let is_new = before.is_some() || !state.is_open();
        if is_new && self.input.subscription.status().matched == 0 && !self.input.subscription.has_message() {
            return false;
        }
        if let Some(before) = before.take() {
            lock(&self.waiting).append(&mut lock(&before.waiting));
            before.drain(state);
            *lock(&self.skip) = Some(state.last());
            before.stop();
        }
        self.open(state)
    }

    /// Opens the output, unless it is open. Returns whether it is open now.
    ///
    /// The queue of the input has the messages that the original publisher had kept for late subscriptions. The replica
    /// keeps these messages too, and does not send them.
    fn open(&self, state: &mut OpenOutput) -> bool {
        if state.is_open() {
            return true;
        }
        let mut waiting = lock(&self.waiting);
        if self.output.qos().durability == Durability::TransientLocal {
            waiting.extend(std::iter::from_fn(|| self.input.subscription.take()));
        }
        let is_kept = |sample: &Sample| sample.sent_at() < self.input.opened_at;
        let (kept, new): (Vec<Sample>, Vec<Sample>) =
            std::mem::take(&mut *waiting).into_iter().partition(is_kept);
        let kept: Vec<Message> = kept.into_iter().map(Message::from).collect();
        if let Err(error) = state.open(&kept) {
            self.output.warn(&error);
            *waiting = kept.into_iter().filter_map(Message::into_sample).chain(new).collect();
            return false;
        }
        new.into_iter().for_each(|sample| self.send(state, sample));
        true
    }

    /// Forwards all messages of the queue.
    fn drain(&self, state: &mut OpenOutput) {
        while let Some(sample) = self.input.subscription.take() {
            self.send(state, sample);
        }
    }

    /// Ends the forwarder, because its publisher has gone. The messages in the queue are still forwarded.
    pub(crate) fn end(&self) {
        match &self.waker {
            Some(waker) => {
                self.is_ending.store(true, Ordering::Release);
                waker.ring();
            }
            None => {
                let mut state = self.output.lock();
                if self.open(&mut state) {
                    self.drain(&mut state);
                }
            }
        }
    }

    /// Stops the forwarder at once.
    pub(crate) fn stop(&self) {
        self.is_over.store(true, Ordering::Release);
        self.waker.iter().for_each(Waker::ring);
    }
}

impl Waitable for Forwarder {
    fn set_waker(&self, waker: Option<&Waker>) {
        self.input.subscription.set_waker(waker);
    }

    fn execute(&self) -> Executed {
        match self.forward_one() {
            Step::Forwarded(arrival) => Executed::Ran(Some(arrival)),
            Step::Nothing | Step::NoRoom => Executed::Nothing,
        }
    }
}
