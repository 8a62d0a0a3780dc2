//! The requests on which a program decides: goals that clients send, and requests to cancel them.

use saltus_cdr::{Action, Cdr, CdrError};

use crate::{GoalId, wire};

/// The decision on a goal that a client has sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalResponse {
    /// The goal is rejected.
    Reject,
    /// The goal is accepted, and its execution begins at once.
    AcceptAndExecute,
    /// The goal is accepted. Its execution begins when the program calls
    /// [`GoalHandle::execute`](crate::GoalHandle::execute).
    AcceptAndDefer,
}

/// The decision on a request to cancel a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelResponse {
    /// The request is rejected.
    Reject,
    /// The request is accepted. The program should end the goal soon.
    Accept,
}

/// A goal that a client has sent, and on which the server decides.
#[derive(Debug)]
pub struct GoalRequest<'a, A> {
    id: GoalId,
    bytes: &'a [u8],
    of: std::marker::PhantomData<fn() -> A>,
}

impl<'a, K> GoalRequest<'a, K> {
    pub(crate) fn new(id: GoalId, bytes: &'a [u8]) -> Self {
        Self { id, bytes, of: std::marker::PhantomData }
    }

    /// Returns the id of the goal.
    pub fn id(&self) -> GoalId {
        self.id
    }

    /// Returns the serialized `_SendGoal_Request` with the goal.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }
}

impl<A: Action> GoalRequest<'_, A> {
    /// Returns a view of the goal in place, in shared memory.
    pub fn view(&self) -> Result<<A::Goal as Cdr>::View<'_>, CdrError> {
        wire::view_with_id::<A::Goal>(self.bytes)
    }

    /// Returns the goal as an owned value.
    pub fn value(&self) -> Result<A::Goal, CdrError> {
        wire::value_with_id(self.bytes)
    }
}
