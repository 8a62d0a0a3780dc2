//! The core of a client, which its handles and its calls share: the state machine of outstanding calls. A request waits for room in a queue and is sent. After that, the call is
//! answered, fails, or is cancelled.
//!
//! The executor that spins the client's node takes responses, or a thread that waits for a response takes them. If
//! several threads wait, one of them leads and takes the responses of all. So a blocking call needs no other thread of
//! its process, and works in a callback of the node's only executor too.

mod calls;
mod handover;
#[cfg(all(test, model))]
mod handover_model;

/// The synchronization types that [`handover`] uses.
mod sync {
    pub(super) use std::sync::{
        Condvar, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicUsize, Ordering, fence},
    };
}

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, OnceLock, atomic::Ordering},
    time::Duration,
};

use saltus_cdr::CdrError;
use saltus_host::{Loan, PublishError, Sample, WaitStrategy, Waiter, Waker, monotonic_now};
use saltus_types::lock;

pub(super) use calls::Slot;
use calls::{Calls, Resumed, Sent, Unsent};
use handover::{Handover, Locked};

use super::{
    call_state::{CallError, CallState},
    introspection::{Introspection, ServiceEventType},
    kind::MAX_REQUESTS_IN_FLIGHT,
};
use crate::{Arrival, CallbackGroup, Executed, Node, Waitable};

/// The counters of a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientStatus {
    /// The number of requests that were sent.
    pub sent: u64,
    /// The number of responses that were received.
    pub received: u64,
    /// The number of connected servers.
    pub servers: usize,
    /// The number of calls that have no response yet. This includes cancelled calls until their response comes.
    pub outstanding: usize,
    /// The number of responses to calls that another server had answered already.
    pub duplicate_responses: u64,
}

/// The period with which a server with a full queue is polled for room, in nanoseconds.
const RESUME_PERIOD: u64 = 5_000_000;

/// The kind of thread that takes a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taker {
    Executor,
    Leader,
}

/// The doorbell that responses ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RingTarget {
    None,
    Leader,
    Executor,
}

/// The wakers of the client.
struct Wakers {
    /// The doorbell of the leader. The first leader creates it. `None` while a thread leads.
    leader: Option<LeaderWaiter>,
    target: RingTarget,
    executor: Option<Waker>,
}

/// The doorbell at which the leader waits.
struct LeaderWaiter {
    waiter: Waiter,
    /// Rung when a response comes, when a call of the leader is completed, and when the context shuts down.
    waker: Arc<Waker>,
    /// Rung when a server comes or goes.
    events: Waker,
    /// Whether a server has come or gone since a leader last checked for calls whose servers have gone.
    must_check_servers: bool,
}

/// The doorbell class that is rung when a server comes or goes.
const EVENTS: u32 = 1;

/// The state that all handles of a client, and its calls, share.
pub(super) struct ClientCore {
    pub(super) requests: saltus_host::Publisher,
    responses: saltus_host::Subscription,
    pub(super) node: Node,
    strategy: WaitStrategy,
    calls: Mutex<Calls>,
    handover: Handover<Wakers>,
    /// The waker of the leader.
    leader_waker: OnceLock<Arc<Waker>>,
    pub(super) introspection: Introspection,
    /// Keeps the callback group alive.
    _group: CallbackGroup,
}

impl fmt::Debug for ClientCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("service", &self.name()).finish_non_exhaustive()
    }
}

impl ClientCore {
    pub(super) fn new(
        node: &Node,
        (requests, responses): (saltus_host::Publisher, saltus_host::Subscription),
        strategy: WaitStrategy,
        introspection: Introspection,
        group: CallbackGroup,
    ) -> Self {
        Self {
            requests,
            responses,
            node: node.clone(),
            strategy,
            calls: Mutex::default(),
            handover: Handover::new(Wakers { leader: None, target: RingTarget::None, executor: None }),
            leader_waker: OnceLock::new(),
            introspection,
            _group: group,
        }
    }

    pub(super) fn name(&self) -> &str {
        self.requests.info().name()
    }

    fn service(&self) -> String {
        self.name().to_owned()
    }

    pub(super) fn unreadable(&self, cause: CdrError) -> CallError {
        self.responses.count_unreadable();
        CallError::Value { service: self.service(), cause }
    }

    fn unsendable(&self, cause: PublishError) -> CallError {
        match cause {
            PublishError::Unmatched => CallError::NoServer { service: self.service() },
            cause => CallError::Send { service: self.service(), cause: Arc::new(cause) },
        }
    }

