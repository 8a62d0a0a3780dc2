//! A server that looks up transforms for other processes.

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Weak},
    task::{Context, Poll, Wake, Waker},
    time::{Duration, Instant},
};

use saltus_action::{ActionServer, CancelResponse, GoalHandle, GoalRequest, GoalResponse};
use saltus_msgs::tf2_msgs::{
    action::{LookupTransform, LookupTransform_Goal, LookupTransform_Result},
    msg::TF2Error,
};
use saltus_node::{CallbackGroup, CallbackGroupKind, Node, NodeError, Timer};
use saltus_tf::{Buffer, LookupError, MAX_NAME_LENGTH, StampedTransform, TransformFuture};
use saltus_types::{Time, WeakSelf, try_new_cyclic};

use crate::{
    messages::to_message,
    pending::{Alarm, PendingItems},
};

/// The largest number of lookups that wait. Further goals are rejected.
const MAX_PENDING: usize = 1000;

/// Looks up transforms in a buffer for each [`BufferClient`](crate::BufferClient) of this name, with the action of ROS 2's
/// `tf2_ros::BufferServer`.
///
/// A lookup waits for its transform without a thread, until its timeout or until it is cancelled.
///
/// ```no_run
/// use saltus::tf::{Buffer, BufferServer, TransformListener};
/// let context = saltus::Context::new()?;
/// let node = context.node("tf_server").create()?;
/// let buffer = Buffer::default();
/// let _listener = TransformListener::new(&node, &buffer)?;
/// let _server = BufferServer::new(&node, &buffer, "tf2_buffer_server")?;
/// saltus::spin(&node)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BufferServer {
    _server: ActionServer<LookupTransform>,
    _state: Arc<BufferServerState>,
}

impl std::fmt::Debug for BufferServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BufferServer").finish_non_exhaustive()
    }
}

impl BufferServer {
    /// Opens the server.
    ///
    /// # Errors
    ///
    /// Returns an error if the action or a timer can't be opened.
    pub fn new(node: &Node, buffer: &Buffer, name: &str) -> Result<Self, NodeError> {
        // All callbacks are in one group. So only one of them at a time changes the lookups, and a goal is in the state canceling
        // before the timer polls it.
        let group = node.callback_group(CallbackGroupKind::MutuallyExclusive);
        let state = try_new_cyclic(|state| {
            let timer = open_timer(state, node, &group)?;
            Ok::<_, NodeError>(BufferServerState {
                buffer: buffer.clone(),
                pending: PendingItems::new(),
                timer,
            })
        })?;
        let (requested, cancelled, accepted) = (state.clone(), state.clone(), state.clone());
        let server = ActionServer::<LookupTransform>::on(node, name)
            .callback_group(&group)
            .on_goal(move |request: &GoalRequest<LookupTransform>| requested.accept(request))
            .on_cancel(move |_| {
                cancelled.pending.wake(&cancelled.timer);
                CancelResponse::Accept
            })
            .execute(move |goal| accepted.start(goal))?;
        Ok(Self { _server: server, _state: state })
    }
}

/// Opens the timer that is due when lookups must be polled. It is stopped.
fn open_timer(
    state: &WeakSelf<BufferServerState>,
    node: &Node,
    group: &CallbackGroup,
) -> Result<Timer, NodeError> {
    let state = state.clone();
    let advance = move || state.upgrade().iter().for_each(BufferServerState::advance);
    let timer = node.wall_timer(Duration::from_secs(3600)).callback_group(group).callback(advance)?;
    timer.cancel();
    Ok(timer)
}

/// The state of a server, which its callbacks share.
struct BufferServerState {
    buffer: Buffer,
    pending: PendingItems<PendingLookup>,
    /// The timer that is due when lookups must be polled.
    timer: Timer,
}

impl Alarm for Timer {
    fn set(&self, time: Option<Duration>) {
        let Some(time) = time else { return self.cancel() };
        let nanos = i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
        self.reset_at(Time::from_nanos(self.clock().now().as_nanos().saturating_add(nanos)));
    }
}

/// A lookup that waits for its transforms.
struct PendingLookup {
    goal: GoalHandle<LookupTransform>,
    request: LookupTransform_Goal,
    /// The futures of the transforms that are not there yet.
    futures: Vec<TransformFuture>,
    /// The time at which the lookup fails. `None` if it is too late for the clock.
    deadline: Option<Instant>,
}

/// The outcome of a lookup.
enum Outcome {
    Canceled,
    Found(Box<StampedTransform>),
    Failed(LookupError),
}

/// A waker that polls the lookups when a transform is there. The buffer owns it, so it has only a weak reference to the server.
///
/// The thread that sets the transform must not do the work of the server, so it only sets the timer.
struct LookupWaker(Weak<BufferServerState>);

impl Wake for LookupWaker {
    fn wake(self: Arc<Self>) {
        if let Some(state) = self.0.upgrade() {
            state.pending.wake(&state.timer);
        }
    }
}

impl BufferServerState {
    /// Accepts or rejects a goal.
    fn accept(&self, request: &GoalRequest<LookupTransform>) -> GoalResponse {
        let is_possible = request.view().is_ok_and(|goal| {
            let names = [goal.target_frame(), goal.source_frame(), goal.fixed_frame()];
            names.iter().all(|name| name.len() <= MAX_NAME_LENGTH)
        });
        match is_possible && self.pending.count() < MAX_PENDING {
            true => GoalResponse::AcceptAndExecute,
            false => GoalResponse::Reject,
        }
    }

