//! The goals of an action server: accepting, canceling and ending them, publishing their states, and removing them.

use std::{
    collections::{HashMap, VecDeque, hash_map::Entry},
    sync::{Arc, Mutex, MutexGuard, Weak},
    time::Duration,
};

use saltus_cdr::{Cdr, CdrError};
use saltus_msgs::{
    action_msgs::{
        msg::{GoalInfo, GoalStatus as StatusMessage, GoalStatusArray},
        srv::{CancelGoal_Request, CancelGoal_Response},
    },
    builtin_interfaces::msg::Time as TimeMessage,
};
use saltus_node::{
    CallbackGroup, Clock, EndpointEvent, GenericPublisher, GenericResponder, Node, NodeError, Publisher,
    RespondError, Sample, Timer, monotonic_now,
};
use saltus_types::{QoS, Time, WeakSelf, lock};

use crate::{
    ActionKind, ActionNames, ActionQos, ActionTypes, CancelResponse, GoalError, GoalEvent, GoalId,
    GoalRequest, GoalResponse, GoalStatus,
    handle::{Goal, GoalHandle, GoalServer},
    wire,
};

/// The longest period of the timer that removes expired results. A client never gets an expired result, because each
/// request for a result removes them first. So the period only limits how long an expired result takes memory.
const EXPIRY_PERIOD: Duration = Duration::from_secs(1);
/// The largest number of results that are kept after they were sent to a client, and their largest size in bytes.
/// Beyond either limit the oldest are removed. If a client requests a removed result again, the server answers that
/// the goal is unknown, as for an expired result.
const MAX_DELIVERED: usize = 64;
const MAX_DELIVERED_BYTES: usize = 4 << 20;
/// The largest number of ids that are kept of unknown goals that a client wanted to cancel.
const MAX_EARLY: usize = 64;

