//! Costmaps, maps, and the states of nodes.

use std::time::Duration;

use saltus::msgs::nav2_msgs::{
    msg::Costmap,
    srv::{
        ClearCostmapAroundPose, ClearCostmapAroundPose_Request, ClearCostmapAroundRobot,
        ClearCostmapAroundRobot_Request, ClearCostmapExceptRegion, ClearCostmapExceptRegion_Request,
        ClearEntireCostmap, ClearEntireCostmap_Request, GetCostmap, GetCostmap_Request, LoadMap,
        LoadMap_Request, LoadMap_Response, ManageLifecycleNodes, ManageLifecycleNodes_Request,
    },
};
use saltus_motion::Pose;

use crate::{commander::Commander, error::CommandError};

/// One of the two costmaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostmapOf {
    /// The costmap of the planner, which covers the whole map.
    Planner,
    /// The costmap of the controller, which covers the surroundings of the robot.
    Controller,
}

impl CostmapOf {
    fn name(self) -> &'static str {
        match self {
            Self::Planner => "global_costmap",
            Self::Controller => "local_costmap",
        }
    }
}

impl Commander {
    /// Forgets all obstacles in both costmaps.
    ///
    /// # Errors
    ///
    /// Returns an error if a costmap does not answer.
    pub fn clear_costmaps(&self) -> Result<(), CommandError> {
        self.clear_costmap(CostmapOf::Controller)?;
        self.clear_costmap(CostmapOf::Planner)
    }

    /// Forgets all obstacles in a costmap.
    ///
    /// # Errors
    ///
    /// Returns an error if the costmap does not answer.
    pub fn clear_costmap(&self, which: CostmapOf) -> Result<(), CommandError> {
        let request = ClearEntireCostmap_Request::default();
        self.call::<ClearEntireCostmap>(&service(which, "clear_entirely_"), &request)?;
        Ok(())
    }

    /// Forgets the obstacles in a square around the robot, whose sides have a length in metres.
    ///
    /// # Errors
    ///
    /// Returns an error if the costmap does not answer.
    pub fn clear_around_robot(&self, which: CostmapOf, side: f32) -> Result<(), CommandError> {
        let request = ClearCostmapAroundRobot_Request { reset_distance: side };
        self.call::<ClearCostmapAroundRobot>(&service(which, "clear_around_"), &request)?;
        Ok(())
    }

    /// Forgets the obstacles in a square around a pose in the map, whose sides have a length in metres.
    ///
    /// # Errors
    ///
    /// Returns an error if the costmap does not answer.
    pub fn clear_around_pose(&self, which: CostmapOf, pose: &Pose, side: f64) -> Result<(), CommandError> {
        let request = ClearCostmapAroundPose_Request { pose: self.stamped(pose), reset_distance: side };
        self.call::<ClearCostmapAroundPose>(&service(which, "clear_around_pose_"), &request)?;
        Ok(())
    }

    /// Forgets the obstacles, but not those in a square around the robot, whose sides have a length in metres.
    ///
    /// # Errors
    ///
    /// Returns an error if the costmap does not answer.
    pub fn clear_except_around_robot(&self, which: CostmapOf, side: f32) -> Result<(), CommandError> {
        let request = ClearCostmapExceptRegion_Request { reset_distance: side };
        self.call::<ClearCostmapExceptRegion>(&service(which, "clear_except_"), &request)?;
        Ok(())
    }

    /// Returns a costmap.
    ///
    /// # Errors
    ///
    /// Returns an error if the costmap does not answer.
    pub fn costmap(&self, which: CostmapOf) -> Result<Costmap, CommandError> {
        let service = format!("{}/get_costmap", which.name());
        Ok(self.call::<GetCostmap>(&service, &GetCostmap_Request::default())?.map)
    }

    /// Lets the map server load another map: the file in YAML.
    ///
    /// # Errors
    ///
    /// Returns an error if the map server does not answer, or can't load the map.
    pub fn change_map(&self, file: &str) -> Result<(), CommandError> {
        let request = LoadMap_Request { map_url: file.to_owned() };
        match self.call::<LoadMap>("map_server/load_map", &request)?.result {
            LoadMap_Response::RESULT_SUCCESS => Ok(()),
            code => Err(CommandError::Refused(format!(
                "the map server can't load {file}, and returns the code {code}"
            ))),
        }
    }

    /// Lets a lifecycle manager, such as `lifecycle_manager_navigation`, bring up its nodes.
    ///
    /// # Errors
    ///
    /// Returns an error if the manager does not answer in time, or if it does not succeed.
    pub fn start_up(&self, manager: &str, timeout: Duration) -> Result<(), CommandError> {
        self.manage(manager, ManageLifecycleNodes_Request::STARTUP, timeout)
    }

    /// Lets a lifecycle manager shut down its nodes.
    ///
    /// # Errors
    ///
    /// Returns an error if the manager does not answer in time, or if it does not succeed.
    pub fn shut_down(&self, manager: &str, timeout: Duration) -> Result<(), CommandError> {
        self.manage(manager, ManageLifecycleNodes_Request::SHUTDOWN, timeout)
    }

    fn manage(&self, manager: &str, command: u8, timeout: Duration) -> Result<(), CommandError> {
        let (service, request) =
            (format!("{manager}/manage_nodes"), ManageLifecycleNodes_Request { command });
        match self.call_within::<ManageLifecycleNodes>(&service, &request, timeout)?.success {
            true => Ok(()),
            false => {
                Err(CommandError::Refused(format!("{manager} could not bring all its nodes into that state")))
            }
        }
    }
}

/// Returns the name of a service of a costmap.
fn service(which: CostmapOf, what: &str) -> String {
    format!("{0}/{what}{0}", which.name())
}
