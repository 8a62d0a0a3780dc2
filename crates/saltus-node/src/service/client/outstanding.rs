//! Calls in flight, one state machine: waiting for room, sent, and answered, failed or abandoned.
//!
//! Responses are taken by the executor that spins the client's node, or by a thread that waits for one. If
//! several threads wait, one at a time leads and takes the responses of all. So a call never needs another
//! thread, not even in a callback of the node's only executor.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    sync::{Arc, Mutex, MutexGuard, OnceLock, atomic::Ordering},
    time::Duration,
};

use saltus_cdr::CdrError;
use saltus_host::{Loan, PublishError, Sample, WaitStrategy, Waiter, Waker, monotonic_now};
use saltus_types::lock;

use super::handover::{Handover, Turn};
use crate::{
    Arrival, CallbackGroup, Executed, Node, Waitable,
    service::{
        call_state::{CallError, CallState},
        introspection::{Introspection, ServiceEventType},
        kind::WINDOW,
    },
};

/// The counts of a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientStatus {
    /// How many requests were sent.
    pub sent: u64,
    /// How many responses were received.
    pub received: u64,
    /// How many servers are connected.
    pub servers: usize,
    /// How many calls have no response yet, including cancelled calls until their response comes.
    pub outstanding: usize,
    /// How many responses came to calls that another server had already answered.
    pub surplus: u64,
}

/// A callback for a response.
pub(super) type OnResponse = Box<dyn FnOnce(Result<Sample, CallError>) + Send>;

/// Where a response goes.
pub(super) enum Slot {
    State(Arc<CallState>),
    Callback(OnResponse),
    /// The call was cancelled, but its response may still come.
    Abandoned,
}

/// A request for which there is no room yet.
struct Unsent {
    loan: Loan,
    len: usize,
    slot: Slot,
}

/// A request that was sent, and its contents if its event includes them.
struct Sent {
    sequence: u64,
    contents: Option<Vec<u8>>,
}

/// The results of sending requests for which there was no room before.
#[derive(Default)]
struct Resumed {
    sent: Vec<Sent>,
    failed: Vec<(Slot, CallError)>,
}

/// How often a full server is polled for room, in nanoseconds.
const RESUME: u64 = 5_000_000;

#[derive(Default)]
struct Calls {
    /// By the number of the request.
    pending: HashMap<u64, Slot>,
    unsent: VecDeque<Unsent>,
    /// The number of the last request.
    last: u64,
    /// Responses that came for callbacks, for an executor to run.
    ready: VecDeque<(OnResponse, Result<Sample, CallError>)>,
    surplus: u64,
}

/// What takes a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taker {
    Executor,
    Leader,
}

/// What responses ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RingTarget {
    None,
    Leader,
    Executor,
}

/// The wakers of the client. The lock of the turn guards them.
struct Wakers {
    /// What a leader waits with; created by the first leader, and `None` while a thread leads.
    leader: Option<LeaderWaiter>,
    target: RingTarget,
    executor: Option<Waker>,
}

struct LeaderWaiter {
    waiter: Waiter,
    /// Rung by responses, and by all other events except those of servers.
    waker: Arc<Waker>,
    /// Rung when a server comes or goes.
    events: Waker,
    /// Whether servers came or went, and no leader has checked yet which calls this ends.
    must_check_servers: bool,
}

/// The class of a leader's waiter that is rung when a server comes or goes, as the number of a bit.
const EVENTS: u32 = 1;

/// What all handles of a client, and its calls, share.
pub(in crate::service) struct Core {
    pub(super) requests: saltus_host::Publisher,
    responses: saltus_host::Subscription,
    pub(super) node: Node,
    strategy: WaitStrategy,
    calls: Mutex<Calls>,
    handover: Handover<Wakers>,
    /// How to wake the leader.
    leader_waker: OnceLock<Arc<Waker>>,
    pub(super) introspection: Introspection,
    /// Held, not used: it keeps the callback group alive.
    _group: CallbackGroup,
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("service", &self.name()).finish_non_exhaustive()
    }
}

impl Core {
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

    pub(in crate::service) fn name(&self) -> &str {
        self.requests.info().name()
    }

    fn service(&self) -> String {
        self.name().to_owned()
    }

