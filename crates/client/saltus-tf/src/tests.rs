//! Transforms are set and looked up, and compared with a plain calculation with matrices.

mod errors;
mod history;
mod matrices;
mod times;
mod trees;

use saltus_types::Time;

use crate::{Buffer, StampedTransform, Transform};

/// Returns the time that is this many seconds after the epoch.
fn at(seconds: f64) -> Time {
    Time::from_nanos((seconds * 1e9).round() as i64)
}

/// Sets a transform without a rotation.
fn set(buffer: &Buffer, parent: &str, child: &str, time: Time, x: f64) {
    buffer.set(&stamped(parent, child, time, x), "test").unwrap();
}

fn stamped(parent: &str, child: &str, time: Time, x: f64) -> StampedTransform {
    StampedTransform::new(parent, child, time, Transform::from_xyz(x, 0.0, 0.0))
}

/// Returns the x of a transform.
fn x(buffer: &Buffer, target: &str, source: &str, time: Time) -> f64 {
    buffer.lookup(target, source, time).unwrap().transform.translation()[0]
}
