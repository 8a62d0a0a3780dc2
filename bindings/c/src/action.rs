//! What servers and clients of actions have in common: their types, options, and the ids of goals.

use std::ffi::c_char;

use saltus::{
    action::{ActionQos, ActionTypes, GoalId as Id},
    types::QoS,
};

use crate::{
    group::Group,
    node::Node,
    pointers::{self, Options},
    publisher::{Type, read_type},
    qos::{self, Qos},
    status::Failure,
};

/// The id of a goal. All zero is no goal.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GoalId {
    /// The 16 bytes of the UUID.
    pub bytes: [u8; 16],
}

impl From<Id> for GoalId {
    fn from(id: Id) -> Self {
        Self { bytes: *id.as_bytes() }
    }
}

impl From<GoalId> for Id {
    fn from(id: GoalId) -> Self {
        Self::from_bytes(id.bytes)
    }
}

/// Reads the id of a goal.
pub(crate) fn read_id(id: Option<&GoalId>) -> Result<Id, Failure> {
    id.map(|id| (*id).into()).ok_or_else(|| Failure::argument("expected the id of a goal, found NULL"))
}

/// The options of a server or a client of an action.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ActionOptions {
    /// The size of this struct. saltus_action_options_init() sets it.
    pub struct_size: usize,
    /// The name of the action, as the node calls it.
    pub action: *const c_char,
    /// The type of the service that sends goals, such as "example_interfaces/action/Fibonacci_SendGoal".
    pub send_goal: *const Type,
    /// The type of the service that requests results, such as "example_interfaces/action/Fibonacci_GetResult".
    pub get_result: *const Type,
    /// The type of the messages with feedback, such as "example_interfaces/action/Fibonacci_FeedbackMessage".
    pub feedback: *const Type,
    /// The callback group of the callbacks. NULL is the default group of the node.
    pub group: *const Group,
    /// The quality of service of the service that sends goals. NULL is the default of services.
    pub send_goal_qos: *const Qos,
    /// The quality of service of the service that requests results. NULL is the default of services.
    pub get_result_qos: *const Qos,
    /// The quality of service of the service that cancels goals. NULL is the default of services.
    pub cancel_goal_qos: *const Qos,
    /// The quality of service of feedback. NULL is the default of topics.
    pub feedback_qos: *const Qos,
    /// The quality of service of the states of goals. NULL is the default of that topic: transient local.
    pub status_qos: *const Qos,
    /// How long a server keeps a result after the goal has ended, in nanoseconds. A negative number is for ever.
    pub result_timeout: i64,
    /// Of a server: a serialized _GetResult_Response with the result of goals that the program drops before they have ended.
    pub empty_result: *const u8,
    /// The number of its bytes.
    pub empty_result_size: usize,
}

// SAFETY: it is `repr(C)`, begins with its size, and has only numbers and pointers.
unsafe impl Options for ActionOptions {
    const NAME: &str = "saltus_action_options_t";

    fn defaults() -> Self {
        Self {
            struct_size: size_of::<Self>(),
            action: std::ptr::null(),
            send_goal: std::ptr::null(),
            get_result: std::ptr::null(),
            feedback: std::ptr::null(),
            group: std::ptr::null(),
            send_goal_qos: std::ptr::null(),
            get_result_qos: std::ptr::null(),
            cancel_goal_qos: std::ptr::null(),
            feedback_qos: std::ptr::null(),
            status_qos: std::ptr::null(),
            result_timeout: 10_000_000_000,
            empty_result: std::ptr::null(),
            empty_result_size: 0,
        }
    }
}

/// Sets options to their defaults. Pass sizeof(saltus_action_options_t).
#[unsafe(no_mangle)]
pub extern "C" fn saltus_action_options_init(options: *mut ActionOptions, struct_size: usize) {
    pointers::write_defaults(options, struct_size);
}

/// What the options of an action say.
pub(crate) struct Given<'a> {
    pub(crate) action: &'a str,
    pub(crate) types: ActionTypes,
    pub(crate) qos: ActionQos,
    pub(crate) group: saltus::executor::CallbackGroup,
    pub(crate) options: ActionOptions,
}

/// Reads the options of an action.
pub(crate) fn read<'a>(node: &Node, options: *const ActionOptions) -> Result<Given<'a>, Failure> {
    let options = pointers::options(options)?;
    let service = |given: *const Qos| qos::read(given, QoS::services_default());
    let group = pointers::array(options.group, usize::from(!options.group.is_null()), "groups")?;
    let default = ActionQos::default();
    Ok(Given {
        action: pointers::text(options.action, "name of an action")?,
        types: ActionTypes {
            send_goal: read_type(options.send_goal)?,
            get_result: read_type(options.get_result)?,
            feedback: read_type(options.feedback)?,
        },
        qos: ActionQos {
            send_goal: service(options.send_goal_qos)?,
            get_result: service(options.get_result_qos)?,
            cancel_goal: service(options.cancel_goal_qos)?,
            feedback: qos::read(options.feedback_qos, default.feedback)?,
            status: qos::read(options.status_qos, default.status)?,
        },
        group: node.group(group.first()),
        options,
    })
}
