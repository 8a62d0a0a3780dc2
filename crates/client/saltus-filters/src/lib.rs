//! Filters for messages, as in ROS 2's package `message_filters`. No I/O and no clock.
//!
//! A filter takes messages of any type with their stamps, and keeps them without a copy. A program passes each message
//! to `add` with the number of its input.
//!
//! | type | output |
//! |---|---|
//! | [`ExactTime`] | sets of messages with equal stamps |
//! | [`ApproximateTime`] | sets of messages with similar stamps |
//! | [`LatestTime`] | the latest message of each input, at the rate of the fastest input |
//! | [`Trigger`] | the latest message of each input, when all, any or one of the inputs has a new message |
//! | [`Cache`] | the last messages, by time |
//! | [`Synchronizer`] | calls a function with sets of messages of different types, by one of the filters above |
//! | [`TimeSequencer`] | messages in the order of their stamps, with a delay |
//!
//! ```
//! use saltus::{filters::ExactTime, Time};
//! let mut filter = ExactTime::new(2, 10);
//! assert_eq!(filter.add(0, Time::from_nanos(5), "left"), None);
//! assert_eq!(filter.add(1, Time::from_nanos(5), "right"), Some(vec!["left", "right"]));
//! ```

mod approximate;
mod cache;
mod exact;
mod latest;
mod sequencer;
mod sync;
mod synchronizer;
mod trigger;
mod turns;
#[cfg(all(test, model))]
mod turns_model;

pub use approximate::ApproximateTime;
pub use cache::Cache;
pub use exact::ExactTime;
pub use latest::{LatestTime, RateConfig};
pub use sequencer::TimeSequencer;
pub use synchronizer::{AnyMessage, Input, Inputs, Synchronizer};
pub use trigger::{Trigger, TriggerRule};
