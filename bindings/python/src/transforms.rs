//! Transforms between coordinate frames.

use std::time::Duration;

use pyo3::prelude::*;
use saltus::{
    Time,
    tf::{Buffer, LookupError, StampedTransform, Transform},
};

use crate::errors::exception;

/// A translation x, y, z and a quaternion x, y, z, w.
type Numbers = [f64; 7];
/// A stamp in nanoseconds, and a transform.
type Stamped = (i64, Numbers);
/// The name of a frame, its parent and its authority; whether it is static; its oldest and its newest stamp; the number of its
/// transforms.
type Info = (String, String, String, bool, i64, i64, usize);

/// The transforms of all frames over the last seconds.
#[pyclass(frozen, module = "saltus._native")]
pub(crate) struct TransformBuffer(Buffer);

fn raised(error: LookupError) -> PyErr {
    let class = match &error {
        LookupError::InvalidArgument { .. } => "InvalidArgumentException",
        LookupError::UnknownFrame { .. } => "LookupException",
        LookupError::Connectivity { .. } => "ConnectivityException",
        LookupError::Extrapolation { .. } => "ExtrapolationException",
    };
    exception(class, error)
}

fn described(stamped: &StampedTransform) -> Stamped {
    let ([x, y, z], [i, j, k, w]) = (stamped.transform.translation(), stamped.transform.rotation());
    (stamped.stamp.as_nanos(), [x, y, z, i, j, k, w])
}

#[pymethods]
impl TransformBuffer {
    #[new]
    fn new(cache_time: u64) -> Self {
        Self(Buffer::new(Duration::from_nanos(cache_time)))
    }

    /// Sets a transform. Returns why it was refused, or `None`.
    fn set(
        &self,
        names: (String, String),
        stamp: i64,
        numbers: Numbers,
        authority: &str,
        is_static: bool,
    ) -> Option<String> {
        let ((parent, child), [x, y, z, i, j, k, w]) = (names, numbers);
        let transform = match Transform::new([x, y, z], [i, j, k, w]) {
            Ok(transform) => transform,
            Err(error) => {
                return Some(format!(
                    "Ignoring transform for child_frame_id \"{child}\" from authority \"{authority}\": {error}"
                ));
            }
        };
        let stamped = StampedTransform::new(&parent, &child, Time::from_nanos(stamp), transform);
        let result =
            if is_static { self.0.set_static(&stamped, authority) } else { self.0.set(&stamped, authority) };
        result.err().map(|error| error.to_string())
    }

    fn lookup(&self, target: &str, source: &str, time: i64) -> PyResult<Stamped> {
        Ok(described(&self.0.lookup(target, source, Time::from_nanos(time)).map_err(raised)?))
    }

    fn lookup_across(&self, target: (String, i64), source: (String, i64), fixed: &str) -> PyResult<Stamped> {
        let [to, from] = [target.1, source.1].map(Time::from_nanos);
        Ok(described(&self.0.lookup_across(&target.0, to, &source.0, from, fixed).map_err(raised)?))
    }

    /// Returns why there is no transform, or `None`.
    fn missing(&self, target: &str, source: &str, time: i64) -> Option<String> {
        let result = self.0.can_transform(target, source, Time::from_nanos(time));
        result.err().map(|error| error.to_string())
    }

    fn latest_common_time(&self, target: &str, source: &str) -> PyResult<i64> {
        Ok(self.0.latest_common_time(target, source).map_err(raised)?.as_nanos())
    }

    fn clear(&self) {
        self.0.clear();
    }

    fn names(&self) -> Vec<String> {
        self.0.names().iter().map(ToString::to_string).collect()
    }

    fn parent(&self, name: &str) -> Option<String> {
        self.0.parent(name).map(|name| name.to_string())
    }

    fn frames(&self) -> Vec<Info> {
        let info = |info: saltus::tf::FrameInfo| {
            let [name, parent, authority] =
                [info.name, info.parent, info.authority].map(|name| name.to_string());
            let [oldest, newest] = [info.oldest, info.newest].map(Time::as_nanos);
            (name, parent, authority, info.is_static, oldest, newest, info.count)
        };
        self.0.frames().into_iter().map(info).collect()
    }
}
