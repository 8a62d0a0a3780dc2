//! The handle with which a program executes a goal.

use std::sync::{Arc, Mutex, MutexGuard, Weak};

use saltus_cdr::{Action, Cdr, CdrError};
use saltus_node::{GenericPublisher, GenericResponder, PublishValueError, Sample};
use saltus_types::{Time, lock};

use crate::{ActionKind, AnyAction, GoalEvent, GoalId, GoalStatus, wire};

/// Why an operation on a goal failed.
#[derive(thiserror::Error)]
pub enum GoalError {
    /// The event is not allowed in the state of the goal.
    #[error("goal {goal} is {status}: the event {event:?} is not allowed in this state")]
    Transition {
        /// The id of the goal.
        goal: GoalId,
        /// The state of the goal.
        status: GoalStatus,
        /// The event.
        event: GoalEvent,
    },
    /// The goal has ended, so no feedback on it can be published.
    #[error("goal {goal} is {status}: can't publish feedback on a goal that has ended")]
    Ended {
        /// The id of the goal.
        goal: GoalId,
        /// The state of the goal.
        status: GoalStatus,
    },
    /// The action server was dropped.
    #[error("the action server of goal {0} was closed")]
    ServerClosed(GoalId),
    /// The feedback does not fit its type, or could not be sent.
    #[error(transparent)]
    Publish(#[from] PublishValueError),
}

saltus_types::debug_as_display!(GoalError);

/// The operations of a server that its goal handles use.
pub(crate) trait GoalServer<K: ActionKind>: Send + Sync {
    /// Ends a goal, and sends the result to the clients that have requested it.
    fn end(&self, goal: &Arc<Goal<K>>, event: GoalEvent, result: K::Result) -> Result<(), GoalError>;

    /// Publishes the states of all goals.
    fn publish_status(&self);

    /// Returns the result of a goal that the program has not ended.
    fn empty_result(&self) -> K::Result;

    /// Returns the publisher of feedback.
    fn feedback(&self) -> &GenericPublisher;
}

/// The data that a server keeps of an accepted goal.
pub(crate) struct Goal<K: ActionKind> {
    pub(crate) id: GoalId,
    /// When the goal was accepted, by the node's clock.
    pub(crate) stamp: Time,
    /// The request that contained the goal, in the client's memory. This reference is dropped when the goal ends.
    request: Mutex<Option<Arc<Sample>>>,
    /// The state that the handles of the goal share. The program owns the handles, so it may have dropped them all.
    handle: Weak<GoalHandleCore<K>>,
    pub(crate) state: Mutex<GoalState<K>>,
}

/// The part of a goal that changes.
pub(crate) struct GoalState<K: ActionKind> {
    pub(crate) status: GoalStatus,
    /// The result, once the goal has ended.
    pub(crate) result: Option<K::Result>,
    /// The responders of the clients that have requested the result and wait for it.
    pub(crate) waiting: Vec<GenericResponder>,
}

impl<K: ActionKind> Goal<K> {
    pub(crate) fn lock(&self) -> MutexGuard<'_, GoalState<K>> {
        lock(&self.state)
    }

    pub(crate) fn status(&self) -> GoalStatus {
        self.lock().status
    }

    /// Returns a handle of the goal, or `None` if the program has dropped all handles.
    pub(crate) fn handle(&self) -> Option<GoalHandle<K>> {
        self.handle.upgrade().map(GoalHandle)
    }

    /// Applies an event to the state of the goal.
    pub(crate) fn apply(&self, event: GoalEvent) -> Result<(), GoalError> {
        self.apply_locked(&mut self.lock(), event)
    }

    pub(crate) fn apply_locked(&self, state: &mut GoalState<K>, event: GoalEvent) -> Result<(), GoalError> {
        let after = state.status.after(event);
        state.status = after.ok_or(GoalError::Transition { goal: self.id, status: state.status, event })?;
        Ok(())
    }

    /// Drops the reference to the request, because the goal has ended and the client needs its memory back.
    pub(crate) fn release_request(&self) {
        *lock(&self.request) = None;
    }
}

/// The handle with which a program executes a goal. Cheap to clone. May be used on any thread.
///
/// **Invariant:** if the last handle is dropped before the goal has ended, the goal ends with an empty result. It is
/// canceled if it was being canceled, and aborted otherwise.
pub struct GoalHandle<K: ActionKind>(Arc<GoalHandleCore<K>>);

struct GoalHandleCore<K: ActionKind> {
    goal: Arc<Goal<K>>,
    /// Keeps the goal's bytes readable as long as a handle exists.
    request: Arc<Sample>,
    server: Weak<dyn GoalServer<K>>,
}

impl<K: ActionKind> Clone for GoalHandle<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K: ActionKind> std::fmt::Debug for GoalHandle<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GoalHandle").field("id", &self.id()).field("status", &self.status()).finish()
    }
}

impl<K: ActionKind> Drop for GoalHandleCore<K> {
    fn drop(&mut self) {
        let event = match self.goal.status() {
            status if status.is_terminal() => return,
            GoalStatus::Canceling => GoalEvent::Canceled,
            GoalStatus::Accepted => {
                // An accepted goal has to be executed before it can be aborted.
                let _ = self.goal.apply(GoalEvent::Execute);
                GoalEvent::Abort
            }
            _ => GoalEvent::Abort,
        };
        // An error is ignored: if the server was closed, no client can request the result any more.
        if let Some(server) = self.server.upgrade() {
            let _ = server.end(&self.goal, event, server.empty_result());
        }
    }
}

