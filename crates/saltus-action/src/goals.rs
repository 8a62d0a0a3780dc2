//! The goals of an action server: how they are taken, cancelled, ended, told and forgotten.

use std::{
    collections::{HashMap, VecDeque, hash_map::Entry},
    sync::{Arc, Mutex, MutexGuard, OnceLock, Weak},
    time::Duration,
};

use saltus_cdr::{Action, Cdr, CdrError};
use saltus_msgs::{
    action_msgs::{
        msg::{GoalInfo, GoalStatus as StatusMessage, GoalStatusArray},
        srv::{CancelGoal_Request, CancelGoal_Response},
    },
    builtin_interfaces::msg::Time as TimeMessage,
};
use saltus_node::{
    CallbackGroup, Clock, EndpointEvent, GenericResponder, Node, NodeError, Publisher, RespondError, Sample,
    Timer, monotonic_now,
};
use saltus_types::{QoS, Time, lock};

use crate::{
    ActionNames, GoalError, GoalEvent, GoalId, GoalStatus,
    handle::{Goal, GoalHandle, GoalOwner},
    wire,
};

/// How often results that are too old are looked for: those who ask are never given one, but it takes memory
/// that long.
const SWEEP: Duration = Duration::from_secs(1);
/// Results that somebody has been given make room for others beyond this number of them, or of bytes. Who
/// asks for one again is told that it is unknown, as when it is too old.
const MOST_DELIVERED: usize = 64;
const MOST_DELIVERED_BYTES: usize = 4 << 20;

/// Whether to take a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalResponse {
    /// No.
    Reject,
    /// Yes, and its execution begins now.
    AcceptAndExecute,
    /// Yes; [`GoalHandle::execute`] will say when its execution begins.
    AcceptAndDefer,
}

/// Whether to cancel a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelResponse {
    /// No.
    Reject,
    /// Yes: it is to be ended soon.
    Accept,
}

/// A goal that asks to be accepted.
#[derive(Debug)]
pub struct GoalRequest<'a, A> {
    id: GoalId,
    bytes: &'a [u8],
    of: std::marker::PhantomData<fn() -> A>,
}

impl<A: Action> GoalRequest<'_, A> {
    /// Its identity.
    pub fn id(&self) -> GoalId {
        self.id
    }

    /// What the client wants, where it lies in shared memory.
    pub fn view(&self) -> Result<<A::Goal as Cdr>::View<'_>, CdrError> {
        wire::view_with_id::<A::Goal>(self.bytes)
    }

    /// What the client wants, as a value.
    pub fn value(&self) -> Result<A::Goal, CdrError> {
        wire::value_with_id(self.bytes)
    }
}

