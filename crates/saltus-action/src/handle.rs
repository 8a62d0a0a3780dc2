//! A goal as the program that executes it knows it.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, Weak};

use saltus_cdr::{Action, Cdr, CdrError};
use saltus_node::{GenericResponder, PublishValueError, Sample};
use saltus_types::{Time, lock};

use crate::{GoalEvent, GoalId, GoalStatus, wire};

/// Why something can't be done with a goal.
#[derive(thiserror::Error)]
pub enum GoalError {
    /// Not in its present state.
    #[error("goal {goal} is {status}: {event:?} can't happen now")]
    Transition {
        /// Which goal.
        goal: GoalId,
        /// Its state.
        status: GoalStatus,
        /// What was wanted.
        event: GoalEvent,
    },
    /// It has ended: there is no feedback of it any more.
    #[error("goal {goal} is {status}: expected it to be active")]
    Ended {
        /// Which goal.
        goal: GoalId,
        /// Its state.
        status: GoalStatus,
    },
    /// The action server was dropped.
    #[error("the action server of goal {0} was closed")]
    ServerClosed(GoalId),
    /// A value does not fit its type, or could not be sent.
    #[error(transparent)]
    Publish(#[from] PublishValueError),
}

saltus_types::debug_as_display!(GoalError);

/// What a goal wants of the server that has accepted it.
pub(crate) trait GoalOwner<A: Action>: Send + Sync {
    /// Ends a goal with a result.
    fn end(&self, goal: &Arc<Goal<A>>, event: GoalEvent, result: A::Result) -> Result<(), GoalError>;

    /// Tells the states of all goals.
    fn publish_status(&self);

    /// Tells how far a goal is.
    fn publish_feedback(&self, goal: GoalId, feedback: &A::Feedback) -> Result<(), GoalError>;
}

/// A goal that was accepted, as its server keeps it.
pub(crate) struct Goal<A: Action> {
    pub(crate) id: GoalId,
    /// When it was accepted, by the node's clock.
    pub(crate) stamp: Time,
    /// The request that it came in; given back to the client's memory when the goal is forgotten or ended.
    request: Mutex<Option<Arc<Sample>>>,
    /// What the program that executes it has.
    live: OnceLock<Weak<Live<A>>>,
    pub(crate) state: Mutex<GoalState<A>>,
}

/// What changes of a goal.
pub(crate) struct GoalState<A: Action> {
    pub(crate) status: GoalStatus,
    /// What came of it, once it has ended.
    pub(crate) result: Option<A::Result>,
    /// Who has asked for that already.
    pub(crate) waiting: Vec<GenericResponder>,
}

impl<A: Action> Goal<A> {
    pub(crate) fn new(id: GoalId, stamp: Time, request: Sample) -> Self {
        let state = GoalState { status: GoalStatus::Accepted, result: None, waiting: Vec::new() };
        let request = Mutex::new(Some(Arc::new(request)));
        Self { id, stamp, request, live: OnceLock::new(), state: Mutex::new(state) }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, GoalState<A>> {
        lock(&self.state)
    }

    pub(crate) fn status(&self) -> GoalStatus {
        self.lock().status
    }

    fn request(&self) -> Option<Arc<Sample>> {
        lock(&self.request).clone()
    }

    /// The handle of the program that executes it, unless that has let go of it.
    pub(crate) fn handle(&self) -> Option<GoalHandle<A>> {
        self.live.get().and_then(Weak::upgrade).map(GoalHandle)
    }

    /// Takes the goal to its next state.
    pub(crate) fn step(&self, event: GoalEvent) -> Result<(), GoalError> {
        self.step_locked(&mut self.lock(), event)
    }

    pub(crate) fn step_locked(&self, state: &mut GoalState<A>, event: GoalEvent) -> Result<(), GoalError> {
        let after = state.status.after(event);
        state.status = after.ok_or(GoalError::Transition { goal: self.id, status: state.status, event })?;
        Ok(())
    }

    /// Lets go of the client's memory: the goal has ended.
    pub(crate) fn release_request(&self) {
        *lock(&self.request) = None;
    }
}

/// A goal in the hands of the program that executes it. Cheap to clone; may be used on any thread.
///
/// **Invariant:** a goal whose last handle is dropped before it has ended is canceled, if it was being
/// canceled, else aborted, with an empty result.
pub struct GoalHandle<A: Action>(Arc<Live<A>>);

struct Live<A: Action> {
    goal: Arc<Goal<A>>,
    /// Keeps the goal's bytes readable as long as there is a handle.
    request: Option<Arc<Sample>>,
    server: Weak<dyn GoalOwner<A>>,
}

impl<A: Action> Clone for GoalHandle<A> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<A: Action> std::fmt::Debug for GoalHandle<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GoalHandle").field("id", &self.id()).field("status", &self.status()).finish()
    }
}

