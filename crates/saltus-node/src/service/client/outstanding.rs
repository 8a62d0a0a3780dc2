//! Calls on their way, one state machine: waiting for room, sent, and answered, failed or abandoned.
//!
//! Responses are taken by the executor that spins the client's node, or by a thread that waits for one: of
//! several such threads one at a time leads, taking for all. So a call never waits for another thread, not
//! even in a callback of the node's only executor.

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

/// What a client can tell of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientStatus {
    /// How many requests were sent.
    pub sent: u64,
    /// How many responses were received.
    pub received: u64,
    /// How many servers are connected.
    pub servers: usize,
    /// How many calls have no response yet; cancelled ones too, until it comes.
    pub outstanding: usize,
    /// Responses to calls that another server had answered before.
    pub surplus: u64,
}

/// What is done with a response.
pub(super) type OnResponse = Box<dyn FnOnce(Result<Sample, CallError>) + Send>;

/// Who waits for a response.
pub(super) enum Slot {
    State(Arc<CallState>),
    Callback(OnResponse),
    /// Nobody any more; but its response may still come.
    Abandoned,
}

/// A request that has no room yet.
struct Unsent {
    loan: Loan,
    len: usize,
    slot: Slot,
}

/// A request that was sent, and what is to be told of it.
struct Sent {
    sequence: u64,
    noted: Option<Vec<u8>>,
}

/// What became of requests that had no room.
#[derive(Default)]
struct Resumed {
    sent: Vec<Sent>,
    failed: Vec<(Slot, CallError)>,
}

/// How often it is looked whether a full server has room again, in nanoseconds.
const RESUME: u64 = 5_000_000;

#[derive(Default)]
struct Calls {
    /// By the number of the request.
    pending: HashMap<u64, Slot>,
    unsent: VecDeque<Unsent>,
    /// The number of the last request.
    last: u64,
    /// Responses that came for callbacks, which an executor runs.
    ready: VecDeque<(OnResponse, Result<Sample, CallError>)>,
    surplus: u64,
}

/// Who takes a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taker {
    Executor,
    Leader,
}

/// Where responses ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RingTarget {
    Nobody,
    Leader,
    Executor,
}

/// What whoever has the turn to take responses uses.
struct Wakers {
    /// Where a leader waits; made by the first.
    leader: Option<LeaderWaiter>,
    target: RingTarget,
    executor: Option<Waker>,
}

struct LeaderWaiter {
    waiter: Waiter,
    /// What responses ring, and all else but servers.
    waker: Arc<Waker>,
    /// What the coming and going of servers rings.
    events: Waker,
    /// Whether servers came or went, and nobody has looked yet which calls that ends.
    must_check_servers: bool,
}

/// The class of a leader's waiter that servers ring, as a bit.
const EVENTS: u32 = 1;

