//! Graph entities: contexts, nodes, publishers, subscriptions and timers. Nothing in this crate spins them.
//!
//! An entity that has something to do from time to time is a [`Waitable`] in a [`CallbackGroup`]. An
//! executor (`saltus-executor`, or one of your own) asks a node for its groups, gives their waitables a
//! waker that rings its doorbell, and runs those that are ready.

mod args;
mod builder;
mod callback;
mod clock;
mod context;
mod endpoint;
mod events;
mod group;
mod guard;
mod logging;
mod message_info;
mod node;
mod node_builder;
mod overrides;
mod parameters;
mod publish_error;
mod publisher;
mod received;
mod service;
mod sleep;
mod spec;
mod subscription;
mod timer;
mod waitable;
mod watch;

pub use args::{ArgsError, RosArgs};
pub use builder::{PublisherBuilder, SubscriptionBuilder};
pub use clock::{Clock, ClockChange, ClockKind, JumpHandle, JumpThreshold, TimeJump};
pub use context::{Context, ContextError, ContextOptions};
pub use endpoint::{CallbackSubscription, GenericEndpointBuilder, GenericPublisher, GenericSubscription};
pub use events::EventHandler;
pub use group::{CallbackGroup, CallbackGroupKind, GroupPass};
pub use guard::GuardCondition;
pub use logging::{Logger, RosLayer, logger_level, set_logger_level};
#[doc(hidden)]
pub use logging::{TARGET as __TARGET, is_due as __is_due, is_first as __is_first};
pub use message_info::{MessageInfo, TakeError};
pub use node::{Node, NodeError};
pub use node_builder::NodeBuilder;
pub use overrides::{NodePattern, ParameterOverride, parameter_value, read_params_file};
pub use parameters::{ParameterBuilder, ParameterCallback, ParameterClient, RemoteParameterError};
pub use publish_error::PublishValueError;
pub use publisher::{LoanBuffer, LoanedBody, Publisher};
pub use received::Received;
pub use saltus_host::{
    Channel, ConnectionReport, CpuCounts, Difference, DomainId, EndpointEvent, EndpointInfo, EndpointKind,
    EndpointReport, Entity, Graph, GraphEvent, GraphOwner, Latency, Loan, Mismatch, NodeInfo, OfferInfo,
    OpenError, Origin, OtherGraph, Placement, PlacementError, PollFd, PollFlags, ProcessReport, PublishError,
    PublisherStatus, Report, Sample, SchedulingPolicy, Signals, Stamp, SubscriptionStatus, UnreachableMember,
    WaitStrategy, Waiter, Waker, monotonic_now, observe as observe_graph, observe_description, other_graphs,
    restore_termination, system_now,
};
pub use saltus_param::{
    FloatingPointRange, IntegerRange, Listed, Parameter, ParameterDescriptor, ParameterError, ParameterType,
    ParameterValue, ParameterVariant,
};
pub use saltus_types::Severity;
pub use service::{
    Call, CallError, Client, ClientBuilder, ClientStatus, EventEncoder, GenericCall, GenericClient,
    GenericResponder, GenericServer, GenericServiceType, InPlaceCall, LoanedResponse, Reply, Request,
    RespondError, Responder, Server, ServerBuilder, ServerStatus, ServiceEventType, ServiceIntrospection,
    WINDOW,
};
pub use sleep::Sleep;
pub use spec::TypeId;
pub use subscription::{PollSubscription, Subscription};
pub use timer::{Timer, TimerBuilder};
#[doc(hidden)]
pub use tracing as __tracing;
pub use waitable::{Arrival, Executed, Waitable};
pub use watch::GraphCallback;
