//! Takes the messages of one publisher and publishes them in another domain.

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
/// **Invariant:** subscriptions connect to it only when the messages of its original reach the bridge. A user who sees a
/// subscription matched loses no message after that.
#[derive(Debug)]
pub(crate) struct Output {
    replica: Replica,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    visible: Visible,
    /// The number of the last message that was passed on.
    last: u64,
    /// Messages that were taken before the publisher was open.
    waiting: Vec<Sample>,
}

#[derive(Debug)]
enum Visible {
    Nothing,
    Shown { _entry: Shown },
    Open(Publisher),
}

impl Output {
    /// Shows the replica in the graph, without opening a publisher.
    pub(crate) fn new(replica: Replica) -> Result<Self, OpenError> {
        let visible = Visible::Shown { _entry: replica.show(EndpointKind::Publisher)? };
        Ok(Self { replica, state: Mutex::new(State { visible, last: 0, waiting: Vec::new() }) })
    }

    pub(crate) fn replica(&self) -> &Replica {
        &self.replica
    }

    /// Closes the publisher and only shows the replica: nobody needs its messages.
    pub(crate) fn close(&self) -> Result<(), OpenError> {
        let mut state = lock(&self.state);
        // The new entry is made before the old one goes, so that the replica is in the graph at every moment.
        let shown = self.replica.show(EndpointKind::Publisher);
        let _before = std::mem::replace(&mut state.visible, Visible::Nothing);
        state.visible = Visible::Shown { _entry: shown? };
        Ok(())
    }
}

impl State {
    /// Opens the publisher, unless it is open. Returns whether it is open now. Messages that the original had kept before are in
    /// the carrier's queue; the replica keeps them and does not send them.
    fn open(&mut self, replica: &Replica, carrier: &Carrier) -> bool {
        if matches!(self.visible, Visible::Open(_)) {
            return true;
        }
        if replica.qos().durability == Durability::TransientLocal {
            self.waiting.extend(std::iter::from_fn(|| carrier.subscription.take()));
        }
        let (kept, new): (Vec<Sample>, Vec<Sample>) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|sample| sample.sent_at() < carrier.opened_at);
        let opened = replica.publisher(|past| {
            for sample in &kept {
                self.last = sample.sequence();
                // The publisher counts what does not fit.
                let _ = past.publish_stamped(sample, stamp_of(sample));
            }
        });
        match opened {
            Ok(publisher) => {
                self.visible = Visible::Open(publisher);
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
        if let Visible::Open(publisher) = &self.visible {
            // The publisher counts what it could not send.
            let _ = publisher.publish_stamped(sample, stamp_of(sample));
        }
    }

    /// Waits a short time for subscriptions that keep all messages. Returns whether there is room.
    fn has_room(&self) -> bool {
        match &self.visible {
            Visible::Open(publisher) => publisher.wait_for_room(),
            Visible::Nothing | Visible::Shown { .. } => true,
        }
    }
}

fn stamp_of(sample: &Sample) -> Stamp {
    Stamp { source_time: sample.source_time(), sequence: sample.sequence() }
}

/// The subscription that takes the messages of one publisher.
#[derive(Debug)]
pub(crate) struct Carrier {
    pub(crate) subscription: Subscription,
    /// When it was opened, in monotonic nanoseconds. A message that was sent earlier was kept by the publisher.
    pub(crate) opened_at: i64,
}

/// Moves the messages of one publisher; see the module.
///
/// A pump that must not lose messages waits for subscriptions that keep all. It has a thread of its own for that.
pub(crate) struct Pump {
    carrier: Carrier,
    output: Arc<Output>,
    /// An earlier pump with a shorter queue. It works until this one is connected.
    before: Mutex<Option<Arc<Self>>>,
    /// The number of the last message that the earlier pump passed on.
    skip: Mutex<Option<u64>>,
    /// Wakes the thread, if the pump has one.
    waker: Option<Waker>,
    is_over: AtomicBool,
    /// Whether the thread ends as soon as the queue is empty.
    is_ending: AtomicBool,
}

impl Pump {
    /// Starts a pump in a callback group, or on a thread of its own if there is a waiter.
    pub(crate) fn start(
        carrier: Carrier,
        output: &Arc<Output>,
        before: Option<Arc<Self>>,
        group: &CallbackGroup,
        waiter: Option<Waiter>,
    ) -> std::io::Result<Arc<Self>> {
        let pump = Arc::new(Self {
            carrier,
            output: output.clone(),
            before: Mutex::new(before),
            skip: Mutex::default(),
            waker: waiter.as_ref().map(|waiter| waiter.waker(0)),
            is_over: AtomicBool::new(false),
            is_ending: AtomicBool::new(false),
        });
        match waiter {
            Some(waiter) => pump.clone().spawn(waiter)?,
            None => {
                let waitable: Arc<dyn Waitable> = pump.clone();
                group.add(Arc::downgrade(&waitable));
            }
        }
        Ok(pump)
    }