/// What all handles of a client, and its calls, have in common.
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
    /// Held, not used: the group lives as long as what it runs.
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
            handover: Handover::new(Wakers { leader: None, target: RingTarget::Nobody, executor: None }),
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

    /// Writes a request of `len` bytes in place and sends it, now or as soon as there is room.
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
                self.tell_sent(sent);
                Ok(())
            }
            Err((unsent, PublishError::QueueFull { .. })) => {
                calls.unsent.push_back(unsent);
                Ok(())
            }
            Err((_, cause)) => Err(self.unsendable(cause)),
        }
    }

    /// Sends a request. Its number is noted under the same lock, so that its response finds it. What is to be
    /// told of it is told when no lock is held.
    fn try_send(&self, calls: &mut Calls, unsent: Unsent) -> Result<Sent, (Unsent, PublishError)> {
        let Unsent { loan, len, slot } = unsent;
        let noted = self.introspection.note(&loan[..len]);
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
        Ok(Sent { sequence, noted })
    }

    fn tell_sent(&self, sent: Sent) {
        let gid = self.requests.info().gid;
        self.introspection.tell(ServiceEventType::RequestSent, gid, sent.sequence, sent.noted);
    }

    /// Sends what was kept, as far as there is room.
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

    /// Tells of what was sent late, and whom it was too late for.
    fn finish(&self, resumed: Resumed, by: Taker) {
        resumed.sent.into_iter().for_each(|sent| self.tell_sent(sent));
        resumed.failed.into_iter().for_each(|(slot, error)| self.complete(slot, Err(error), by));
    }

    /// Tries again to send what was kept. Whether any is left.
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

    /// Takes a response, if one has come, to whoever waits for it. The leader says that it is the leader.
    fn take_one(&self, by: Taker) -> Option<Arrival> {
        // Under one lock: what was taken waits no more, and can't be taken for unserved.
        let mut calls = lock(&self.calls);
        let sample = self.responses.take()?;
        let (arrival, sequence) = (Arrival::from(&sample), sample.sequence());
        let slot = calls.pending.remove(&sequence);
        calls.surplus += u64::from(slot.is_none());
        let resumed = if calls.unsent.is_empty() { Resumed::default() } else { self.send_unsent(&mut calls) };
        drop(calls);
        let gid = self.requests.info().gid;
        let noted = self.introspection.note(&sample);
        self.introspection.tell(ServiceEventType::ResponseReceived, gid, sequence, noted);
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

    /// Ends the calls whose servers have all gone. Whether there were any.
    fn fail_unserved(&self, by: Taker) -> bool {
        let (oldest, last) = {
            let calls = lock(&self.calls);
            if calls.pending.is_empty() && calls.unsent.is_empty() {
                return false;
            }
            (self.requests.oldest_served(), calls.last)
        };
        // What they said before they went counts.
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

    /// Nobody waits for that call any more.
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

    /// Takes responses for all until this call's has come or the time is up.
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
        self.return_to_executor(&mut turn);
        Ok(turn)
    }

    fn new_leader_waiter(&self) -> Result<LeaderWaiter, CallError> {
        let context = self.node.context();
        let wait = |cause| CallError::Wait { service: self.service(), cause: Arc::new(cause) };
        let waiter = context.waiter().map_err(wait)?;
        let (waker, events) = (Arc::new(waiter.waker(0)), waiter.waker(EVENTS));
        context.on_shutdown(&waker);
        // There is one leader.
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
            // Nobody rings when a server has room again.
            let look_again = self.resume(Taker::Leader).then(|| monotonic_now() + RESUME);
            let until = look_again.map_or(deadline, |look_again| look_again.min(deadline));
            let ready = leader.waiter.wait(self.strategy, Some(until));
            // Nothing comes to a forked child or an expelled context, which have no servers.
            leader.must_check_servers |= ready & 1 << EVENTS != 0 || leader.waiter.check().is_err();
        }
    }

    /// An executor is counted on to bring a response.
    pub(super) fn count_on_executor(&self) {
        self.return_to_executor(&mut self.handover.lock());
    }

    /// Gives the executor back what it is to be rung for, if nobody leads and anybody counts on it.
    fn return_to_executor(&self, turn: &mut Turn<Wakers>) {
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

    /// From now on responses, and the coming and going of servers, ring there.
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
        turn.value.target = if waker.is_some() { RingTarget::Executor } else { RingTarget::Nobody };
        self.set_wakers(waker.map(|waker| (waker, waker)));
    }

    fn execute(&self) -> Executed {
        if self.run_ready() {
            return Executed::Ran(None);
        }
        match self.take_one(Taker::Executor) {
            Some(arrival) => {
                self.run_ready();
                // More callbacks may be ready than that one.
                Executed::Ran(Some(Arrival { is_last: false, ..arrival }))
            }
            None if self.fail_unserved(Taker::Executor) => Executed::Ran(None),
            None => Executed::Nothing,
        }
    }
}
