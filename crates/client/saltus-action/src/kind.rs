//! Actions whose types are known when the program is compiled, and actions whose types are known only at run time.

use saltus_cdr::{Action, CdrError, Service, TypeIdentity};
use saltus_node::TypeId;
use saltus_types::QoS;

use crate::{GoalStatus, wire};

/// What an action server needs of an action: how goals are checked, and how results are kept and written.
///
/// Each generated [`Action`] is one. [`AnyAction`] is the other one.
pub trait ActionKind: Send + Sync + 'static {
    /// A result, as the server keeps it.
    type Result: Send + 'static;

    /// Checks a `_SendGoal_Request`.
    ///
    /// # Errors
    /// Returns an error if its goal can't be read.
    fn check_goal(request: &[u8]) -> Result<(), CdrError>;

    /// Returns the length of the `_GetResult_Response` with a result.
    fn result_len(result: &Self::Result) -> usize;

    /// Writes the `_GetResult_Response` with a result into a buffer of [`ActionKind::result_len`] bytes.
    ///
    /// # Errors
    /// Returns an error if the result does not fit its type.
    fn write_result(bytes: &mut [u8], status: GoalStatus, result: &Self::Result) -> Result<(), CdrError>;
}

impl<A: Action> ActionKind for A {
    type Result = A::Result;

    fn check_goal(request: &[u8]) -> Result<(), CdrError> {
        wire::view_with_id::<A::Goal>(request).map(|_| ())
    }

    fn result_len(result: &A::Result) -> usize {
        wire::result_len(result)
    }

    fn write_result(bytes: &mut [u8], status: GoalStatus, result: &A::Result) -> Result<(), CdrError> {
        wire::write_result(bytes, status, result)
    }
}

/// An action whose types are known only at run time. Its messages are serialized.
#[derive(Clone, Copy, Debug)]
pub struct AnyAction;

impl ActionKind for AnyAction {
    type Result = SerializedResult;

    /// Only the id of the goal is read. The program reads the goal, because it knows the type.
    fn check_goal(request: &[u8]) -> Result<(), CdrError> {
        wire::read_id(request).map(|_| ())
    }

    fn result_len(result: &SerializedResult) -> usize {
        result.0.len()
    }

    fn write_result(bytes: &mut [u8], status: GoalStatus, result: &SerializedResult) -> Result<(), CdrError> {
        bytes.copy_from_slice(&result.0);
        wire::set_status(bytes, status)
    }
}

/// A serialized `_GetResult_Response`. The server sets the status in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SerializedResult(Vec<u8>);

impl SerializedResult {
    /// Takes a serialized `_GetResult_Response`, including the encapsulation header. Its status may have any value.
    ///
    /// # Errors
    /// Returns an error if the bytes are too short for a status, or begin with another header.
    pub fn new(bytes: Vec<u8>) -> Result<Self, CdrError> {
        wire::read_status(&bytes)?;
        Ok(Self(bytes))
    }
}

/// The types of the messages of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionTypes {
    /// The service that sends a goal, such as `example_interfaces/action/Fibonacci_SendGoal`.
    pub send_goal: TypeId,
    /// The service that requests a result.
    pub get_result: TypeId,
    /// The message that publishes feedback.
    pub feedback: TypeId,
}

impl ActionTypes {
    /// Returns the types of a generated action.
    pub fn of<A: Action>() -> Self {
        Self {
            send_goal: A::SendGoal::TYPE.into(),
            get_result: A::GetResult::TYPE.into(),
            feedback: TypeIdentity::of::<A::FeedbackMessage>().into(),
        }
    }
}

/// The quality of service of the services and topics of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionQos {
    /// Of the service that sends goals.
    pub send_goal: QoS,
    /// Of the service that requests results.
    pub get_result: QoS,
    /// Of the service that cancels goals.
    pub cancel_goal: QoS,
    /// Of the topic of feedback.
    pub feedback: QoS,
    /// Of the topic of the states of goals.
    pub status: QoS,
}

impl Default for ActionQos {
    fn default() -> Self {
        let services = QoS::services_default();
        Self {
            send_goal: services,
            get_result: services,
            cancel_goal: services,
            feedback: QoS::default(),
            status: QoS::action_status_default(),
        }
    }
}