    /// Writes a request of `len` bytes in place. Sends it at once, or as soon as there is room in the queues of the
    /// servers.
    pub(super) fn send(
        &self,
        len: usize,
        write: impl FnOnce(&mut [u8]) -> Result<(), CdrError>,
        slot: Slot,
    ) -> Result<(), CallError> {
        let mut loan = self.loan(len)?;
        write(&mut loan[..len]).map_err(|cause| self.unwritable(cause))?;
        self.send_loan(Unsent { loan, len, slot })
    }

    fn loan(&self, len: usize) -> Result<Loan, CallError> {
        self.requests.loan(len).map_err(|cause| self.unsendable(cause))
    }

    fn unwritable(&self, cause: CdrError) -> CallError {
        CallError::Value { service: self.service(), cause }
    }

    fn send_loan(&self, unsent: Unsent) -> Result<(), CallError> {
        let mut calls = lock(&self.calls);
        if !calls.unsent.is_empty() || calls.pending.len() >= usize::from(MAX_REQUESTS_IN_FLIGHT) {
            calls.unsent.push_back(unsent);
            let resumed = self.send_unsent(&mut calls);
            drop(calls);
            self.finish(resumed, Taker::Executor);
            return Ok(());
        }
        match self.try_send(&mut calls, unsent) {
            Ok(sent) => {
                drop(calls);
                self.publish_sent(sent);
                Ok(())
            }
            Err((unsent, PublishError::QueueFull { .. })) => {
                calls.unsent.push_back(unsent);
                Ok(())
            }
            Err((_, cause)) => Err(self.unsendable(cause)),
        }
    }

    /// Sends a request. Stores its sequence number under the same lock, so that the response finds the call. The caller
    /// must publish the introspection event after the lock is released.
    fn try_send(&self, calls: &mut Calls, unsent: Unsent) -> Result<Sent, (Unsent, PublishError)> {
        let Unsent { loan, len, slot } = unsent;
        let contents = self.introspection.contents_of(&loan[..len]);
        let sequence =
            loan.request(len).map_err(|(loan, error)| (Unsent { loan, len, slot: Slot::Cancelled }, error));
        let sequence = match sequence {
            Ok(sequence) => sequence,
            Err((unsent, error)) => return Err((Unsent { slot, ..unsent }, error)),
        };
        if let Slot::State(state) = &slot {
            state.sequence.store(sequence, Ordering::Relaxed);
        }
        calls.last = sequence;
        calls.pending.insert(sequence, slot);
        Ok(Sent { sequence, contents })
    }

    fn publish_sent(&self, sent: Sent) {
        let gid = self.requests.info().gid;
        self.introspection.publish(ServiceEventType::RequestSent, gid, sent.sequence, sent.contents);
    }

    /// Sends the requests that wait for room, as far as there is room now.
    fn send_unsent(&self, calls: &mut Calls) -> Resumed {
        let mut resumed = Resumed::default();
        while calls.pending.len() < usize::from(MAX_REQUESTS_IN_FLIGHT)
            && let Some(unsent) = calls.unsent.pop_front()
        {
            match self.try_send(calls, unsent) {
                Ok(sent) => resumed.sent.push(sent),
                Err((unsent, PublishError::QueueFull { .. })) => {
                    calls.unsent.push_front(unsent);
                    break;
                }
                Err((unsent, cause)) => resumed.failed.push((unsent.slot, self.unsendable(cause))),
            }
        }
        resumed
    }

    /// Publishes the events of requests that were sent. Completes the calls whose requests could not be sent.
    fn finish(&self, resumed: Resumed, by: Taker) {
        resumed.sent.into_iter().for_each(|sent| self.publish_sent(sent));
        resumed.failed.into_iter().for_each(|(slot, error)| self.complete(slot, Err(error), by));
    }

    /// Tries again to send the requests that wait for room. Returns whether any request still waits.
    fn resume(&self, by: Taker) -> bool {
        let mut calls = lock(&self.calls);
        if calls.unsent.is_empty() {
            return false;
        }
        let resumed = self.send_unsent(&mut calls);
        let is_left = !calls.unsent.is_empty();
        drop(calls);
        self.finish(resumed, by);
        is_left
    }

