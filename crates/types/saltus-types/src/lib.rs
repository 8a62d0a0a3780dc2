//! The basic types of a Saltus graph: names, QoS, time, gids and type hashes.
//!
//! This crate contains only values. It does not read a clock, the environment or a file, so every other
//! crate can depend on it at no cost.

/// Implements `Debug` for an error with its `Display` text. If `main` returns an error, Rust prints it with
/// `{:?}`, and the user should read the sentence, not the fields.
#[doc(hidden)]
#[macro_export]
macro_rules! debug_as_display {
    ($($ty:ty),+ $(,)?) => { $(
        impl ::core::fmt::Debug for $ty {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(self, f)
            }
        }
    )+ };
}

mod cyclic;
mod device;
mod gid;
mod hash;
mod loss;
mod name;
mod parameter;
mod qos;
mod remap;
mod severity;
mod similar;
mod sync;
mod time;

#[doc(hidden)]
pub use cyclic::{WeakSelf, try_new_cyclic};
pub use device::{LinkCounts, LinkLoss};
pub use gid::Gid;
pub use hash::{ParseTypeHashError, TypeHash};
pub use loss::{LossCause, Losses, NetworkLoss};
pub use name::{
    NameError, NameErrorReason, NodeName, TopicName, is_hidden, validate_namespace, validate_node_name,
    validate_parameter_name,
};
pub use parameter::ParameterValue;
pub use qos::{Durability, History, Liveliness, ParsePolicyError, QoS, QosMismatch, Reliability, Side};
pub use remap::{RemapError, RemapRule, RemapRules};
pub use severity::{ParseSeverityError, Severity};
pub use similar::most_similar;
#[doc(hidden)]
pub use sync::{lock, panic_text};
pub use time::Time;
