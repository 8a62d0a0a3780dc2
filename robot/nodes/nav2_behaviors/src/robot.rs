//! The pose of the robot, and the obstacles around it.

use std::{sync::Arc, time::Duration};

use saltus::{
    lifecycle::{LifecycleNode, WeakLifecycleNode},
    log::Logger,
    msgs::std_msgs::msg::Header,
};
use saltus_motion::{Pose, Velocity};
use saltus_nav_server::{Frames, VelocityPublisher, time_since_start};
use saltus_server::Parameters;

use nav2_costmap_2d::RemoteCostmap;

/// The robot, for behaviors.
#[derive(Debug)]
pub struct Robot {
    pub(crate) node: WeakLifecycleNode,
    pub(crate) logger: Logger,
    pub(crate) parameters: Parameters,
    pub(crate) frames: Arc<Frames>,
    pub(crate) costmap: RemoteCostmap,
    pub(crate) local_frame: String,
    pub(crate) base_frame: String,
    pub(crate) output: VelocityPublisher,
    /// The time between two cycles.
    pub(crate) cycle: Duration,
}

impl Robot {
    /// Returns the pose of the robot in the local frame; `None` if it is unknown, which is logged.
    pub fn pose(&self) -> Option<Pose> {
        match self.frames.pose(&self.local_frame, &self.base_frame) {
            Ok((pose, _)) => Some(pose),
            Err(error) => {
                saltus::error!(self.logger, "{error}");
                None
            }
        }
    }

    /// Whether the robot touches nothing at a pose in the local frame.
    pub fn is_free(&self, pose: &Pose) -> bool {
        self.costmap.is_free(pose)
    }

    /// Publishes a velocity for the robot.
    pub fn drive(&self, velocity: &Velocity) {
        if let Some(node) = self.node.upgrade() {
            let header = Header { stamp: node.clock().now().into(), frame_id: self.base_frame.clone() };
            self.output.publish(velocity, &header);
        }
    }

    /// Returns the parameters of the node, which behaviors share.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the logger of the node.
    pub fn logger(&self) -> &Logger {
        &self.logger
    }

    /// Returns the time between two cycles.
    pub fn cycle(&self) -> Duration {
        self.cycle
    }

    /// Returns the time of the node.
    pub(crate) fn now(&self) -> Option<Duration> {
        self.node.upgrade().map(|node: LifecycleNode| time_since_start(node.clock().now()))
    }
}
