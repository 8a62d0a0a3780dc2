//! Events of publishers and subscriptions.

use std::{ffi::c_void, sync::Arc};

use saltus::{
    generic::GenericEndpointBuilder,
    qos::{EndpointEvent, QosMismatch},
};

use crate::{
    callbacks::{CallbackContext, Next, obey},
    gate::Gate,
};

/// A message did not come, or was not sent, within its deadline.
pub const SALTUS_EVENT_DEADLINE_MISSED: u8 = 1;
/// A publisher did not say in time that it is alive.
pub const SALTUS_EVENT_LIVELINESS_LOST: u8 = 2;
/// The number of publishers that are alive has changed.
pub const SALTUS_EVENT_LIVELINESS_CHANGED: u8 = 3;
/// There is an endpoint whose quality of service does not fit.
pub const SALTUS_EVENT_INCOMPATIBLE_QOS: u8 = 4;
/// There is an endpoint with another type.
pub const SALTUS_EVENT_INCOMPATIBLE_TYPE: u8 = 5;
/// Messages were lost.
pub const SALTUS_EVENT_MESSAGE_LOST: u8 = 6;
/// The number of connected endpoints has changed.
pub const SALTUS_EVENT_MATCHED: u8 = 7;

/// An event.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Event {
    /// The size of this struct. The library sets it.
    pub struct_size: usize,
    /// One of SALTUS_EVENT_….
    pub kind: u8,
    /// For SALTUS_EVENT_INCOMPATIBLE_QOS: the policy, as a number of rmw_qos_policy_kind_t.
    pub policy: u8,
    /// How often it has happened. For SALTUS_EVENT_LIVELINESS_CHANGED: how many publishers are not alive.
    pub total: u64,
    /// How often it has happened since the event before.
    pub total_change: i64,
    /// For SALTUS_EVENT_MATCHED and SALTUS_EVENT_LIVELINESS_CHANGED: how many are connected, or alive.
    pub current: u64,
    /// The change of current since the event before.
    pub current_change: i64,
}

/// Called with an event. The event is valid until the function returns.
pub type EventFunction = Option<extern "C" fn(context: *mut c_void, event: &Event) -> Next>;

/// Keeps the events of an endpoint. When it is dropped, no callback runs any more.
#[derive(Debug)]
pub(crate) struct Events(Arc<Gate>);

impl Drop for Events {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Gives a builder its callback for events, if there is one.
pub(crate) fn attach(
    builder: GenericEndpointBuilder,
    call: EventFunction,
    context: CallbackContext,
) -> (GenericEndpointBuilder, Events) {
    let gate = Arc::<Gate>::default();
    let events = Events(gate.clone());
    let Some(call) = call else { return (builder, events) };
    let builder = builder.on_event(move |event| {
        let event = Event::from(event);
        obey(gate.run(|| call(context.pointer(), &event)).unwrap_or_default());
    });
    (builder, events)
}

impl From<EndpointEvent> for Event {
    fn from(event: EndpointEvent) -> Self {
        let counted = |kind, total, change: u64| {
            let total_change = i64::try_from(change).unwrap_or(i64::MAX);
            Self { struct_size: size_of::<Self>(), kind, total, total_change, ..Self::default() }
        };
        match event {
            EndpointEvent::DeadlineMissed { total, change } => {
                counted(SALTUS_EVENT_DEADLINE_MISSED, total, change)
            }
            EndpointEvent::LivelinessLost { total, change } => {
                counted(SALTUS_EVENT_LIVELINESS_LOST, total, change)
            }
            EndpointEvent::LivelinessChanged { alive, not_alive, alive_change, not_alive_change } => Self {
                total_change: not_alive_change,
                current: alive,
                current_change: alive_change,
                ..counted(SALTUS_EVENT_LIVELINESS_CHANGED, not_alive, 0)
            },
            EndpointEvent::IncompatibleQos { total, change, policy } => Self {
                policy: policy_number(policy),
                ..counted(SALTUS_EVENT_INCOMPATIBLE_QOS, total, change)
            },
            EndpointEvent::IncompatibleType { total, change } => {
                counted(SALTUS_EVENT_INCOMPATIBLE_TYPE, total, change)
            }
            EndpointEvent::MessageLost { total, change } => counted(SALTUS_EVENT_MESSAGE_LOST, total, change),
            EndpointEvent::Matched { total, change, current, current_change } => {
                Self { current, current_change, ..counted(SALTUS_EVENT_MATCHED, total, change) }
            }
        }
    }
}

/// Returns the number of a policy in `rmw_qos_policy_kind_t`.
fn policy_number(policy: QosMismatch) -> u8 {
    match policy {
        QosMismatch::Durability => 2,
        QosMismatch::Deadline => 4,
        QosMismatch::Liveliness => 8,
        QosMismatch::Reliability => 16,
    }
}