    fn spawn(self: Arc<Self>, mut waiter: Waiter) -> std::io::Result<()> {
        self.carrier.subscription.set_waker(self.waker.as_ref());
        thread::Builder::new().name("keep all".into()).spawn(move || {
            while !self.is_over.load(Ordering::Acquire) {
                while self.step().is_some() && !self.is_over.load(Ordering::Acquire) {}
                if self.is_ending.load(Ordering::Acquire) && !self.carrier.subscription.has_message() {
                    break;
                }
                waiter.wait(WaitStrategy::Adaptive, None);
            }
            self.carrier.subscription.set_waker(None);
        })?;
        Ok(())
    }

    /// Moves a message, if there is one.
    fn step(&self) -> Option<Arrival> {
        let mut state = lock(&self.output.state);
        // Another pump may have taken over while this one waited for the lock. That pump moves the messages from then on.
        if self.is_over.load(Ordering::Acquire) || !self.is_ready(&mut state) {
            return None;
        }
        while self.waker.is_some() && !state.has_room() {
            if self.is_over.load(Ordering::Acquire) {
                return None;
            }
        }
        let sample = self.carrier.subscription.take()?;
        let arrival = Arrival::from(&sample);
        let mut skip = lock(&self.skip);
        if skip.is_none_or(|last| sample.sequence() > last) {
            *skip = None;
            state.send(&sample);
        }
        Some(arrival)
    }

    /// Returns whether the publisher has connected this pump, so that messages come.
    fn is_ready(&self, state: &mut MutexGuard<'_, State>) -> bool {
        let mut before = lock(&self.before);
        let is_new = before.is_some() || !matches!(state.visible, Visible::Open(_));
        if is_new
            && self.carrier.subscription.status().matched == 0
            && !self.carrier.subscription.has_message()
        {
            return false;
        }
        if let Some(before) = before.take() {
            before.drain(state);
            *lock(&self.skip) = Some(state.last);
            before.stop();
        }
        state.open(&self.output.replica, &self.carrier)
    }

    /// Moves all messages of the queue.
    fn drain(&self, state: &mut State) {
        while let Some(sample) = self.carrier.subscription.take() {
            state.send(&sample);
        }
    }

    /// Ends it after its publisher has gone. The messages of the queue are still passed on.
    pub(crate) fn end(&self) {
        match &self.waker {
            Some(waker) => {
                self.is_ending.store(true, Ordering::Release);
                waker.ring();
            }
            None => {
                let mut state = lock(&self.output.state);
                if state.open(&self.output.replica, &self.carrier) {
                    self.drain(&mut state);
                }
            }
        }
    }

    /// Ends it at once.
    pub(crate) fn stop(&self) {
        self.is_over.store(true, Ordering::Release);
        self.waker.iter().for_each(Waker::ring);
    }
}

impl Waitable for Pump {
    fn set_waker(&self, waker: Option<&Waker>) {
        self.carrier.subscription.set_waker(waker);
    }

    fn execute(&self) -> Executed {
        self.step().map_or(Executed::Nothing, |arrival| Executed::Ran(Some(arrival)))
    }
}
