//! The parameters of a node: declaring and setting them, publishing changes, and serving them to other nodes.
//!
//! The rules are in `saltus-param`. This module adds the callbacks before and after parameters are set, an event for
//! each change, and six services. Each service is opened when its first client is opened.

mod access;
mod builder;
mod client;
pub(crate) mod events;
mod messages;
pub(crate) mod services;
pub(crate) mod state;

pub use builder::ParameterBuilder;
pub use client::{ParameterClient, RemoteParameterError};
pub use messages::{parameter_message, parameter_of};
pub use state::ParameterCallback;