    pub(in crate::service) fn unreadable(&self, cause: CdrError) -> CallError {
        self.responses.count_unreadable();
        CallError::Value { service: self.service(), cause }
    }

    fn unsendable(&self, cause: PublishError) -> CallError {
        match cause {
            PublishError::Unmatched => CallError::NoServer { service: self.service() },
            cause => CallError::Send { service: self.service(), cause: Arc::new(cause) },
        }
    }

    /// Writes a request of `len` bytes in place and sends it, at once or as soon as there is room.
    pub(super) fn send(
        &self,
        len: usize,
        write: impl FnOnce(&mut [u8]) -> Result<(), CdrError>,
        slot: Slot,
    ) -> Result<(), CallError> {
        let mut loan = self.requests.loan(len).map_err(|cause| self.unsendable(cause))?;
        write(&mut loan[..len]).map_err(|cause| CallError::Value { service: self.service(), cause })?;
        self.send_loan(Unsent { loan, len, slot })
    }

    fn send_loan(&self, unsent: Unsent) -> Result<(), CallError> {
        let mut calls = lock(&self.calls);
        if !calls.unsent.is_empty() || calls.pending.len() >= usize::from(WINDOW) {
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

    /// Sends a request. Its number is stored under the same lock, so that its response finds it. The caller publishes
    /// its event when no lock is held.
    fn try_send(&self, calls: &mut Calls, unsent: Unsent) -> Result<Sent, (Unsent, PublishError)> {
        let Unsent { loan, len, slot } = unsent;
        let contents = self.introspection.contents_of(&loan[..len]);
        let sequence =
            loan.request(len).map_err(|(loan, error)| (Unsent { loan, len, slot: Slot::Abandoned }, error));
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

    /// Sends the requests that were kept, as far as there is room.
    fn send_unsent(&self, calls: &mut Calls) -> Resumed {
        let mut resumed = Resumed::default();
        while calls.pending.len() < usize::from(WINDOW)
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

    /// Publishes the events of requests that were sent, and completes the calls whose requests failed.
    fn finish(&self, resumed: Resumed, by: Taker) {
        resumed.sent.into_iter().for_each(|sent| self.publish_sent(sent));
        resumed.failed.into_iter().for_each(|(slot, error)| self.complete(slot, Err(error), by));
    }

    /// Tries again to send the requests that were kept. Returns whether any is left.
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

    /// Takes a response, if one has come, and completes its call. `by` is what takes it.
    fn take_one(&self, by: Taker) -> Option<Arrival> {
        // Both under one lock: a call whose response was taken is not pending, so it can't be treated as unserved.
        let mut calls = lock(&self.calls);
        let sample = self.responses.take()?;
        let (arrival, sequence) = (Arrival::from(&sample), sample.sequence());
        let slot = calls.pending.remove(&sequence);
        calls.surplus += u64::from(slot.is_none());
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
            Slot::Abandoned => {}
        }
    }

    /// Fails the calls whose servers are all gone. Returns whether there were any.
    fn fail_unserved(&self, by: Taker) -> bool {
        let (oldest, last) = {
            let calls = lock(&self.calls);
            if calls.pending.is_empty() && calls.unsent.is_empty() {
                return false;
            }
            (self.requests.oldest_served(), calls.last)
        };
        // Responses that the servers sent before they went still count.
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

    /// Notes that no caller waits for a call any more.
    pub(in crate::service) fn abandon(&self, state: &Arc<CallState>) {
        let mut calls = lock(&self.calls);
        match state.sequence.load(Ordering::Relaxed) {
            0 => calls
                .unsent
                .retain(|unsent| !matches!(&unsent.slot, Slot::State(other) if Arc::ptr_eq(other, state))),
            sequence => {
                calls.pending.entry(sequence).and_modify(|slot| *slot = Slot::Abandoned);
            }
        }
    }

    /// Waits for a call on this thread.
    pub(in crate::service) fn block(
        &self,
        state: &Arc<CallState>,
        timeout: Duration,
    ) -> Result<Sample, CallError> {
        let nanos = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
        let deadline = monotonic_now().saturating_add(nanos);
        let mut turn = self.handover.lock();
        loop {
            if let Some(result) = state.take() {
                return result;
            }
            if state.is_over() {
                return Err(CallError::Taken { service: self.service() });
            }
            if self.node.context().is_shut_down() {
                return Err(CallError::ShutDown { service: self.service() });
            }
            let left = deadline.saturating_sub(monotonic_now());
            if left == 0 {
                return Err(CallError::Timeout { service: self.service(), timeout });
            }
            turn = if turn.has_leader() {
                self.handover.follow(turn, || state.is_done(), Duration::from_nanos(left))
            } else {
                self.lead(turn, state, deadline)?
            };
        }
    }

    /// Takes the responses of all calls, until this call is done or the deadline has passed.
    fn lead<'a>(
        &'a self,
        mut turn: MutexGuard<'a, Turn<Wakers>>,
        state: &CallState,
        deadline: u64,
    ) -> Result<MutexGuard<'a, Turn<Wakers>>, CallError> {
        let mut leader = match turn.value.leader.take() {
            Some(leader) => leader,
            None => self.new_leader_waiter()?,
        };
        if std::mem::replace(&mut turn.value.target, RingTarget::Leader) != RingTarget::Leader {
            self.set_wakers(Some((&leader.waker, &leader.events)));
        }
        let mut turn = self.handover.lead(turn, || self.serve(&mut leader, state, deadline));
        turn.value.leader = Some(leader);
        self.target_executor_locked(&mut turn);
        Ok(turn)
    }

    fn new_leader_waiter(&self) -> Result<LeaderWaiter, CallError> {
        let context = self.node.context();
        let wait = |cause| CallError::Wait { service: self.service(), cause: Arc::new(cause) };
        let waiter = context.waiter().map_err(wait)?;
        let (waker, events) = (Arc::new(waiter.waker(0)), waiter.waker(EVENTS));
        context.on_shutdown(&waker);
        // It is set once, because there is one leader at a time.
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
            // Nothing rings when a server has room again, so it is polled.
            let next_poll = self.resume(Taker::Leader).then(|| monotonic_now() + RESUME);
            let until = next_poll.map_or(deadline, |next_poll| next_poll.min(deadline));
            let ready = leader.waiter.wait(self.strategy, Some(until));
            // A forked child and an expelled context have no servers, so they receive no events.
            leader.must_check_servers |= ready & 1 << EVENTS != 0 || leader.waiter.check().is_err();
        }
    }

    /// Makes responses ring the executor, which takes the response of a call that was just sent.
    pub(super) fn target_executor(&self) {
        self.target_executor_locked(&mut self.handover.lock());
    }

    /// Makes responses and events of servers ring the executor again, if no thread leads and there is any call.
    fn target_executor_locked(&self, turn: &mut Turn<Wakers>) {
        if turn.has_leader() || turn.value.target == RingTarget::Executor {
            return;
        }
        let Some(executor) = &turn.value.executor else { return };
        let calls = lock(&self.calls);
        if !(calls.pending.is_empty() && calls.unsent.is_empty() && calls.ready.is_empty()) {
            drop(calls);
            turn.value.target = RingTarget::Executor;
            self.set_wakers(Some((executor, executor)));
        }
    }

    /// Sets the wakers that responses (the first) and events of servers (the second) ring.
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
            surplus: calls.surplus,
        }
    }

    fn run_ready(&self) -> bool {
        let ready = lock(&self.calls).ready.pop_front();
        ready.map(|(callback, result)| callback(result)).is_some()
    }
}

impl Waitable for Core {
    fn set_waker(&self, waker: Option<&Waker>) {
        let mut turn = self.handover.lock();
        turn.value.executor = waker.cloned();
        if turn.has_leader() {
            return;
        }
        turn.value.target = if waker.is_some() { RingTarget::Executor } else { RingTarget::None };
        self.set_wakers(waker.map(|waker| (waker, waker)));
    }

    fn execute(&self) -> Executed {
        if self.run_ready() {
            return Executed::Ran(None);
        }
        match self.take_one(Taker::Executor) {
            Some(arrival) => {
                self.run_ready();
                // More callbacks than that one may be ready.
                Executed::Ran(Some(Arrival { is_last: false, ..arrival }))
            }
            None if self.fail_unserved(Taker::Executor) => Executed::Ran(None),
            None => Executed::Nothing,
        }
    }
}