pub(crate) type OnGoal<K> = Box<dyn FnMut(&GoalRequest<'_, K>) -> GoalResponse + Send>;
pub(crate) type OnCancel<K> = Box<dyn FnMut(&GoalHandle<K>) -> CancelResponse + Send>;
/// Called when a goal has begun to be canceled.
pub(crate) type OnCanceling<K> = Box<dyn FnMut(&GoalHandle<K>) + Send>;
/// Returns the result of a goal that has none.
pub(crate) type EmptyResult<K> = Box<dyn Fn() -> <K as ActionKind>::Result + Send + Sync>;
pub(crate) type OnAccepted<K> = Box<dyn FnMut(GoalHandle<K>) + Send>;

/// The settings and the callbacks of an action server.
pub(crate) struct ServerOptions<K: ActionKind> {
    pub(crate) node: Node,
    pub(crate) group: CallbackGroup,
    pub(crate) result_timeout: Option<Duration>,
    pub(crate) types: ActionTypes,
    pub(crate) qos: ActionQos,
    /// Returns the result of a goal that the program does not end, and of an unknown goal.
    pub(crate) empty_result: EmptyResult<K>,
    pub(crate) on_goal: OnGoal<K>,
    pub(crate) on_cancel: OnCancel<K>,
    pub(crate) on_canceling: OnCanceling<K>,
}

/// The handle of an accepted goal, and the decision that accepted it.
type Accepted<K> = (GoalHandle<K>, GoalResponse);

/// The goals of a server.
pub(crate) struct Goals<K: ActionKind> {
    pub(crate) all: HashMap<GoalId, Arc<Goal<K>>>,
    /// The goals that have ended, each with the time of its end in monotonic nanoseconds, oldest first. Some of them
    /// may be removed from `all` already.
    ended: VecDeque<(u64, Weak<Goal<K>>)>,
    /// The results that were sent to a client, each with its size in bytes, oldest first.
    delivered: VecDeque<(GoalId, usize)>,
    delivered_bytes: usize,
    /// The unknown goals that a client wanted to cancel, oldest first. A request to cancel may be served before the goal, which was
    /// sent before it: they are requests of two services.
    early: VecDeque<GoalId>,
}

/// The progress of publishing the states of goals.
struct Publication {
    /// Whether the present states are not published yet, because there was no subscription.
    is_pending: bool,
    /// Whether states were ever published.
    has_published: bool,
}

/// The state of an action server, which its services, publishers and timer share.
pub(crate) struct ActionServerState<K: ActionKind> {
    pub(crate) node: Node,
    pub(crate) action: String,
    result_timeout: Option<Duration>,
    goals: Mutex<Goals<K>>,
    on_goal: Mutex<OnGoal<K>>,
    on_cancel: Mutex<OnCancel<K>>,
    on_canceling: Mutex<OnCanceling<K>>,
    on_accepted: Mutex<OnAccepted<K>>,
    empty_result: EmptyResult<K>,
    feedback: GenericPublisher,
    status: Publisher<GoalStatusArray>,
    publication: Mutex<Publication>,
    expiry_timer: Timer,
}

impl<K: ActionKind> ActionServerState<K> {
    /// Creates the state of a server without goals. Opens its publishers and its timer. Its services are not open yet.
    pub(crate) fn open(
        state: &WeakSelf<Self>,
        options: ServerOptions<K>,
        action: String,
        on_accepted: OnAccepted<K>,
    ) -> Result<Self, NodeError> {
        let ServerOptions { node, group, result_timeout, types, qos, empty_result, .. } = options;
        let names = ActionNames::of(&action);
        let goals = Goals {
            all: HashMap::new(),
            ended: VecDeque::new(),
            delivered: VecDeque::new(),
            delivered_bytes: 0,
            early: VecDeque::new(),
        };
        Ok(Self {
            feedback: node.generic_publisher(&names.feedback, &types.feedback, qos.feedback)?,
            status: open_status(state, &node, &names, qos.status, &group)?,
            publication: Mutex::new(Publication { is_pending: true, has_published: false }),
            expiry_timer: open_expiry_timer(state, &node, result_timeout, &group)?,
            node,
            action,
            result_timeout,
            goals: Mutex::new(goals),
            empty_result,
            on_goal: Mutex::new(options.on_goal),
            on_cancel: Mutex::new(options.on_cancel),
            on_canceling: Mutex::new(options.on_canceling),
            on_accepted: Mutex::new(on_accepted),
        })
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Goals<K>> {
        lock(&self.goals)
    }

    /// Accepts or rejects a goal, and sends the response to the client. Then passes an accepted goal to the program.
    pub(crate) fn receive_goal(self: &Arc<Self>, request: Sample, responder: GenericResponder) {
        let accepted = match Self::accept(self, request) {
            Ok(accepted) => accepted,
            Err(error) => {
                // Dropping the responder notifies the client that there is no response.
                saltus_node::error!(
                    self.node.logger(),
                    "action '{}': can't read a goal: {error}",
                    self.action
                );
                return;
            }
        };
        let stamp = accepted.as_ref().map_or(Time::from_nanos(0), |(handle, _)| handle.stamp());
        self.respond(responder, &(accepted.is_some(), TimeMessage::from(stamp)));
        if let Some((handle, response)) = accepted {
            match response {
                GoalResponse::AcceptAndExecute => {
                    // This fails if the goal was canceled meanwhile. The goal then stays in its state.
                    let _ = handle.execute();
                }
                _ => self.publish_status(),
            }
            self.cancel_early(handle.id());
            lock(&self.on_accepted)(handle);
        }
    }

    /// Cancels a goal that was just accepted, if a client has wanted that before.
    fn cancel_early(&self, id: GoalId) {
        let goal = {
            let mut goals = self.lock();
            let Some(index) = goals.early.iter().position(|early| *early == id) else { return };
            goals.early.remove(index);
            goals.all.get(&id).cloned()
        };
        if goal.is_some_and(|goal| self.try_cancel(&goal)) {
            self.publish_status();
        }
    }

    /// Calls the goal callback. If it accepts the goal, adds the goal and returns its handle. The handle is created
    /// before the goal is added, because canceling a goal needs the handle.
    fn accept(self: &Arc<Self>, request: Sample) -> Result<Option<Accepted<K>>, CdrError> {
        let (id, _) = wire::read_id(&request)?;
        K::check_goal(&request)?;
        if self.lock().all.contains_key(&id) {
            return Ok(None);
        }
        let goal_request = GoalRequest::new(id, &request);
        let response = lock(&self.on_goal)(&goal_request);
        if response == GoalResponse::Reject {
            return Ok(None);
        }
        let stamp = self.node.clock().now();
        // The goal may have been sent twice, and accepted by another thread meanwhile.
        match self.lock().all.entry(id) {
            Entry::Occupied(_) => Ok(None),
            Entry::Vacant(entry) => {
                let server: Weak<Self> = Arc::downgrade(self);
                let handle = GoalHandle::accept(id, stamp, request, server);
                entry.insert(handle.goal_data().clone());
                Ok(Some((handle, response)))
            }
        }
    }

    /// Sends a response of two fields.
    fn respond<X: Cdr, Y: Cdr>(&self, responder: GenericResponder, (first, second): &(X, Y)) {
        let sent = responder
            .send_with(wire::pair_len(first, second), |bytes| wire::write_pair(bytes, first, second));
        self.check_sent(sent);
    }

    /// Logs an error if a response could not be sent. Returns whether it was sent.
    fn check_sent(&self, sent: Result<(), RespondError>) -> bool {
        match sent {
            Ok(()) => true,
            Err(RespondError::ClientGone) => false,
            Err(error) => {
                saltus_node::error!(self.node.logger(), "action '{}': can't respond: {error}", self.action);
                false
            }
        }
    }

    /// Sends a result to a client, now or when the goal has ended.
    pub(crate) fn send_result(&self, request: &Sample, responder: GenericResponder) {
        let id = match wire::read_id(request) {
            Ok((id, _)) => id,
            Err(error) => {
                saltus_node::error!(
                    self.node.logger(),
                    "action '{}': can't read a request for a result: {error}",
                    self.action
                );
                return;
            }
        };
        self.remove_expired();
        let goal = self.lock().all.get(&id).cloned();
        let Some(goal) = goal else {
            let empty = (self.empty_result)();
            self.send(responder, GoalStatus::Unknown, &empty);
            return;
        };
        let mut state = goal.lock();
        match &state.result {
            None => state.waiting.push(responder),
            Some(result) => {
                let len = K::result_len(result);
                let is_delivered = self.send(responder, state.status, result);
                drop(state);
                if is_delivered {
                    self.note_delivered(id, len);
                }
            }
        }
    }

    /// Sends a result to a client. Returns whether it was sent.
    fn send(&self, responder: GenericResponder, status: GoalStatus, result: &K::Result) -> bool {
        let write = |bytes: &mut [u8]| K::write_result(bytes, status, result);
        self.check_sent(responder.send_with(K::result_len(result), write))
    }

    /// Notes that a result was sent to a client. Removes the oldest sent results beyond the limits. This result may
    /// be removed when the next one is sent.
    fn note_delivered(&self, id: GoalId, len: usize) {
        let mut goals = self.lock();
        let goals = &mut *goals;
        if goals.delivered.iter().any(|(other, _)| *other == id) {
            return;
        }
        goals.delivered.push_back((id, len));
        goals.delivered_bytes += len;
        let is_too_much = |goals: &Goals<K>| {
            goals.delivered.len() > MAX_DELIVERED || goals.delivered_bytes > MAX_DELIVERED_BYTES
        };
        // The newest result is always kept: its client may have stopped waiting before it was sent.
        while goals.delivered.len() > 1 && is_too_much(goals) {
            let Some((oldest, len)) = goals.delivered.pop_front() else { break };
            goals.delivered_bytes -= len;
            goals.all.remove(&oldest);
        }
    }

    /// Removes the goals whose results have expired. Returns whether there are ended goals that will expire later.
    fn remove_expired(&self) -> bool {
        let Some(timeout) = self.result_timeout else { return false };
        let now = monotonic_now();
        let timeout = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
        let mut goals = self.lock();
        let Goals { all, ended, delivered, delivered_bytes, .. } = &mut *goals;
        while let Some((_, goal)) =
            ended.pop_front_if(|(ended_at, _)| now >= ended_at.saturating_add(timeout))
        {
            // The goal may be removed already, and another goal may have its id by now.
            let Some(goal) = goal.upgrade() else { continue };
            let id = goal.id;
            if all.get(&id).is_none_or(|known| !Arc::ptr_eq(known, &goal)) {
                continue;
            }
            all.remove(&id);
            if let Some(index) = delivered.iter().position(|(other, _)| *other == id) {
                *delivered_bytes -= delivered.remove(index).map_or(0, |(_, len)| len);
            }
        }
        !ended.is_empty()
    }

    /// Cancels the goals that a request selects, as far as the cancel callback accepts that.
    pub(crate) fn cancel(&self, request: &CancelGoal_Request) -> CancelGoal_Response {
        let selection = &request.goal_info;
        let (id, stamp) = (GoalId::from(selection.goal_id), Time::from(selection.stamp).as_nanos());
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
        let info = |goal: Arc<Goal<K>>| GoalInfo { goal_id: goal.id.into(), stamp: goal.stamp.into() };
        let goals_canceling = canceled.into_iter().map(info).collect();
        CancelGoal_Response { return_code: CancelGoal_Response::ERROR_NONE, goals_canceling }
    }

    /// Returns the goals that a request to cancel selects, oldest first. Returns an error code if the request selects
    /// a single goal that is unknown or has ended.
    ///
    /// Source: `action_msgs/srv/CancelGoal`. A request without id and time selects all goals. A time selects the goals
    /// that were accepted at that time or before. An id selects that goal. An id and a time select that goal, and the
    /// goals that were accepted at that time or before.
    fn candidates(&self, id: GoalId, stamp: i64) -> Result<Vec<Arc<Goal<K>>>, i8> {
        let mut goals = self.lock();
        if id != GoalId::ZERO && stamp == 0 {
            let Some(goal) = goals.all.get(&id) else {
                goals.early.push_back(id);
                if goals.early.len() > MAX_EARLY {
                    goals.early.pop_front();
                }
                return Err(CancelGoal_Response::ERROR_UNKNOWN_GOAL_ID);
            };
            if goal.status().is_terminal() {
                return Err(CancelGoal_Response::ERROR_GOAL_TERMINATED);
            }
            return Ok(vec![goal.clone()]);
        }
        let is_selected = |goal: &Arc<Goal<K>>| {
            (id == GoalId::ZERO && stamp == 0)
                || goal.id == id
                || (stamp != 0 && goal.stamp.as_nanos() <= stamp)
        };
        let mut selected: Vec<_> = goals.all.values().filter(|goal| is_selected(goal)).cloned().collect();
        selected.retain(|goal| goal.status().after(GoalEvent::CancelGoal).is_some());
        selected.sort_by_key(|goal| goal.stamp.as_nanos());
        Ok(selected)
    }

    /// Cancels a goal if the cancel callback accepts that. Returns whether the goal is being canceled. The callback is
    /// not called for a goal that is being canceled already.
    fn try_cancel(&self, goal: &Arc<Goal<K>>) -> bool {
        if goal.status() == GoalStatus::Canceling {
            return true;
        }
        let Some(handle) = goal.handle() else { return false };
        let is_accepted = lock(&self.on_cancel)(&handle) == CancelResponse::Accept;
        let is_canceling = is_accepted && goal.apply(GoalEvent::CancelGoal).is_ok();
        if is_canceling {
            lock(&self.on_canceling)(&handle);
        }
        is_canceling
    }

    /// Publishes the states if that is pending. Called when the number of subscriptions to the states changes.
    pub(crate) fn on_matched(&self) {
        let is_pending = lock(&self.publication).is_pending;
        if is_pending {
            self.publish_status();
        }
    }

    /// The callback of the timer. Removes expired results, and stops the timer if no result is left that will expire.
    fn on_expiry_timer(&self) {
        // The timer is stopped before the check. If a goal ends during the check, `end` starts the timer again.
        self.expiry_timer.cancel();
        if self.remove_expired() {
            self.expiry_timer.reset();
        }
    }
}

impl<K: ActionKind> GoalServer<K> for ActionServerState<K> {
    fn end(&self, goal: &Arc<Goal<K>>, event: GoalEvent, result: K::Result) -> Result<(), GoalError> {
        let mut state = goal.lock();
        goal.apply_locked(&mut state, event)?;
        let len = K::result_len(&result);
        let waiting = std::mem::take(&mut state.waiting);
        let mut is_delivered = false;
        for responder in waiting {
            is_delivered |= self.send(responder, state.status, &result);
        }
        state.result = Some(result);
        drop(state);
        if self.result_timeout.is_some() {
            self.lock().ended.push_back((monotonic_now(), Arc::downgrade(goal)));
        }
        goal.release_request();
        // The state is published before `note_delivered`, after which the goal may be removed.
        self.publish_status();
        if is_delivered {
            self.note_delivered(goal.id, len);
        }
        if self.expiry_timer.is_cancelled() {
            self.expiry_timer.reset();
        }
        Ok(())
    }

    /// Publishes the states of all goals. As long as the topic never had a subscription, only marks this as pending:
    /// the states are published when the first subscription is matched. After that, every change is published, even
    /// if there is no subscription.
    fn publish_status(&self) {
        // The lock is held until the message is published. So messages are published one after the other, each with the
        // present states. A late subscription gets the last message, which must have the latest states.
        let mut publication = lock(&self.publication);
        publication.is_pending = true;
        if !publication.has_published && self.status.subscription_count() == 0 {
            return;
        }
        (publication.is_pending, publication.has_published) = (false, true);
        let mut goals: Vec<Arc<Goal<K>>> = self.lock().all.values().cloned().collect();
        goals.sort_by_key(|goal| goal.stamp.as_nanos());
        let of = |goal: &Arc<Goal<K>>| StatusMessage {
            goal_info: GoalInfo { goal_id: goal.id.into(), stamp: goal.stamp.into() },
            status: goal.status() as i8,
        };
        let message = GoalStatusArray { status_list: goals.iter().map(of).collect() };
        if let Err(error) = self.status.publish(&message) {
            saltus_node::error!(
                self.node.logger(),
                "action '{}': can't publish the states of goals: {error}",
                self.action
            );
        }
    }

    fn empty_result(&self) -> K::Result {
        (self.empty_result)()
    }

    fn feedback(&self) -> &GenericPublisher {
        &self.feedback
    }
}

/// Opens the publisher of states.
fn open_status<K: ActionKind>(
    state: &WeakSelf<ActionServerState<K>>,
    node: &Node,
    names: &ActionNames,
    qos: QoS,
    group: &CallbackGroup,
) -> Result<Publisher<GoalStatusArray>, NodeError> {
    let state = state.clone();
    let on_event = move |event: EndpointEvent| {
        if let (EndpointEvent::Matched { .. }, Some(state)) = (event, state.upgrade()) {
            state.on_matched();
        }
    };
    let status = node.publisher(&names.status).qos(qos);
    status.callback_group(group).on_event(on_event).create()
}

/// Opens the timer that removes expired results. It is stopped until a goal has ended.
fn open_expiry_timer<K: ActionKind>(
    state: &WeakSelf<ActionServerState<K>>,
    node: &Node,
    result_timeout: Option<Duration>,
    group: &CallbackGroup,
) -> Result<Timer, NodeError> {
    let state = state.clone();
    let expire = move || state.upgrade().iter().for_each(|state| state.on_expiry_timer());
    let period = result_timeout.unwrap_or(EXPIRY_PERIOD).clamp(Duration::from_millis(10), EXPIRY_PERIOD);
    let timer = node.timer(period).clock(&Clock::steady()).callback_group(group).callback(expire)?;
    timer.cancel();
    Ok(timer)
}
