//! Forwarding: takes the messages of one publisher, and publishes them in another domain.

use std::{
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use saltus_host::{
    EndpointKind, OpenError, Publisher, Sample, Shown, Stamp, Subscription, WaitStrategy, Waiter, Waker,
};
use saltus_node::{Arrival, CallbackGroup, Executed, Waitable};
use saltus_types::{Durability, lock};

use crate::side::Replica;

/// The replica of a publisher in another domain.
///
/// **Invariant:** subscriptions connect to the replica only when the messages of its original reach the bridge. So
/// after a subscription is matched, it loses no message.
#[derive(Debug)]
pub(crate) struct Output {
    replica: Replica,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    visible: ReplicaState,
    /// The sequence number of the last message that was forwarded.
    last: u64,
    /// The messages that were taken before the publisher was open.
    waiting: Vec<Sample>,
}

/// The state of the replica in the graph of the other domain.
#[derive(Debug)]
enum ReplicaState {
    /// Nothing, for a moment between the two other states.
    Nothing,
    /// An endpoint that is not open.
    Shown { _entry: Shown },
    /// An open publisher.
    Open(Publisher),
}

impl Output {
    /// Shows the replica in the graph, without opening a publisher.
    pub(crate) fn new(replica: Replica) -> Result<Self, OpenError> {
        let visible = ReplicaState::Shown { _entry: replica.show(EndpointKind::Publisher)? };
        Ok(Self { replica, state: Mutex::new(State { visible, last: 0, waiting: Vec::new() }) })
    }

    pub(crate) fn replica(&self) -> &Replica {
        &self.replica
    }

    /// Closes the publisher, because no subscription needs its messages. The graph still shows the replica.
    pub(crate) fn close(&self) -> Result<(), OpenError> {
        let mut state = lock(&self.state);
        // The new entry is added before the publisher is closed, so that the graph shows the replica all the time.
        let shown = self.replica.show(EndpointKind::Publisher);
        let _before = std::mem::replace(&mut state.visible, ReplicaState::Nothing);
        state.visible = ReplicaState::Shown { _entry: shown? };
        Ok(())
    }
}

impl State {
    /// Opens the publisher, unless it is open. Returns whether it is open now.
    ///
    /// The queue of the input has the messages that the original publisher had kept for late subscriptions. The replica
    /// keeps these messages too, and does not send them.
    fn open(&mut self, replica: &Replica, input: &Input) -> bool {
        if matches!(self.visible, ReplicaState::Open(_)) {
            return true;
        }
        if replica.qos().durability == Durability::TransientLocal {
            self.waiting.extend(std::iter::from_fn(|| input.subscription.take()));
        }
        let (kept, new): (Vec<Sample>, Vec<Sample>) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|sample| sample.sent_at() < input.opened_at);
        let opened = replica.publisher(|past| {
            for sample in &kept {
                self.last = sample.sequence();
                // An error is ignored: the publisher counts messages that it can't keep.
                let _ = past.publish_stamped(sample, stamp_of(sample));
            }
        });
        match opened {
            Ok(publisher) => {
                self.visible = ReplicaState::Open(publisher);
                new.iter().for_each(|sample| self.send(sample));
                true
            }
            Err(error) => {
                replica.warn(&error);
                self.waiting = kept.into_iter().chain(new).collect();
                false
            }
        }
    }

    fn send(&mut self, sample: &Sample) {
        self.last = sample.sequence();
        if let ReplicaState::Open(publisher) = &self.visible {
            // An error is ignored: the publisher counts messages that it could not send.
            let _ = publisher.publish_stamped(sample, stamp_of(sample));
        }
    }

    /// Waits a short time for room in the queues of subscriptions that keep all messages. Returns whether there is
    /// room.
    fn has_room(&self) -> bool {
        match &self.visible {
            ReplicaState::Open(publisher) => publisher.wait_for_room(),
            ReplicaState::Nothing | ReplicaState::Shown { .. } => true,
        }
    }
}

fn stamp_of(sample: &Sample) -> Stamp {
    Stamp { source_time: sample.source_time(), sequence: sample.sequence(), gid: None }
}

/// The subscription of the bridge to one publisher.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) subscription: Subscription,
    /// When the subscription was opened, in monotonic nanoseconds. Messages that were sent earlier were kept by the
    /// publisher.
    pub(crate) opened_at: i64,
}

/// Forwards the messages of one publisher.
///
/// A forwarder that must not lose messages waits for subscriptions that keep all messages. It has a separate thread for
/// that.
pub(crate) struct Forwarder {
    input: Input,
    output: Arc<Output>,
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
                while self.forward_one().is_some() && !self.is_over.load(Ordering::Acquire) {}
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
    fn forward_one(&self) -> Option<Arrival> {
        let mut state = lock(&self.output.state);
        // Another forwarder may have replaced this one while this one waited for the lock.
        if self.is_over.load(Ordering::Acquire) || !self.is_ready(&mut state) {
            return None;
        }
        while self.waker.is_some() && !state.has_room() {
            if self.is_over.load(Ordering::Acquire) {
                return None;
            }
        }
        let sample = self.input.subscription.take()?;
        let arrival = Arrival::from(&sample);
        let mut skip = lock(&self.skip);
        if skip.is_none_or(|last| sample.sequence() > last) {
            *skip = None;
            state.send(&sample);
        }
        Some(arrival)
    }

    /// Returns whether the publisher is connected to the input, so that messages come. If so, takes over from the
    /// previous forwarder and opens the replica.
    fn is_ready(&self, state: &mut MutexGuard<'_, State>) -> bool {
        let mut before = lock(&self.before);
        let is_new = before.is_some() || !matches!(state.visible, ReplicaState::Open(_));
        if is_new && self.input.subscription.status().matched == 0 && !self.input.subscription.has_message() {
            return false;
        }
        if let Some(before) = before.take() {
            before.drain(state);
            *lock(&self.skip) = Some(state.last);
            before.stop();
        }
        state.open(&self.output.replica, &self.input)
    }

    /// Forwards all messages of the queue.
    fn drain(&self, state: &mut State) {
        while let Some(sample) = self.input.subscription.take() {
            state.send(&sample);
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
                let mut state = lock(&self.output.state);
                if state.open(&self.output.replica, &self.input) {
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
        self.forward_one().map_or(Executed::Nothing, |arrival| Executed::Ran(Some(arrival)))
    }
}