pub(crate) type OnGoal<A> = Box<dyn FnMut(&GoalRequest<'_, A>) -> GoalResponse + Send>;
pub(crate) type OnCancel<A> = Box<dyn FnMut(&GoalHandle<A>) -> CancelResponse + Send>;
pub(crate) type OnAccepted<A> = Box<dyn FnMut(GoalHandle<A>) + Send>;

/// A goal that was taken, and how.
type Accepted<A> = (GoalHandle<A>, GoalResponse);

/// The goals of a server.
pub(crate) struct Goals<A: Action> {
    pub(crate) all: HashMap<GoalId, Arc<Goal<A>>>,
    /// Those that have ended and when, in monotonic nanoseconds, the first in front; some may have been
    /// forgotten already.
    ended: VecDeque<(u64, Weak<Goal<A>>)>,
    /// Results that somebody was given, the oldest in front, with their sizes.
    delivered: VecDeque<(GoalId, usize)>,
    delivered_bytes: usize,
}

/// How far the states of goals were told.
struct Telling {
    /// Whether they have changed since, because nobody listened.
    is_untold: bool,
    /// Whether they were ever told.
    has_told: bool,
}

/// What an action server's entities have in common.
pub(crate) struct Shared<A: Action> {
    pub(crate) node: Node,
    pub(crate) action: String,
    result_timeout: Option<Duration>,
    goals: Mutex<Goals<A>>,
    on_goal: Mutex<OnGoal<A>>,
    on_cancel: Mutex<OnCancel<A>>,
    on_accepted: Mutex<OnAccepted<A>>,
    pub(crate) feedback: OnceLock<Publisher<A::FeedbackMessage>>,
    pub(crate) status: OnceLock<Publisher<GoalStatusArray>>,
    telling: Mutex<Telling>,
    pub(crate) sweep: OnceLock<Timer>,
}

impl<A: Action> Shared<A> {
    /// Of a server that has no goals, and whose entities are not open yet.
    pub(crate) fn new(
        node: &Node,
        action: String,
        result_timeout: Option<Duration>,
        (on_goal, on_cancel): (OnGoal<A>, OnCancel<A>),
        on_accepted: OnAccepted<A>,
    ) -> Self {
        let goals = Goals {
            all: HashMap::new(),
            ended: VecDeque::new(),
            delivered: VecDeque::new(),
            delivered_bytes: 0,
        };
        Self {
            node: node.clone(),
            action,
            result_timeout,
            goals: Mutex::new(goals),
            on_goal: Mutex::new(on_goal),
            on_cancel: Mutex::new(on_cancel),
            on_accepted: Mutex::new(on_accepted),
            feedback: OnceLock::new(),
            status: OnceLock::new(),
            telling: Mutex::new(Telling { is_untold: true, has_told: false }),
            sweep: OnceLock::new(),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Goals<A>> {
        lock(&self.goals)
    }

    /// Takes a goal, or not, and tells the client; then hands it to the program.
    pub(crate) fn receive(self: &Arc<Self>, request: Sample, responder: GenericResponder) {
        let accepted = match Self::accept(self, request) {
            Ok(accepted) => accepted,
            Err(error) => {
                // The client is told that there is no answer.
                saltus_node::error!(
                    self.node.logger(),
                    "action '{}': a goal can't be read: {error}",
                    self.action
                );
                return;
            }
        };
        let stamp = accepted.as_ref().map_or(Time::from_nanos(0), |(handle, _)| handle.stamp());
        self.answer(responder, &(accepted.is_some(), TimeMessage::from(stamp)));
        if let Some((handle, response)) = accepted {
            match response {
                GoalResponse::AcceptAndExecute => {
                    // A goal that was cancelled meanwhile stays so.
                    let _ = handle.execute();
                }
                _ => self.publish_status(),
            }
            lock(&self.on_accepted)(handle);
        }
    }

    /// Asks the program. The handle is there before anybody knows of the goal, and can cancel it.
    fn accept(self: &Arc<Self>, request: Sample) -> Result<Option<Accepted<A>>, CdrError> {
        let (id, _) = wire::read_id(&request)?;
        wire::view_with_id::<A::Goal>(&request)?;
        if self.lock().all.contains_key(&id) {
            return Ok(None);
        }
        let asked = GoalRequest { id, bytes: &request, of: std::marker::PhantomData };
        let response = lock(&self.on_goal)(&asked);
        if response == GoalResponse::Reject {
            return Ok(None);
        }
        let goal = Arc::new(Goal::new(id, self.node.clock().now(), request));
        // It may have been sent twice, and accepted by another thread meanwhile.
        match self.lock().all.entry(id) {
            Entry::Occupied(_) => Ok(None),
            Entry::Vacant(place) => {
                let owner: Weak<Self> = Arc::downgrade(self);
                let handle = GoalHandle::new(goal.clone(), owner);
                place.insert(goal);
                Ok(Some((handle, response)))
            }
        }
    }

    /// Sends a response of two fields.
    fn answer<X: Cdr, Y: Cdr>(&self, responder: GenericResponder, (first, second): &(X, Y)) {
        let sent = responder
            .send_with(wire::pair_len(first, second), |bytes| wire::write_pair(bytes, first, second));
        self.tell(sent);
    }

    /// Tells of a response that did not go out. Whether it did.
    fn tell(&self, sent: Result<(), RespondError>) -> bool {
        match sent {
            Ok(()) => true,
            Err(RespondError::ClientGone) => false,
            Err(error) => {
                saltus_node::error!(self.node.logger(), "action '{}': can't respond: {error}", self.action);
                false
            }
        }
    }

    /// Gives a result, now or when the goal has ended.
    pub(crate) fn give_result(&self, request: &Sample, responder: GenericResponder) {
        let id = match wire::read_id(request) {
            Ok((id, _)) => id,
            Err(error) => {
                saltus_node::error!(
                    self.node.logger(),
                    "action '{}': a request can't be read: {error}",
                    self.action
                );
                return;
            }
        };
        self.forget_old();
        let goal = self.lock().all.get(&id).cloned();
        let Some(goal) = goal else {
            return self.answer(responder, &(GoalStatus::Unknown as i8, A::Result::default()));
        };
        let mut state = goal.lock();
        match &state.result {
            None => state.waiting.push(responder),
            Some(result) => {
                let len = wire::result_len(result);
                let write = |bytes: &mut [u8]| wire::write_result(bytes, state.status, result);
                let is_delivered = self.tell(responder.send_with(len, write));
                drop(state);
                if is_delivered {
                    self.note_delivered(id, len);
                }
            }
        }
    }

    /// A result was given to somebody: an older one may be forgotten, and this one when the next is given.
    fn note_delivered(&self, id: GoalId, len: usize) {
        let mut goals = self.lock();
        let goals = &mut *goals;
        if goals.delivered.iter().any(|(other, _)| *other == id) {
            return;
        }
        goals.delivered.push_back((id, len));
        goals.delivered_bytes += len;
        let is_too_much = |goals: &Goals<A>| {
            goals.delivered.len() > MOST_DELIVERED || goals.delivered_bytes > MOST_DELIVERED_BYTES
        };
        // Never the newest: whoever it was given to may not have waited for it any more.
        while goals.delivered.len() > 1 && is_too_much(goals) {
            let Some((oldest, len)) = goals.delivered.pop_front() else { break };
            goals.delivered_bytes -= len;
            goals.all.remove(&oldest);
        }
    }

    /// Forgets goals whose results were kept long enough. Whether there is another that will be.
    fn forget_old(&self) -> bool {
        let Some(timeout) = self.result_timeout else { return false };
        let now = monotonic_now();
        let timeout = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
        let mut goals = self.lock();
        let Goals { all, ended, delivered, delivered_bytes } = &mut *goals;
        while let Some((_, goal)) =
            ended.pop_front_if(|(ended_at, _)| now >= ended_at.saturating_add(timeout))
        {
            // It may have been forgotten already, and its id be another goal's by now.
            let Some(goal) = goal.upgrade() else { continue };
            let id = goal.id;
            if all.get(&id).is_none_or(|known| !Arc::ptr_eq(known, &goal)) {
                continue;
            }
            all.remove(&id);
            if let Some(place) = delivered.iter().position(|(other, _)| *other == id) {
                *delivered_bytes -= delivered.remove(place).map_or(0, |(_, len)| len);
            }
        }
        !ended.is_empty()
    }

    /// Cancels what a client wants cancelled, as far as the program agrees.
    pub(crate) fn cancel(&self, request: &CancelGoal_Request) -> CancelGoal_Response {
        let wanted = &request.goal_info;
        let (id, stamp) = (GoalId::from(wanted.goal_id), Time::from(wanted.stamp).as_nanos());
        let candidates = match self.candidates(id, stamp) {
            Ok(candidates) => candidates,
            Err(return_code) => return CancelGoal_Response { return_code, goals_canceling: Vec::new() },
        };
        let any = !candidates.is_empty();
        let canceled: Vec<_> = candidates.into_iter().filter(|goal| self.try_cancel(goal)).collect();
        if any && canceled.is_empty() {
            let return_code = CancelGoal_Response::ERROR_REJECTED;
            return CancelGoal_Response { return_code, goals_canceling: Vec::new() };
        }
        self.publish_status();
        let info = |goal: Arc<Goal<A>>| GoalInfo { goal_id: goal.id.into(), stamp: goal.stamp.into() };
        let goals_canceling = canceled.into_iter().map(info).collect();
        CancelGoal_Response { return_code: CancelGoal_Response::ERROR_NONE, goals_canceling }
    }

    /// The goals that a request to cancel means, the oldest first; or why there is none.
    ///
    /// Source: `action_msgs/srv/CancelGoal`: no id and no time is all goals; a time is all that were accepted
    /// then or before; an id is that goal; both are that goal and all of the time.
    fn candidates(&self, id: GoalId, stamp: i64) -> Result<Vec<Arc<Goal<A>>>, i8> {
        let goals = self.lock();
        if id != GoalId::ZERO && stamp == 0 {
            let goal = goals.all.get(&id).ok_or(CancelGoal_Response::ERROR_UNKNOWN_GOAL_ID)?;
            if goal.status().is_terminal() {
                return Err(CancelGoal_Response::ERROR_GOAL_TERMINATED);
            }
            return Ok(vec![goal.clone()]);
        }
        let is_meant = |goal: &Arc<Goal<A>>| {
            (id == GoalId::ZERO && stamp == 0)
                || goal.id == id
                || (stamp != 0 && goal.stamp.as_nanos() <= stamp)
        };
        let mut meant: Vec<_> = goals.all.values().filter(|goal| is_meant(goal)).cloned().collect();
        meant.retain(|goal| goal.status().after(GoalEvent::CancelGoal).is_some());
        meant.sort_by_key(|goal| goal.stamp.as_nanos());
        Ok(meant)
    }

    /// Whether a goal is being canceled now. One that is already need not be agreed to again.
    fn try_cancel(&self, goal: &Arc<Goal<A>>) -> bool {
        if goal.status() == GoalStatus::Canceling {
            return true;
        }
        let Some(handle) = goal.handle() else { return false };
        let agreed = lock(&self.on_cancel)(&handle) == CancelResponse::Accept;
        agreed && goal.step(GoalEvent::CancelGoal).is_ok()
    }

    /// Somebody may have begun to listen for states.
    fn on_listener(&self) {
        let is_untold = lock(&self.telling).is_untold;
        if is_untold {
            self.publish_status();
        }
    }

    /// Looks for results that were kept long enough, until there are none left.
    fn sweep(&self) {
        let Some(sweep) = self.sweep.get() else { return };
        // In this order: who ends a goal meanwhile starts it again.
        sweep.cancel();
        if self.forget_old() {
            sweep.reset();
        }
    }
}

impl<A: Action> GoalOwner<A> for Shared<A> {
    /// Ends a goal, and gives its result to whoever waits for it.
    fn end(&self, goal: &Arc<Goal<A>>, event: GoalEvent, result: A::Result) -> Result<(), GoalError> {
        let mut state = goal.lock();
        goal.step_locked(&mut state, event)?;
        let len = wire::result_len(&result);
        let waiting = std::mem::take(&mut state.waiting);
        let mut is_delivered = false;
        for responder in waiting {
            let write = |bytes: &mut [u8]| wire::write_result(bytes, state.status, &result);
            is_delivered |= self.tell(responder.send_with(len, write));
        }
        state.result = Some(result);
        drop(state);
        if self.result_timeout.is_some() {
            self.lock().ended.push_back((monotonic_now(), Arc::downgrade(goal)));
        }
        goal.release_request();
        // Before the goal may be forgotten.
        self.publish_status();
        if is_delivered {
            self.note_delivered(goal.id, len);
        }
        if let Some(sweep) = self.sweep.get().filter(|sweep| sweep.is_cancelled()) {
            sweep.reset();
        }
        Ok(())
    }

    /// Tells the states of all goals. As long as nobody has ever listened it is only noted that there is something
    /// to tell: who comes first is told then, and from then on they are published whoever listens.
    fn publish_status(&self) {
        let Some(publisher) = self.status.get() else { return };
        // One after the other, and each with what is so then: the last is what late listeners get.
        let mut telling = lock(&self.telling);
        telling.is_untold = true;
        if !telling.has_told && publisher.subscription_count() == 0 {
            return;
        }
        (telling.is_untold, telling.has_told) = (false, true);
        let mut goals: Vec<Arc<Goal<A>>> = self.lock().all.values().cloned().collect();
        goals.sort_by_key(|goal| goal.stamp.as_nanos());
        let of = |goal: &Arc<Goal<A>>| StatusMessage {
            goal_info: GoalInfo { goal_id: goal.id.into(), stamp: goal.stamp.into() },
            status: goal.status() as i8,
        };
        let message = GoalStatusArray { status_list: goals.iter().map(of).collect() };
        if let Err(error) = publisher.publish(&message) {
            saltus_node::error!(
                self.node.logger(),
                "action '{}': can't publish states: {error}",
                self.action
            );
        }
    }

    fn publish_feedback(&self, id: GoalId, feedback: &A::Feedback) -> Result<(), GoalError> {
        let Some(publisher) = self.feedback.get() else { return Err(GoalError::ServerClosed(id)) };
        let len = wire::with_id_len(feedback);
        Ok(publisher.publish_with(len, |bytes| wire::write_with_id(bytes, id, feedback))?)
    }
}

impl<A: Action> Shared<A> {
    pub(crate) fn open_status(
        self: &Arc<Self>,
        names: &ActionNames,
        group: &CallbackGroup,
    ) -> Result<Publisher<GoalStatusArray>, NodeError> {
        let shared = Arc::downgrade(self);
        let on_event = move |event: EndpointEvent| {
            if let (EndpointEvent::Matched { .. }, Some(shared)) = (event, shared.upgrade()) {
                shared.on_listener();
            }
        };
        let status = self.node.publisher(&names.status).qos(QoS::keep_last(1).transient_local());
        status.callback_group(group).on_event(on_event).create()
    }

    pub(crate) fn open_sweep(self: &Arc<Self>, group: &CallbackGroup) -> Result<Timer, NodeError> {
        let shared = Arc::downgrade(self);
        let sweep = move || {
            if let Some(shared) = shared.upgrade() {
                shared.sweep();
            }
        };
        let period = self.result_timeout.unwrap_or(SWEEP).clamp(Duration::from_millis(10), SWEEP);
        let timer = self.node.timer(period).clock(&Clock::steady()).callback_group(group).callback(sweep)?;
        timer.cancel();
        Ok(timer)
    }
}