    /// Takes a response, if there is one, and completes its call. `by` is the kind of the calling thread.
    fn take_one(&self, by: Taker) -> Option<Arrival> {
        // The response is taken and its call is removed under one lock. Otherwise `fail_unserved` could fail the call
        // in between.
        let mut calls = lock(&self.calls);
        let sample = self.responses.take()?;
        let (arrival, sequence) = (Arrival::from(&sample), sample.sequence());
        let slot = calls.pending.remove(&sequence);
        calls.duplicate_responses += u64::from(slot.is_none());
        let resumed = if calls.unsent.is_empty() { Resumed::default() } else { self.send_unsent(&mut calls) };
        drop(calls);
        let gid = self.requests.info().gid;
        let contents = self.introspection.contents_of(&sample);
        self.introspection.publish(ServiceEventType::ResponseReceived, gid, sequence, contents);
        if let Some(slot) = slot {
            let not_answered = || CallError::NotAnswered { service: self.service() };
            self.complete(slot, if sample.is_empty() { Err(not_answered()) } else { Ok(sample) }, by);
        }
        self.finish(resumed, by);
        Some(arrival)
    }

    fn complete(&self, slot: Slot, result: Result<Sample, CallError>, by: Taker) {
        match slot {
            Slot::State(state) => {
                state.complete(result);
                let ring_leader = || self.leader_waker.get().into_iter().for_each(|leader| leader.ring());
                self.handover.completed(by == Taker::Leader, ring_leader);
            }
            Slot::Callback(callback) => {
                lock(&self.calls).ready.push_back((callback, result));
                if let Some(executor) = &self.handover.lock().value.executor {
                    executor.ring();
                }
            }
            Slot::Cancelled => {}
        }
    }

    /// Fails the calls whose servers have all gone. Returns whether there were any.
    fn fail_unserved(&self, by: Taker) -> bool {
        let (oldest, last) = {
            let calls = lock(&self.calls);
            if calls.pending.is_empty() && calls.unsent.is_empty() {
                return false;
            }
            (self.requests.oldest_served(), calls.last)
        };
        // The servers may have sent responses before they went.
        while self.take_one(by).is_some() {}
        let mut calls = lock(&self.calls);
        let unserved = |sequence: &u64| *sequence <= last && oldest.is_none_or(|oldest| *sequence < oldest);
        let gone: Vec<Slot> =
            calls.pending.extract_if(|sequence, _| unserved(sequence)).map(|(_, slot)| slot).collect();
        let resumed = self.send_unsent(&mut calls);
        drop(calls);
        let any = !gone.is_empty() || !resumed.failed.is_empty();
        for slot in gone {
            self.complete(slot, Err(CallError::ServerGone { service: self.service() }), by);
        }
        self.finish(resumed, by);
        any
    }

    /// Cancels a call: its response is discarded when it comes.
    pub(super) fn cancel(&self, state: &Arc<CallState>) {
        let mut calls = lock(&self.calls);
        match state.sequence.load(Ordering::Relaxed) {
            0 => calls
                .unsent
                .retain(|unsent| !matches!(&unsent.slot, Slot::State(other) if Arc::ptr_eq(other, state))),
            sequence => {
                calls.pending.entry(sequence).and_modify(|slot| *slot = Slot::Cancelled);
            }
        }
    }

    /// Waits for the result of a call on this thread.
    pub(super) fn block(&self, state: &Arc<CallState>, timeout: Duration) -> Result<Sample, CallError> {
        let nanos = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
        let deadline = monotonic_now().saturating_add(nanos);
        let mut locked = self.handover.lock();
        loop {
            if let Some(result) = state.take() {
                return result;
            }
            if state.is_taken() {
                return Err(CallError::Taken { service: self.service() });
            }
            if self.node.context().is_shut_down() {
                return Err(CallError::ShutDown { service: self.service() });
            }
            let left = deadline.saturating_sub(monotonic_now());
            if left == 0 {
                return Err(CallError::Timeout { service: self.service(), timeout });
            }
            locked = if locked.has_leader() {
                self.handover.follow(locked, || state.is_done(), Duration::from_nanos(left))
            } else {
                self.lead(locked, state, deadline)?
            };
        }
    }