fn end<K: ActionKind>(
    handle: &GoalHandleCore<K>,
    event: GoalEvent,
    result: K::Result,
) -> Result<(), GoalError> {
    let server = handle.server.upgrade().ok_or(GoalError::ServerClosed(handle.goal.id))?;
    server.end(&handle.goal, event, result)
}

impl<K: ActionKind> GoalHandle<K> {
    /// Accepts a goal. Returns its first handle.
    pub(crate) fn accept(id: GoalId, stamp: Time, request: Sample, server: Weak<dyn GoalServer<K>>) -> Self {
        let request = Arc::new(request);
        let state = GoalState { status: GoalStatus::Accepted, result: None, waiting: Vec::new() };
        Self(Arc::new_cyclic(|handle| {
            let (handle, state) = (handle.clone(), Mutex::new(state));
            let goal = Goal { id, stamp, request: Mutex::new(Some(request.clone())), handle, state };
            GoalHandleCore { goal: Arc::new(goal), request, server }
        }))
    }

    /// Returns the data that the server keeps of the goal.
    pub(crate) fn goal_data(&self) -> &Arc<Goal<K>> {
        &self.0.goal
    }

    /// Returns the id of the goal.
    pub fn id(&self) -> GoalId {
        self.0.goal.id
    }

    /// Returns when the goal was accepted, by the node's clock.
    pub fn stamp(&self) -> Time {
        self.0.goal.stamp
    }

    /// Returns the `_SendGoal_Request` with the goal, in place in shared memory.
    pub fn request(&self) -> &Sample {
        &self.0.request
    }

    /// Returns the current state of the goal.
    pub fn status(&self) -> GoalStatus {
        self.0.goal.status()
    }

    /// Whether the goal is being canceled. The program should then end it soon.
    pub fn is_canceling(&self) -> bool {
        self.status() == GoalStatus::Canceling
    }

    /// Whether the goal has not ended.
    pub fn is_active(&self) -> bool {
        !self.status().is_terminal()
    }

    /// Begins the execution: changes the state to [`GoalStatus::Executing`] and publishes the states.
    pub fn execute(&self) -> Result<(), GoalError> {
        let server = self.server()?;
        self.0.goal.apply(GoalEvent::Execute)?;
        server.publish_status();
        Ok(())
    }

    /// Begins to cancel the goal, as if a client had requested it and the server had accepted that.
    pub fn cancel(&self) -> Result<(), GoalError> {
        let server = self.server()?;
        self.0.goal.apply(GoalEvent::CancelGoal)?;
        server.publish_status();
        Ok(())
    }

    /// Publishes a `_FeedbackMessage` of `len` bytes that `write` writes.
    fn publish_with(
        &self,
        len: usize,
        write: impl FnOnce(&mut [u8]) -> Result<(), CdrError>,
    ) -> Result<(), GoalError> {
        let status = self.status();
        if status.is_terminal() {
            return Err(GoalError::Ended { goal: self.id(), status });
        }
        let write = |bytes: &mut [u8]| Ok::<_, PublishValueError>(write(bytes)?);
        Ok(self.server()?.feedback().publish_with(len, write)?)
    }

    /// Ends the goal with success.
    pub fn succeed(&self, result: K::Result) -> Result<(), GoalError> {
        end(&self.0, GoalEvent::Succeed, result)
    }

    /// Ends the goal because it can't be done.
    pub fn abort(&self, result: K::Result) -> Result<(), GoalError> {
        end(&self.0, GoalEvent::Abort, result)
    }

    /// Ends the goal as canceled. This is allowed after a client has requested it and the server has accepted that.
    pub fn canceled(&self, result: K::Result) -> Result<(), GoalError> {
        end(&self.0, GoalEvent::Canceled, result)
    }

    fn server(&self) -> Result<Arc<dyn GoalServer<K>>, GoalError> {
        self.0.server.upgrade().ok_or(GoalError::ServerClosed(self.id()))
    }
}

impl<A: Action> GoalHandle<A> {
    /// Returns a view of the goal in place, in shared memory.
    pub fn goal(&self) -> Result<<A::Goal as Cdr>::View<'_>, CdrError> {
        wire::view_with_id::<A::Goal>(self.request())
    }

    /// Returns the goal as an owned value.
    pub fn goal_value(&self) -> Result<A::Goal, CdrError> {
        wire::value_with_id(self.request())
    }

    /// Publishes feedback on the goal.
    pub fn publish_feedback(&self, feedback: &A::Feedback) -> Result<(), GoalError> {
        let id = self.id();
        self.publish_with(wire::with_id_len(feedback), |bytes| wire::write_with_id(bytes, id, feedback))
    }
}

impl GoalHandle<AnyAction> {
    /// Publishes feedback on the goal: a serialized `_FeedbackMessage`. The id of the goal is set in it.
    pub fn publish_serialized_feedback(&self, message: &[u8]) -> Result<(), GoalError> {
        let id = self.id();
        self.publish_with(message.len(), |bytes| {
            bytes.copy_from_slice(message);
            wire::set_id(bytes, id)
        })
    }
}
