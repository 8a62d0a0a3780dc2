//! Paths.

use std::time::Duration;

use saltus::msgs::{nav_msgs::msg::Path, nav2_msgs::action::*};
use saltus_motion::Pose;

use crate::{commander::Commander, error::CommandError};

impl Commander {
    /// Returns a path from the robot to a pose in the map; `None` if there is none.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no planner.
    pub fn path_to(&self, pose: &Pose) -> Result<Option<Path>, CommandError> {
        let goal = ComputePathToPose_Goal { goal: self.stamped(pose), ..ComputePathToPose_Goal::default() };
        let result = self.request::<ComputePathToPose>("compute_path_to_pose", &goal, Duration::ZERO)?;
        Ok(result.map(|result| result.path))
    }

    /// Returns a path from the robot through poses in the map; `None` if there is none.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no planner.
    pub fn path_through(&self, poses: &[Pose]) -> Result<Option<Path>, CommandError> {
        let goals = self.all_stamped(poses);
        let goal = ComputePathThroughPoses_Goal { goals, ..ComputePathThroughPoses_Goal::default() };
        let result =
            self.request::<ComputePathThroughPoses>("compute_path_through_poses", &goal, Duration::ZERO)?;
        Ok(result.map(|result| result.path))
    }

    /// Returns a path with fewer bends; `None` if there is none after `most`.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no smoother.
    pub fn smoothed(&self, path: &Path, most: Duration) -> Result<Option<Path>, CommandError> {
        let max_smoothing_duration = saltus_nav_server::to_duration(most);
        let goal =
            SmoothPath_Goal { path: path.clone(), max_smoothing_duration, ..SmoothPath_Goal::default() };
        Ok(self.request::<SmoothPath>("smooth_path", &goal, most)?.map(|result| result.path))
    }
}
