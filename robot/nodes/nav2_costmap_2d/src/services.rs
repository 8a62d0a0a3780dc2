//! The services that return and clear costs.

use std::{any::Any, sync::Arc};

use saltus::{
    component::ComponentError,
    executor::CallbackGroup,
    lifecycle::LifecycleNode,
    msgs::nav2_msgs::srv::{
        ClearCostmapAroundPose, ClearCostmapAroundPose_Response, ClearCostmapAroundRobot,
        ClearCostmapAroundRobot_Response, ClearCostmapExceptRegion, ClearCostmapExceptRegion_Response,
        ClearEntireCostmap, ClearEntireCostmap_Response, GetCost, GetCost_Request, GetCost_Response,
        GetCostmap, GetCostmap_Response,
    },
};
use saltus_motion::{Pose, footprint_cost};

use crate::{costmap::Costmap, publish::to_message, updater::Updater};

/// Opens the services of a costmap. Clearing has an effect at once.
pub(crate) fn services(
    node: &LifecycleNode,
    group: &CallbackGroup,
    updater: &Arc<Updater>,
) -> Result<Vec<Box<dyn Any + Send>>, ComponentError> {
    let name = updater.costmap.name().to_owned();
    let (all, cost) = (updater.costmap.clone(), updater.costmap.clone());
    let (except, around, pose, whole) = (updater.clone(), updater.clone(), updater.clone(), updater.clone());
    Ok(vec![
        Box::new(
            node.service::<GetCostmap>("get_costmap").callback_group(group).callback(move |_| {
                GetCostmap_Response { map: to_message(&all.header(), all.lock().map()) }
            })?,
        ),
        Box::new(
            node.service::<GetCost>(&format!("get_cost_{name}"))
                .callback_group(group)
                .callback(move |request| GetCost_Response { cost: cost_at(&cost, &request) })?,
        ),
        Box::new(
            node.service::<ClearCostmapExceptRegion>(&format!("clear_except_{name}"))
                .callback_group(group)
                .callback(move |request| {
                except.costmap.log_request("except a region the");
                except.costmap.clear_robot(f64::from(request.reset_distance), true);
                except.update();
                ClearCostmapExceptRegion_Response::default()
            })?,
        ),
        Box::new(
            node.service::<ClearCostmapAroundRobot>(&format!("clear_around_{name}"))
                .callback_group(group)
                .callback(move |request| {
                    around.costmap.log_request("around the robot for");
                    around.costmap.clear_robot(f64::from(request.reset_distance), false);
                    around.update();
                    ClearCostmapAroundRobot_Response::default()
                })?,
        ),
        Box::new(
            node.service::<ClearCostmapAroundPose>(&format!("clear_around_pose_{name}"))
                .callback_group(group)
                .callback(move |request| {
                    pose.costmap.log_request("around pose for");
                    pose.costmap.clear_pose(&request.pose, request.reset_distance);
                    pose.update();
                    ClearCostmapAroundPose_Response::default()
                })?,
        ),
        Box::new(
            node.service::<ClearEntireCostmap>(&format!("clear_entirely_{name}"))
                .callback_group(group)
                .callback(move |_| {
                    whole.costmap.log_request("entirely the");
                    whole.costmap.lock().reset();
                    whole.update();
                    ClearEntireCostmap_Response::default()
                })?,
        ),
    ])
}

/// Returns the cost of a cell, or of the outline of the robot at a pose; -1 outside of the costmap.
fn cost_at(costmap: &Costmap, request: &GetCost_Request) -> f32 {
    let (x, y) = (f64::from(request.x), f64::from(request.y));
    let layered = costmap.lock();
    let cost = match request.use_footprint {
        true => {
            footprint_cost(layered.map(), layered.footprint(), &Pose::new(x, y, f64::from(request.theta)))
        }
        false => layered.map().cell_at([x, y]).map(|cell| layered.map().cost(cell)),
    };
    if cost.is_none() {
        costmap.warn(&format!("Point ({x:.6}, {y:.6}) is out of bounds"));
    }
    cost.map_or(-1.0, f32::from)
}

impl Costmap {
    fn log_request(&self, what: &str) {
        if let Some(node) = self.0.node.upgrade() {
            saltus::info!(node.logger(), "Received request to clear {what} {}", self.0.name);
        }
    }

    fn warn(&self, text: &str) {
        if let Some(node) = self.0.node.upgrade() {
            saltus::warn!(node.logger(), "{text}");
        }
    }

    /// Clears obstacles in a square around the robot, or outside of it.
    fn clear_robot(&self, side: f64, is_outside: bool) {
        match self.robot() {
            Ok(robot) => self.lock().clear([robot.x, robot.y], side, is_outside),
            Err(error) => {
                self.warn(&format!("Cannot clear map because robot pose cannot be retrieved: {error}"));
            }
        }
    }

    /// Clears obstacles around a pose.
    fn clear_pose(&self, pose: &saltus::msgs::geometry_msgs::msg::PoseStamped, side: f64) {
        match self.frames().transform(self.global_frame(), pose, std::time::Duration::from_millis(300)) {
            Ok(pose) => self.lock().clear([pose.x, pose.y], side, false),
            Err(error) => self.warn(&format!(
                "Cannot clear map around pose because pose cannot be transformed to costmap frame: {error}"
            )),
        }
    }
}