    /// Leads: takes the responses of all calls, until this call is done or the deadline has passed.
    fn lead<'a>(
        &'a self,
        mut locked: MutexGuard<'a, Locked<Wakers>>,
        state: &CallState,
        deadline: u64,
    ) -> Result<MutexGuard<'a, Locked<Wakers>>, CallError> {
        let mut leader = match locked.value.leader.take() {
            Some(leader) => leader,
            None => self.new_leader_waiter()?,
        };
        if std::mem::replace(&mut locked.value.target, RingTarget::Leader) != RingTarget::Leader {
            self.set_wakers(Some((&leader.waker, &leader.events)));
        }
        let mut locked = self.handover.lead(locked, || self.serve(&mut leader, state, deadline));
        locked.value.leader = Some(leader);
        self.target_executor_locked(&mut locked);
        Ok(locked)
    }

    fn new_leader_waiter(&self) -> Result<LeaderWaiter, CallError> {
        let context = self.node.context();
        let wait = |cause| CallError::Wait { service: self.service(), cause: Arc::new(cause) };
        let waiter = context.waiter().map_err(wait)?;
        let (waker, events) = (Arc::new(waiter.waker(0)), waiter.waker(EVENTS));
        context.on_shutdown(&waker);
        // This succeeds, because only the first leader creates a waiter.
        let _ = self.leader_waker.set(waker.clone());
        Ok(LeaderWaiter { waiter, waker, events, must_check_servers: true })
    }

    fn serve(&self, leader: &mut LeaderWaiter, state: &CallState, deadline: u64) {
        loop {
            while let Some(arrival) = self.take_one(Taker::Leader) {
                leader.waiter.observe(arrival.sent_at, arrival.cpu);
                if state.is_done() {
                    return;
                }
            }
            if state.is_done() || monotonic_now() >= deadline || self.node.context().is_shut_down() {
                return;
            }
            if std::mem::take(&mut leader.must_check_servers) && self.fail_unserved(Taker::Leader) {
                continue;
            }
            // No waker is rung when a server has room again, so the server is polled.
            let next_poll = self.resume(Taker::Leader).then(|| monotonic_now() + RESUME_PERIOD);
            let until = next_poll.map_or(deadline, |next_poll| next_poll.min(deadline));
            let ready = leader.waiter.wait(self.strategy, Some(until));
            // A forked child and an expelled context receive no events, and all their servers have gone.
            leader.must_check_servers |= ready & 1 << EVENTS != 0 || leader.waiter.check().is_err();
        }
    }

    /// Makes responses ring the executor, so that it takes the response of a call that was just sent.
    pub(super) fn target_executor(&self) {
        self.target_executor_locked(&mut self.handover.lock());
    }

    /// Makes responses, and servers that come or go, ring the executor. Does nothing if a thread leads, or if there is
    /// no call.
    fn target_executor_locked(&self, locked: &mut Locked<Wakers>) {
        if locked.has_leader() || locked.value.target == RingTarget::Executor {
            return;
        }
        let Some(executor) = &locked.value.executor else { return };
        let calls = lock(&self.calls);
        if !(calls.pending.is_empty() && calls.unsent.is_empty() && calls.ready.is_empty()) {
            drop(calls);
            locked.value.target = RingTarget::Executor;
            self.set_wakers(Some((executor, executor)));
        }
    }

    /// Sets the wakers that are rung. The first is for responses, the second is for servers that come or go.
    fn set_wakers(&self, wakers: Option<(&Waker, &Waker)>) {
        self.responses.set_waker(wakers.map(|(responses, _)| responses));
        self.requests.set_event_waker(wakers.map(|(_, events)| events));
    }

    pub(super) fn status(&self) -> ClientStatus {
        let calls = lock(&self.calls);
        let requests = self.requests.status();
        ClientStatus {
            sent: requests.sent,
            received: self.responses.status().received,
            servers: requests.matched,
            outstanding: calls.pending.len() + calls.unsent.len(),
            duplicate_responses: calls.duplicate_responses,
        }
    }

    fn run_ready(&self) -> bool {
        let ready = lock(&self.calls).ready.pop_front();
        ready.map(|(callback, result)| callback(result)).is_some()
    }
}

impl Waitable for ClientCore {
    fn set_waker(&self, waker: Option<&Waker>) {
        let mut locked = self.handover.lock();
        locked.value.executor = waker.cloned();
        if locked.has_leader() {
            return;
        }
        locked.value.target = if waker.is_some() { RingTarget::Executor } else { RingTarget::None };
        self.set_wakers(waker.map(|waker| (waker, waker)));
    }

    fn execute(&self) -> Executed {
        if self.run_ready() {
            return Executed::Ran(None);
        }
        match self.take_one(Taker::Executor) {
            Some(arrival) => {
                self.run_ready();
                // More callbacks may be ready.
                Executed::Ran(Some(Arrival { is_last: false, ..arrival }))
            }
            None if self.fail_unserved(Taker::Executor) => Executed::Ran(None),
            None => Executed::Nothing,
        }
    }
}
