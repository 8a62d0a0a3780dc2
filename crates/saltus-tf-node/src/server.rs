//! Looks up transforms for other processes.

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, OnceLock, Weak},
    task::{Context, Poll, Wake, Waker},
    time::{Duration, Instant},
};

use saltus_action::{ActionServer, CancelResponse, GoalHandle, GoalRequest, GoalResponse};
use saltus_msgs::tf2_msgs::{
    action::{LookupTransform, LookupTransform_Goal, LookupTransform_Result},
    msg::TF2Error,
};
use saltus_node::{CallbackGroupKind, Node, NodeError, Timer};
use saltus_tf::{Buffer, LookupError, StampedTransform, TransformFuture};
use saltus_types::{Time, lock};

use crate::messages::to_message;

/// How many lookups wait at most. More are not accepted.
const MOST_WAITING: usize = 1000;

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
    _serving: Arc<Serving>,
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
        let serving =
            Arc::new(Serving { buffer: buffer.clone(), waiting: Mutex::default(), timer: OnceLock::new() });
        // In one group, so that a goal is in the state canceling before the timer looks at it.
        let group = node.callback_group(CallbackGroupKind::MutuallyExclusive);
        let (due, asked, cancelled, accepted) =
            (Arc::downgrade(&serving), serving.clone(), serving.clone(), serving.clone());
        let timer =
            node.wall_timer(Duration::from_secs(3600)).callback_group(&group).callback(move || {
                if let Some(serving) = due.upgrade() {
                    serving.advance();
                }
            })?;
        timer.cancel();
        let _ = serving.timer.set(timer);
        let server = ActionServer::<LookupTransform>::on(node, name)
            .callback_group(&group)
            .on_goal(move |_: &GoalRequest<LookupTransform>| asked.answer())
            .on_cancel(move |_| {
                cancelled.look_in(Duration::ZERO);
                CancelResponse::Accept
            })
            .execute(move |goal| accepted.begin(goal))?;
        Ok(Self { _server: server, _serving: serving })
    }
}

struct Serving {
    buffer: Buffer,
    waiting: Mutex<Vec<Held>>,
    /// It is set when the first deadline of a lookup is reached.
    timer: OnceLock<Timer>,
}

/// A lookup that waits.
struct Held {
    goal: GoalHandle<LookupTransform>,
    request: LookupTransform_Goal,
    /// Those of the transforms that are not there yet.
    futures: Vec<TransformFuture>,
    /// `None` is a time that no clock reaches.
    deadline: Option<Instant>,
}

/// How a lookup has ended.
enum Ended {
    Canceled,
    Found(Box<StampedTransform>),
    Failed(LookupError),
}

/// Looks at the lookups when a transform is there. The buffer keeps it, and must not keep the server.
struct Look(Weak<Serving>);

impl Wake for Look {
    fn wake(self: Arc<Self>) {
        if let Some(serving) = self.0.upgrade() {
            serving.advance();
        }
    }
}

impl Serving {
    fn answer(&self) -> GoalResponse {
        match lock(&self.waiting).len() < MOST_WAITING {
            true => GoalResponse::AcceptAndExecute,
            false => GoalResponse::Reject,
        }
    }

    fn begin(self: &Arc<Self>, goal: GoalHandle<LookupTransform>) {
        // A goal that can't be read asks for frames without names.
        let request = goal.goal_value().unwrap_or_default();
        let futures = wait(&self.buffer, &request);
        let timeout = duration(&request);
        lock(&self.waiting).push(Held {
            goal,
            request,
            futures,
            deadline: Instant::now().checked_add(timeout),
        });
        self.advance();
    }

    /// Ends the lookups whose transforms are there, whose time is over, and that were cancelled.
    fn advance(self: &Arc<Self>) {
        let waker = Waker::from(Arc::new(Look(Arc::downgrade(self))));
        let mut context = Context::from_waker(&waker);
        let mut ended = Vec::new();
        let mut waiting = lock(&self.waiting);
        for mut held in std::mem::take(&mut *waiting) {
            match held.poll(&self.buffer, &mut context) {
                Some(how) => ended.push((held.goal, how)),
                None => waiting.push(held),
            }
        }
        let next = waiting.iter().filter_map(|held| held.deadline).min();
        drop(waiting);
        match next {
            Some(next) => self.look_in(next.saturating_duration_since(Instant::now())),
            None => self.timer.get().into_iter().for_each(Timer::cancel),
        }
        for (goal, how) in ended {
            // Its client may have left.
            let _ = match how {
                Ended::Canceled => goal.canceled(LookupTransform_Result::default()),
                Ended::Found(found) => goal
                    .succeed(LookupTransform_Result { transform: to_message(&found), ..Default::default() }),
                Ended::Failed(error) => {
                    goal.abort(LookupTransform_Result { error: message(&error), ..Default::default() })
                }
            };
        }
    }

    fn look_in(&self, time: Duration) {
        let Some(timer) = self.timer.get() else { return };
        let nanos = i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
        timer.reset_at(Time::from_nanos(timer.clock().now().as_nanos().saturating_add(nanos)));
    }
}

impl Held {
    /// Returns how the lookup has ended, if it has.
    fn poll(&mut self, buffer: &Buffer, context: &mut Context<'_>) -> Option<Ended> {
        if self.goal.is_canceling() {
            return Some(Ended::Canceled);
        }
        let mut failed = None;
        self.futures.retain_mut(|future| match Pin::new(future).poll(context) {
            Poll::Pending => true,
            Poll::Ready(found) => {
                failed = failed.take().or(found.err());
                false
            }
        });
        if let Some(error) = failed {
            return Some(Ended::Failed(error));
        }
        let is_over = self.deadline.is_some_and(|deadline| deadline <= Instant::now());
        if !self.futures.is_empty() && !is_over {
            return None;
        }
        let found = look_up(buffer, &self.request);
        Some(found.map_or_else(Ended::Failed, |found| Ended::Found(Box::new(found))))
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
