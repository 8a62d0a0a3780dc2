//! Saltus: robotics middleware with ROS 2's vocabulary, over zero-copy shared memory.
//!
//! This is the crate that programs depend on. A talker:
//!
//! ```no_run
#![doc = include_str!("../examples/talker.rs")]
//! ```
//!
//! The README shows messages built and read in place.

pub use saltus_action::{
    ActionClient, ActionClientBuilder, ActionError, ActionNames, ActionServer, ActionServerBuilder,
    ActionServerStatus, CancelOutcome, CancelResponse, ClientGoal, GoalError, GoalEvent, GoalHandle, GoalId,
    GoalOptions, GoalRequest, GoalResponse, GoalStatus, ResultCall, SendGoal, WrappedResult,
};
pub use saltus_cdr as cdr;
pub use saltus_executor::{
    Executor, ExecutorHandle, FdHandle, FileError, Interest, MultiThreadedExecutor, Placement, Placements,
    SchedulingPolicy, SingleThreadedExecutor, SpinError, WaitStrategy,
};
pub use saltus_machine as machine;
pub use saltus_msgs as msgs;
pub use saltus_node::{
    ArgsError, Arrival, Call, CallError, CallbackGroup, CallbackGroupKind, CalledSubscription, Channel,
    Client, ClientBuilder, ClientStatus, Clock, ClockChange, ClockKind, ConnectionReport, Context,
    ContextError, ContextOptions, Difference, DomainId, EndpointEvent, EndpointInfo, EndpointKind,
    EndpointReport, Entity, EventEncoder, EventHandler, Executed, FloatingPointRange, GenericCall,
    GenericClient, GenericEndpointBuilder, GenericPublisher, GenericResponder, GenericServer,
    GenericServiceType, GenericSubscription, Graph, GraphCallback, GraphOwner, GuardCondition, InPlaceCall,
    IntegerRange, JumpHandle, JumpThreshold, Latency, Listed, Loan, LoanBuffer, Logger, MessageInfo,
    Mismatch, Node, NodeBuilder, NodeError, NodeInfo, OpenError, Origin, Parameter, ParameterBuilder,
    ParameterCallback, ParameterClient, ParameterDescriptor, ParameterError, ParameterOverride,
    ParameterType, ParameterValue, ParameterVariant, PlacementError, PollSubscription, ProcessReport,
    PublishError, PublishValueError, Publisher, PublisherBuilder, PublisherStatus, Received,
    RemoteParameterError, Reply, Report, Request, RespondError, Responder, RosArgs, RosLayer, Sample, Server,
    ServerBuilder, ServerStatus, ServiceIntrospection, Severity, Signals, Sleep, Stamp, Subscription,
    SubscriptionBuilder, SubscriptionStatus, TakeError, TimeJump, Timer, TimerBuilder, TypeId,
    UnreachableMember, WINDOW, Waitable, Waiter, Waker, monotonic_now, observe_description, observe_graph,
    parameter_value, read_params_file, restore_termination, system_now,
};
pub use saltus_node::{
    debug, debug_once, debug_throttle, error, error_once, error_throttle, fatal, fatal_once, fatal_throttle,
    info, info_once, info_throttle, log, logger_level, set_logger_level, warn, warn_once, warn_throttle,
};
pub use saltus_types as types;
pub use saltus_types::{
    Durability, Gid, History, Liveliness, LossCause, Losses, QoS, QosMismatch, Reliability, Time, TypeHash,
};

/// Runs a node on this thread until its context shuts down, waiting adaptively.
pub fn spin(node: &Node) -> Result<(), SpinError> {
    SingleThreadedExecutor::new(node.context())?.spin(node)
}

/// Includes the types that `saltus_build::interfaces` generated, a module per package.
///
/// The crate has a `build.rs` that calls `saltus_build::interfaces(["interfaces"])`, and `saltus-build` among its
/// build dependencies.
///
/// ```ignore
/// mod interfaces {
///     saltus::interfaces!();
/// }
/// use interfaces::my_robot_msgs::msg::Wheel;
/// ```
#[macro_export]
macro_rules! interfaces {
    () => {
        include!(concat!(
            env!("OUT_DIR", "saltus::interfaces!() needs a build.rs that calls saltus_build::interfaces"),
            "/saltus_interfaces.rs"
        ));
    };
}

/// Compiles the README's example.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// Compiles the examples of docs/calls.md.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/calls.md")]
struct Calls;

/// Compiles the example of docs/machines.md.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/machines.md")]
struct Machines;

/// Compiles the examples of docs/executors.md.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/executors.md")]
struct Executors;