    /// Starts a lookup. Ends it at once if the transform is there.
    fn start(self: &Arc<Self>, goal: GoalHandle<LookupTransform>) {
        let Ok(request) = goal.goal_value() else {
            let _ = goal.abort(LookupTransform_Result::default());
            return;
        };
        let futures = wait(&self.buffer, &request);
        let deadline = Instant::now().checked_add(duration(&request));
        let mut lookup = PendingLookup { goal, request, futures, deadline };
        let waker = self.waker();
        match lookup.poll(&self.buffer, &mut Context::from_waker(&waker)) {
            Some(outcome) => lookup.end(outcome),
            None => self.add(vec![lookup]),
        }
    }

    /// Polls all lookups. Ends those whose transforms are there, whose time is over, or that were cancelled.
    fn advance(self: &Arc<Self>) {
        let waker = self.waker();
        let mut context = Context::from_waker(&waker);
        let lookups = self.pending.take();
        let mut kept = Vec::with_capacity(lookups.len());
        for mut lookup in lookups {
            match lookup.poll(&self.buffer, &mut context) {
                Some(outcome) => lookup.end(outcome),
                None => kept.push(lookup),
            }
        }
        self.add(kept);
    }

    fn waker(self: &Arc<Self>) -> Waker {
        Waker::from(Arc::new(LookupWaker(Arc::downgrade(self))))
    }

    /// Adds lookups to those that wait, and sets the timer to the first deadline.
    fn add(&self, lookups: Vec<PendingLookup>) {
        let next = |all: &[PendingLookup]| {
            let first = all.iter().filter_map(|lookup| lookup.deadline).min();
            first.map(|first| first.saturating_duration_since(Instant::now()))
        };
        self.pending.add(lookups, next, &self.timer);
    }
}

impl PendingLookup {
    /// Returns the outcome of the lookup, if it has ended.
    fn poll(&mut self, buffer: &Buffer, context: &mut Context<'_>) -> Option<Outcome> {
        if self.goal.is_canceling() {
            return Some(Outcome::Canceled);
        }
        let is_over = self.deadline.is_some_and(|deadline| deadline <= Instant::now());
        loop {
            let mut has_failed = false;
            self.futures.retain_mut(|future| match Pin::new(future).poll(context) {
                Poll::Pending => true,
                Poll::Ready(found) => {
                    has_failed |= found.is_err();
                    false
                }
            });
            if !self.futures.is_empty() && !has_failed && !is_over {
                return None;
            }
            match look_up(buffer, &self.request) {
                Ok(found) => return Some(Outcome::Found(Box::new(found))),
                Err(error) if has_failed || is_over => return Some(Outcome::Failed(error)),
                // A transform that was there has been removed meanwhile.
                Err(_) => self.futures = wait(buffer, &self.request),
            }
        }
    }

    /// Sends the result. Its client may have left.
    fn end(self, outcome: Outcome) {
        let _ = match outcome {
            Outcome::Canceled => self.goal.canceled(LookupTransform_Result::default()),
            Outcome::Found(found) => self
                .goal
                .succeed(LookupTransform_Result { transform: to_message(&found), ..Default::default() }),
            Outcome::Failed(error) => {
                self.goal.abort(LookupTransform_Result { error: message(&error), ..Default::default() })
            }
        };
    }
}

/// Returns futures for the transforms that a lookup needs.
fn wait(buffer: &Buffer, request: &LookupTransform_Goal) -> Vec<TransformFuture> {
    let LookupTransform_Goal { target_frame, source_frame, fixed_frame, .. } = request;
    let source_time = request.source_time.into();
    match request.advanced {
        true => vec![
            buffer.wait(target_frame, fixed_frame, request.target_time.into()),
            buffer.wait(fixed_frame, source_frame, source_time),
        ],
        false => vec![buffer.wait(target_frame, source_frame, source_time)],
    }
}

fn look_up(buffer: &Buffer, request: &LookupTransform_Goal) -> Result<StampedTransform, LookupError> {
    let LookupTransform_Goal { target_frame, source_frame, fixed_frame, .. } = request;
    let source_time = request.source_time.into();
    match request.advanced {
        true => buffer.lookup_across(
            target_frame,
            request.target_time.into(),
            source_frame,
            source_time,
            fixed_frame,
        ),
        false => buffer.lookup(target_frame, source_frame, source_time),
    }
}

fn duration(request: &LookupTransform_Goal) -> Duration {
    let seconds = u64::try_from(request.timeout.sec).unwrap_or(0);
    if request.timeout.sec < 0 {
        Duration::ZERO
    } else {
        Duration::new(seconds, 0) + Duration::from_nanos(request.timeout.nanosec.into())
    }
}

fn message(error: &LookupError) -> TF2Error {
    let code = match error {
        LookupError::InvalidArgument { .. } => TF2Error::INVALID_ARGUMENT_ERROR,
        LookupError::UnknownFrame { .. } => TF2Error::LOOKUP_ERROR,
        LookupError::Connectivity { .. } => TF2Error::CONNECTIVITY_ERROR,
        LookupError::Extrapolation { .. } => TF2Error::EXTRAPOLATION_ERROR,
    };
    TF2Error { error: code, error_string: error.to_string() }
}
