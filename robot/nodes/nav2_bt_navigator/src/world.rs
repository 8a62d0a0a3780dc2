//! The parts that the nodes of a tree share.

use std::{sync::Arc, task::Waker, time::Duration};

use saltus::{
    Node, Time,
    executor::CallbackGroup,
    log::Logger,
    msgs::{geometry_msgs::msg::PoseStamped, std_msgs::msg::Header},
    param::ParameterError,
};
use saltus_motion::Pose;
use saltus_nav_server::{Frames, to_stamped};
use saltus_server::{Parameters, range};

use crate::odometry::Odometry;

/// The parts that the nodes of a tree share.
#[derive(Debug)]
pub struct World {
    /// The node.
    pub node: Node,
    /// The group of the callbacks of the nodes: that of the ticks.
    pub group: CallbackGroup,
    /// The transforms.
    pub frames: Arc<Frames>,
    /// Wakes the tree: it is ticked at once.
    pub waker: Waker,
    /// The last velocities of the robot.
    pub(crate) odometry: Odometry,
    /// The values of the parameters.
    pub settings: Settings,
}

/// The values of the parameters.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The frame of goals.
    pub global_frame: String,
    /// The frame of the robot.
    pub base_frame: String,
    /// The largest age of a transform.
    pub tolerance: Duration,
    /// The longest time for a server to accept a goal, or to answer.
    pub server_timeout: Duration,
    /// The longest time for a server to end a goal that is canceled.
    pub cancel_timeout: Duration,
    /// The longest time for which a new tree waits for its servers.
    pub service_timeout: Duration,
    /// The time between two ticks.
    pub loop_duration: Duration,
    /// The distance to a goal at which `GoalReached` succeeds, in metres.
    pub goal_reached: f64,
    /// The topic from which `GoalUpdater` takes goals.
    pub goal_updater_topic: String,
}

impl Settings {
    /// Returns the values of the parameters. Declares those that were not declared before.
    pub(crate) fn read(parameters: &Parameters) -> Result<Self, ParameterError> {
        let milliseconds = |name: &str, default, least| -> Result<Duration, ParameterError> {
            Ok(Duration::from_millis(u64::from(parameters.count(name, default, least..=u32::MAX)?)))
        };
        Ok(Self {
            global_frame: parameters.text("global_frame", "map")?,
            base_frame: parameters.text("robot_base_frame", "base_link")?,
            tolerance: parameters.seconds("transform_tolerance", 0.1)?,
            server_timeout: milliseconds("default_server_timeout", 20, 0)?,
            cancel_timeout: milliseconds("default_cancel_timeout", 20, 0)?,
            service_timeout: milliseconds("wait_for_service_timeout", 1000, 0)?,
            loop_duration: milliseconds("bt_loop_duration", 10, 1)?,
            goal_reached: parameters.number("goal_reached_tol", 0.25, range::NOT_NEGATIVE)?,
            goal_updater_topic: parameters.text("goal_updater_topic", "goal_update")?,
        })
    }
}

impl World {
    /// Returns the logger of the node.
    pub fn logger(&self) -> Logger {
        self.node.logger()
    }

    /// Returns the newest pose of the robot in a frame; `None` if it is unknown, which is logged.
    pub fn robot(&self, frame: &str, base_frame: &str) -> Option<(Pose, Time)> {
        match self.frames.pose(frame, base_frame) {
            Ok(found) => Some(found),
            Err(error) => {
                saltus::error!(self.logger(), "{error}");
                None
            }
        }
    }

    /// Returns the newest pose of the robot in a frame as a message.
    pub(crate) fn robot_message(&self, frame: &str, base_frame: &str) -> Option<PoseStamped> {
        let (pose, stamp) = self.robot(frame, base_frame)?;
        Some(to_stamped(&Header { stamp: stamp.into(), frame_id: frame.to_owned() }, &pose))
    }

    /// Returns a pose in a frame; `None` if it is unknown, which is logged.
    pub fn transform(&self, frame: &str, pose: &PoseStamped) -> Option<Pose> {
        match self.frames.transform(frame, pose, self.settings.tolerance) {
            Ok(pose) => Some(pose),
            Err(error) => {
                saltus::error!(self.logger(), "{error}");
                None
            }
        }
    }
}
