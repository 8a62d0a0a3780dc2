//! Saltus: robotics middleware with the concepts of ROS 2, over zero-copy shared memory.
//!
//! Programs depend on this crate. An example, which publishes messages:
//!
//! ```no_run
#![doc = include_str!("../examples/talker.rs")]
//! ```
//!
//! The README shows how to build and read messages in place.

pub use saltus_cdr as cdr;
pub use saltus_component::component;
pub use saltus_machine as machine;
pub use saltus_msgs as msgs;
pub use saltus_types as types;

pub use action::{ActionClient, ActionServer};
pub use context::Context;
pub use executor::{Executor, MultiThreadedExecutor, SingleThreadedExecutor};
pub use log::{debug, error, fatal, info, warn};
pub use node::Node;
pub use qos::QoS;
pub use service::{Client, Server};
pub use time::{Time, Timer};
pub use topic::{Publisher, Subscription};

pub mod action {
    //! Actions: goals that take time, have feedback and can be cancelled.

    pub use saltus_action::{
        ActionClient, ActionClientBuilder, ActionError, ActionKind, ActionNames, ActionQos, ActionServer,
        ActionServerBuilder, ActionServerStatus, ActionTypes, AnyAction, AnyActionClient, CancelOutcome,
        CancelResponse, ClientGoal, GoalError, GoalEvent, GoalHandle, GoalId, GoalOptions, GoalRequest,
        GoalResponse, GoalStatus, OnOutcome, ResultCall, SendGoal, SerializedResult, WrappedResult,
    };
}

pub mod component {
    //! Components: nodes that a program creates by name, and the manager that loads and unloads them.

    pub use saltus_component::{
        Backend, Component, ComponentError, ComponentManager, Create, Factory, InProcess, Isolation,
        LoadError, Loaded, LoadedComponent, Loader, ManualComposition, NodeOptions, Plugin, Registry, run,
        run_factory,
    };
}

pub mod context {
    //! Contexts, with which a process joins the graph of a domain: their options, arguments and signals.

    pub use saltus_node::{
        ArgsError, Context, ContextError, ContextOptions, DomainId, KeptMessage, ParameterOverride, RosArgs,
        Signals, read_params_file, restore_termination,
    };
}

pub mod executor {
    //! Executors, which wait and run callbacks. Callback groups, guard conditions, and the placement of threads.

    pub use saltus_executor::{
        AdmissionError, Executor, ExecutorHandle, FdHandle, FileError, Interest, MultiThreadedExecutor,
        Placement, Placements, PlacementsError, SchedulingPolicy, SingleThreadedExecutor, SpinError,
        WaitStrategy,
    };
    pub use saltus_node::{CallbackGroup, CallbackGroupKind, GuardCondition, PlacementError};
}

pub mod filters {
    //! Filters for messages: sets of messages with equal or similar stamps, caches, sequencers, trigger rules.

    pub use saltus_filters::{
        AnyMessage, ApproximateTime, Cache, ExactTime, Input, Inputs, LatestTime, RateConfig, Synchronizer,
        TimeSequencer, Trigger, TriggerRule,
    };
}

pub mod generic {
    //! Topics and services whose types are known only at run time.

    pub use saltus_node::{
        CallbackSubscription, GenericCall, GenericClient, GenericEndpointBuilder, GenericPublisher,
        GenericResponder, GenericServer, GenericServiceType, GenericSubscription, InPlaceCall, Origin,
        TypeId,
    };
}

pub mod graph {
    //! The graph of a domain: its nodes and endpoints, and the reports of its processes.

    pub use saltus_node::{
        Channel, ConnectionReport, DeviceReport, EndpointInfo, EndpointKind, EndpointReport, Entity,
        FolderReport, Graph, GraphCallback, GraphChange, GraphOwner, Latency, Mismatch, NodeInfo, OtherGraph,
        ProcessReport, Report, UnreachableMember, observe_description, observe_graph, other_graphs,
    };
    pub use saltus_types::{LinkCounts, LinkLoss};
}

pub mod lifecycle {
    //! Lifecycle nodes, whose state other nodes can change: unconfigured, inactive, active, finalized.

    pub use saltus_lifecycle::{
        CallbackResult, CallbackReturn, Lifecycle, LifecycleNode, LifecyclePublisher, Outcome, State,
        StateMachine, Step, Transition, TransitionError, WeakLifecycleNode,
    };
}

pub mod log {
    //! Logging to the console and to `/rosout`.

