//! A node's parameters: declaring, setting, telling of it, and answering for them to others.
//!
//! The rules are `saltus-param`'s. What is added here: callbacks before and after a set, an event for each
//! change, and six services, which are opened when somebody asks for the first time.

mod access;
mod builder;
mod client;
pub(crate) mod events;
mod messages;
pub(crate) mod services;
pub(crate) mod state;

pub use builder::ParameterBuilder;
pub use client::{ParameterClient, RemoteParameterError};
pub use state::ParameterCallback;