impl<A: Action> Drop for Live<A> {
    fn drop(&mut self) {
        let event = match self.goal.status() {
            status if status.is_terminal() => return,
            GoalStatus::Canceling => GoalEvent::Canceled,
            GoalStatus::Accepted => {
                // An accepted goal has to be executed before it can be aborted.
                let _ = self.goal.step(GoalEvent::Execute);
                GoalEvent::Abort
            }
            _ => GoalEvent::Abort,
        };
        // If its server has gone nobody asks for a result any more.
        let _ = end(self, event, A::Result::default());
    }
}

fn end<A: Action>(live: &Live<A>, event: GoalEvent, result: A::Result) -> Result<(), GoalError> {
    let server = live.server.upgrade().ok_or(GoalError::ServerClosed(live.goal.id))?;
    server.end(&live.goal, event, result)
}

impl<A: Action> GoalHandle<A> {
    pub(crate) fn new(goal: Arc<Goal<A>>, server: Weak<dyn GoalOwner<A>>) -> Self {
        let request = goal.request();
        let live = Arc::new(Live { goal, request, server });
        // There is one for each goal.
        let _ = live.goal.live.set(Arc::downgrade(&live));
        Self(live)
    }

    /// Its identity.
    pub fn id(&self) -> GoalId {
        self.0.goal.id
    }

    /// When it was accepted, by the node's clock.
    pub fn stamp(&self) -> Time {
        self.0.goal.stamp
    }

    /// What the client wants, where it lies in shared memory.
    pub fn goal(&self) -> Result<<A::Goal as Cdr>::View<'_>, CdrError> {
        wire::view_with_id::<A::Goal>(self.bytes())
    }

    /// What the client wants, as a value.
    pub fn goal_value(&self) -> Result<A::Goal, CdrError> {
        wire::value_with_id(self.bytes())
    }

    fn bytes(&self) -> &[u8] {
        self.0.request.as_deref().map_or(&[], |sample| sample)
    }

    /// Its state now.
    pub fn status(&self) -> GoalStatus {
        self.0.goal.status()
    }

    /// Whether it is being canceled: what executes it should end it soon.
    pub fn is_canceling(&self) -> bool {
        self.status() == GoalStatus::Canceling
    }

    /// Whether it has not ended.
    pub fn is_active(&self) -> bool {
        !self.status().is_terminal()
    }

    /// Says that its execution begins.
    pub fn execute(&self) -> Result<(), GoalError> {
        let server = self.server()?;
        self.0.goal.step(GoalEvent::Execute)?;
        server.publish_status();
        Ok(())
    }

    /// Tells how far it is.
    pub fn publish_feedback(&self, feedback: &A::Feedback) -> Result<(), GoalError> {
        let status = self.status();
        if status.is_terminal() {
            return Err(GoalError::Ended { goal: self.id(), status });
        }
        self.server()?.publish_feedback(self.id(), feedback)
    }

    /// Ends it: it is done.
    pub fn succeed(&self, result: A::Result) -> Result<(), GoalError> {
        end(&self.0, GoalEvent::Succeed, result)
    }

    /// Ends it: it can't be done.
    pub fn abort(&self, result: A::Result) -> Result<(), GoalError> {
        end(&self.0, GoalEvent::Abort, result)
    }

    /// Ends it: the client has cancelled it, and the server has agreed.
    pub fn canceled(&self, result: A::Result) -> Result<(), GoalError> {
        end(&self.0, GoalEvent::Canceled, result)
    }

    fn server(&self) -> Result<Arc<dyn GoalOwner<A>>, GoalError> {
        self.0.server.upgrade().ok_or(GoalError::ServerClosed(self.id()))
    }
}
