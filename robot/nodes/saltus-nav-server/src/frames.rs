//! The poses of a robot and of messages in a frame.

use std::time::Duration;

use saltus::{
    Node, Time,
    executor::CallbackGroup,
    msgs::geometry_msgs::msg::PoseStamped,
    node::NodeError,
    tf::{Buffer, LookupError, TransformListener},
};
use saltus_motion::Pose;

use crate::messages::{from_pose, from_transform};

/// The time for which transforms are kept.
const CACHE: Duration = Duration::from_secs(10);

/// The transforms of a node.
///
/// No method waits for a transform, because the thread that would wait is often the thread that receives the transforms.
#[derive(Debug)]
pub struct Frames {
    buffer: Buffer,
    _listener: TransformListener,
}

/// The reason why a pose is unknown.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FrameError {
    /// There is no transform.
    #[error("{0}")]
    Lookup(#[from] LookupError),
    /// The pose has numbers that are not finite, or its orientation is not a rotation.
    #[error("the pose in the frame '{0}' is not one")]
    Pose(String),
    /// The transform is too old.
    #[error("the transform from '{from}' to '{target}' is {age:.2} s too old")]
    Old {
        /// The frame whose pose is wanted.
        from: String,
        /// The frame in which the pose is wanted.
        target: String,
        /// The time by which the transform is older than the time for which it is needed, in seconds.
        age: f64,
    },
}

impl Frames {
    /// Returns the transforms that a node receives. The callbacks belong to a group.
    ///
    /// # Errors
    ///
    /// Returns an error if a topic can't be opened.
    pub fn new(node: &Node, group: &CallbackGroup) -> Result<Self, NodeError> {
        let buffer = Buffer::new(CACHE);
        Ok(Self { _listener: TransformListener::in_group(node, group, &buffer)?, buffer })
    }

    /// Returns the buffer of the transforms.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Returns the newest pose of a frame, such as that of the robot, in another frame, and its time.
    ///
    /// # Errors
    ///
    /// Returns an error if there is none.
    pub fn pose(&self, target: &str, source: &str) -> Result<(Pose, Time), FrameError> {
        let found = self.buffer.lookup(target, source, Time::from_nanos(0))?;
        Ok((from_transform(&found.transform), found.stamp))
    }

    /// Returns a pose in another frame. It counts at its own time. If there is no transform for that time yet, and the newest one is
    /// older by at most `tolerance`, that one counts.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no transform, or if the pose is not one.
    pub fn transform(
        &self,
        target: &str,
        pose: &PoseStamped,
        tolerance: Duration,
    ) -> Result<Pose, FrameError> {
        let source = pose.header.frame_id.trim_start_matches('/');
        let inner = from_pose(&pose.pose).ok_or_else(|| FrameError::Pose(source.to_owned()))?;
        if source == target {
            return Ok(inner);
        }
        let stamp = Time::from(pose.header.stamp);
        let found = self.buffer.lookup(target, source, stamp).or_else(|error| {
            let newest = self.buffer.lookup(target, source, Time::from_nanos(0))?;
            let is_near = newest.stamp <= stamp && stamp <= newest.stamp + tolerance;
            if is_near { Ok(newest) } else { Err(error) }
        })?;
        Ok(from_transform(&found.transform).then(&inner))
    }

    /// Returns the newest pose of a frame in another one, if it is not older than `stamp` by more than `tolerance`.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no transform, or if it is too old.
    pub fn recent_pose(
        &self,
        target: &str,
        source: &str,
        stamp: Time,
        tolerance: Duration,
    ) -> Result<Pose, FrameError> {
        let newest = self.buffer.lookup(target, source, Time::from_nanos(0))?;
        // A static transform has no time. It is valid at any time.
        let is_static = || self.buffer.can_transform(target, source, stamp).is_ok();
        if newest.stamp + tolerance < stamp && !is_static() {
            let age = stamp.since(newest.stamp).as_secs_f64();
            return Err(FrameError::Old { from: source.into(), target: target.into(), age });
        }
        Ok(from_transform(&newest.transform))
    }
}
