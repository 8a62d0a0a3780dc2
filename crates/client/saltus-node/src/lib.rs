//! Graph entities: contexts, nodes, publishers, subscriptions, services, parameters and timers.
//!
//! This crate does not run callbacks. An entity with a callback is a [`Waitable`] in a [`CallbackGroup`]. An executor
//! (`saltus-executor`, or one that you write) gets the callback groups of a node, gives each waitable a waker that
//! rings the executor's doorbell, and runs the waitables that are ready.

mod args;
mod builder;
mod callback;
mod callback_subscription;
mod clock;
mod clock_thread;
mod context;
mod endpoint;
mod events;
mod generic;
mod group;
mod guard;
mod kept;
mod logging;
mod message_info;
mod node;
mod node_builder;
mod overrides;
mod owners;
mod parameters;
mod publish_error;
mod publisher;
mod received;
mod service;
mod silent_clock;
mod sleep;
mod spec;
mod subscription;
mod timer;
mod waitable;
mod watch;

pub use args::{ArgsError, RosArgs};
pub use builder::{PublisherBuilder, SubscriptionBuilder};
pub use callback_subscription::CallbackSubscription;
pub use clock::{Clock, ClockChange, ClockKind, JumpHandle, JumpThreshold, TimeJump};
pub use context::{Context, ContextError, ContextOptions, MAX_DOMAIN};
pub use endpoint::GenericEndpointBuilder;
pub use events::EventHandler;
pub use generic::{GenericPublisher, GenericSubscription};
pub use group::{CallbackGroup, CallbackGroupKind, GroupPass};
pub use guard::GuardCondition;
pub use kept::KeptMessage;
pub use logging::{Logger, RosLayer, logger_level, logger_levels, own_logger_level, set_logger_level};
#[doc(hidden)]
pub use logging::{TARGET as __TARGET, is_due as __is_due, is_first as __is_first};
pub use message_info::{MessageInfo, TakeError};
pub use node::{Node, NodeError, OwnOverride, WeakNode};
pub use node_builder::NodeBuilder;
pub use overrides::{
    NodePattern, ParameterOverride, parameter_value, read_component_params_file, read_params_file,
};
pub use parameters::{
    ParameterBuilder, ParameterCallback, ParameterClient, RemoteParameterError, parameter_message,
    parameter_of,
};
pub use publish_error::PublishValueError;
pub use publisher::{LoanBuffer, LoanedBody, Publisher};
pub use received::Received;
pub use saltus_host::{
    CallbackTimer, Channel, ConnectionReport, CpuCounts, DeviceReport, DomainId, EndpointEvent, EndpointInfo,
    EndpointKind, EndpointReport, Entity, FolderReport, Graph, GraphChange, GraphEvent, GraphOwner, Latency,
    Loan, Mismatch, NodeInfo, OfferInfo, OpenError, Origin, OtherGraph, Placement, PlacementError, PollFd,
    PollFlags, ProcessReport, PublishError, PublisherStatus, Report, Sample, SchedulingPolicy, Signals,
    Stamp, SubscriptionStatus, UnreachableMember, WaitStrategy, Waiter, Waker, monotonic_now,
    observe as observe_graph, observe_description, other_graphs, restore_termination, system_now,
};
pub use saltus_param::{
    FloatingPointRange, IntegerRange, Parameter, ParameterDescriptor, ParameterError, ParameterList,
    ParameterType, ParameterValue, ParameterVariant,
};
pub use saltus_types::Severity;
pub use service::{
    Call, CallError, Client, ClientBuilder, ClientStatus, EventEncoder, GenericCall, GenericClient,
    GenericResponder, GenericServer, GenericServiceType, InPlaceCall, LoanedResponse, MAX_REQUESTS_IN_FLIGHT,
    Reply, Request, RespondError, Responder, Server, ServerBuilder, ServerStatus, ServiceEventType,
    ServiceIntrospection,
};
pub use sleep::Sleep;
pub use spec::TypeId;
pub use subscription::{PollSubscription, Subscription};
pub use timer::{Timer, TimerBuilder};
#[doc(hidden)]
pub use tracing as __tracing;
pub use waitable::{Arrival, Executed, Waitable};
pub use watch::GraphCallback;
