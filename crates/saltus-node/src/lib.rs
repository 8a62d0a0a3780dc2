//! Graph entities: contexts, nodes, publishers, subscriptions and timers. Spins nothing.
//!
//! An entity that has something to do from time to time is a [`Waitable`]; an executor
//! (`saltus-executor`, or anybody's own) asks a node for its waitables, lets them ring its
//! doorbell, and runs what is ready.

mod args;
mod builder;
mod context;
mod generic;
mod node;
mod overrides;
mod publisher;
mod subscription;
mod timer;
mod waitable;

pub use args::{ArgsError, RosArgs};
pub use builder::{PublisherBuilder, SubscriptionBuilder};
pub use context::{Context, ContextError, ContextOptions};
pub use generic::{GenericPublisher, GenericSubscription, TypeId};
pub use node::{Node, NodeBuilder, NodeError};
pub use overrides::{NodePattern, ParameterOverride, parameter_value, read_params_file};
pub use publisher::{LoanBuffer, LoanedBody, PublishValueError, Publisher};
pub use saltus_shm::{
    DomainId, EndpointInfo, EndpointKind, Graph, GraphEvent, Meetings, NodeInfo, OpenError, PollFd,
    PollFlags, PublishError, PublisherStatus, Sample, SubscriptionStatus, WaitStrategy, Waiter, Waker,
    monotonic_now, system_now,
};
pub use subscription::{MessageInfo, PollSubscription, Subscription, TakeError};
pub use timer::Timer;
pub use waitable::{Executed, Waitable};