    pub use saltus_node::{
        Logger, RosLayer, Severity, debug, debug_once, debug_throttle, error, error_once, error_throttle,
        fatal, fatal_once, fatal_throttle, info, info_once, info_throttle, log, logger_level, logger_levels,
        own_logger_level, set_logger_level, warn, warn_once, warn_throttle,
    };
}

pub mod node {
    //! Nodes and their names.

    pub use saltus_node::{Node, NodeBuilder, NodeError, OpenError};
}

pub mod param {
    //! Parameters of a node: their declaration and validation. Clients for the parameters of other nodes.

    pub use saltus_node::{
        FloatingPointRange, IntegerRange, OwnOverride, Parameter, ParameterBuilder, ParameterCallback,
        ParameterClient, ParameterDescriptor, ParameterError, ParameterList, ParameterType, ParameterValue,
        ParameterVariant, RemoteParameterError, parameter_message, parameter_of, parameter_value,
    };
}

pub mod qos {
    //! Quality of service, its events, and the counters of lost messages.

    pub use saltus_node::{EndpointEvent, EventHandler};
    pub use saltus_types::{
        Durability, History, Liveliness, LossCause, Losses, QoS, QosMismatch, Reliability,
    };
}

pub mod service {
    //! Services: requests and their responses.

    pub use saltus_node::{
        Call, CallError, Client, ClientBuilder, ClientStatus, Reply, Request, RespondError, Responder,
        Server, ServerBuilder, ServerStatus, ServiceIntrospection,
    };
}

pub mod tf {
    //! Transforms between coordinate frames over time, and the topics `/tf` and `/tf_static`.

    pub use saltus_tf::{
        Buffer, FrameInfo, Gap, LookupError, SetError, StampedTransform, Transform, TransformError,
        TransformFuture,
    };
    pub use saltus_tf_node::{
        BufferClient, BufferServer, ListenerError, MessageError, MessageFilter, RemoteLookupError,
        StaticTransformBroadcaster, TransformBroadcaster, TransformListener, Transformed, WaitError,
        from_message, to_message, wait_for_transform,
    };
}

pub mod time {
    //! Clocks, simulated time, timers, and futures that wait for a time.

    pub use saltus_node::{
        Clock, ClockChange, ClockKind, JumpHandle, JumpThreshold, Sleep, TimeJump, Timer, TimerBuilder,
        monotonic_now, system_now,
    };
    pub use saltus_types::Time;
}

pub mod topic {
    //! Topics: publishers, subscriptions and messages.

    pub use saltus_node::{
        Loan, LoanBuffer, MessageInfo, PollSubscription, PublishError, PublishValueError, Publisher,
        PublisherBuilder, PublisherStatus, Received, Sample, Subscription, SubscriptionBuilder,
        SubscriptionStatus, TakeError,
    };
}

pub mod advanced {
    //! Low-level types for language bindings, bridges to other systems, and custom executors.

    pub use saltus_node::{
        Arrival, CallbackTimer, EventEncoder, Executed, MAX_REQUESTS_IN_FLIGHT, Stamp, Waitable, Waiter,
        Waker,
    };
    pub use saltus_types::{Gid, TypeHash};
}

/// Runs the callbacks of a node on this thread, until its context shuts down. The thread waits adaptively.
pub fn spin(node: &Node) -> Result<(), executor::SpinError> {
    SingleThreadedExecutor::new(node.context())?.spin_node(node)
}

/// Includes the types that `saltus_build::interfaces` has generated. Each package is a module.
///
/// The crate must have a `build.rs` that calls `saltus_build::interfaces(["interfaces"])`, and the build dependency
/// `saltus-build`.
///
/// ```text
/// mod interfaces {
///     saltus::interfaces!();
/// }
/// use interfaces::rover_msgs::msg::Wheel;
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

/// Compiles the examples of README.md.
#[cfg(doctest)]
#[doc = include_str!("../../../../README.md")]
struct Readme;

/// Compiles the examples of docs/calls.md.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/calls.md")]
struct Calls;

/// Compiles the examples of docs/filters.md.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/filters.md")]
struct Filters;

/// Compiles the examples of docs/components.md.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/components.md")]
struct Components;

/// Compiles the examples of docs/lifecycle.md.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/lifecycle.md")]
struct Lifecycles;

/// Compiles the examples of docs/machines.md.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/machines.md")]
struct Machines;

/// Compiles the examples of docs/tf.md.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/tf.md")]
struct Transforms;

/// Compiles the examples of docs/executors.md.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/executors.md")]
struct Executors;
