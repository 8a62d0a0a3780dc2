//! Transforms between coordinate frames over time, as in ROS 2's library `tf2`. No I/O and no clock.
//!
//! | module | content |
//! |---|---|
//! | `transform` | a rotation and a translation |
//! | `history` | the transforms of one frame over time, which are read while others are written |
//! | `index` | the frames, by their names |
//! | `lookup` | lookups in an index |
//! | `buffer` | sets and looks up the transforms of all frames |
//! | `waiters`, `future` | a future that ends when a transform is there |
//! | `error` | the errors of lookups and of new transforms |
//!
//! A transform "from the source frame to the target frame" gives the coordinates in the target frame of a point whose
//! coordinates in the source frame are known.
//!
//! ```
//! use saltus_tf::{Buffer, StampedTransform, Transform};
//! use saltus_types::Time;
//!
//! let buffer = Buffer::default();
//! let base = Transform::from_xyz(1.0, 0.0, 0.0);
//! buffer.set(&StampedTransform::new("map", "base", Time::from_nanos(1), base), "test")?;
//! let found = buffer.lookup("map", "base", Time::default())?;
//! assert_eq!(found.transform.apply([0.0, 2.0, 0.0]), [1.0, 2.0, 0.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod buffer;
mod error;
mod future;
mod history;
#[cfg(all(test, model))]
mod history_model;
mod index;
mod lookup;
mod sync;
#[cfg(test)]
mod tests;
mod transform;
mod waiters;

pub use buffer::{Buffer, FrameInfo, MAX_NAME_LENGTH};
pub use error::{Gap, LookupError, SetError};
pub use future::TransformFuture;
pub use transform::{StampedTransform, Transform, TransformError};
