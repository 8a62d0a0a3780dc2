//! Regulated pure pursuit with its parameters and topics.

use saltus::{
    Publisher, QoS,
    component::ComponentError,
    msgs::{
        geometry_msgs::msg::{Point, PointStamped},
        nav_msgs::msg::Path,
        std_msgs::msg::Header,
    },
    param::ParameterError,
};
use saltus_motion::{Controller, Pose};
use saltus_nav_server::to_path;
use saltus_pursuit::{Pursuit, PursuitSettings};
use saltus_server::{Parameters, PluginConfig};

use crate::plugin::ControllerPlugin;

/// The controller regulated pure pursuit with its parameters and topics.
///
/// | topic | description |
/// |---|---|
/// | `received_global_plan` | the part of the path that counts, in the frame of the robot |
/// | `lookahead_point` | the point to which the robot drives, in the frame of the robot |
pub(crate) struct PursuitController {
    pursuit: Pursuit,
    parameters: Parameters,
    base_frame: String,
    received: Publisher<Path>,
    point: Publisher<PointStamped>,
}

impl PursuitController {
    /// Creates a controller.
    ///
    /// # Errors
    ///
    /// Returns an error if a parameter is wrong.
    pub(crate) fn create(
        config: &PluginConfig<'_>,
        base_frame: &str,
    ) -> Result<Box<dyn ControllerPlugin>, ComponentError> {
        let parameters = config.parameters.clone();
        let node = parameters.node().clone();
        Ok(Box::new(Self {
            pursuit: Pursuit::new(settings(&parameters)?),
            parameters,
            base_frame: base_frame.to_owned(),
            received: node.publisher("received_global_plan").qos(QoS::keep_last(1)).create()?,
            point: node.publisher("lookahead_point").qos(QoS::keep_last(1)).create()?,
        }))
    }
}

fn settings(parameters: &Parameters) -> Result<PursuitSettings, ParameterError> {
    let number = |name: &str, default: f64| parameters.get(name, default);
    let flag = |name: &str, default: bool| parameters.get(name, default);
    let default = PursuitSettings::default();
    let use_rotate_to_heading = flag("use_rotate_to_heading", default.use_rotate_to_heading)?;
    // A robot can't both turn to its path and drive backward on it.
    let allow_reversing = flag("allow_reversing", default.allow_reversing)? && !use_rotate_to_heading;
    Ok(PursuitSettings {
        desired_linear_vel: number("desired_linear_vel", default.desired_linear_vel)?,
        lookahead_dist: number("lookahead_dist", default.lookahead_dist)?,
        min_lookahead_dist: number("min_lookahead_dist", default.min_lookahead_dist)?,
        max_lookahead_dist: number("max_lookahead_dist", default.max_lookahead_dist)?,
        lookahead_time: number("lookahead_time", default.lookahead_time)?,
        rotate_to_heading_angular_vel: number(
            "rotate_to_heading_angular_vel",
            default.rotate_to_heading_angular_vel,
        )?,
        use_velocity_scaled_lookahead_dist: flag("use_velocity_scaled_lookahead_dist", false)?,
        min_approach_linear_velocity: number(
            "min_approach_linear_velocity",
            default.min_approach_linear_velocity,
        )?,
        approach_velocity_scaling_dist: number(
            "approach_velocity_scaling_dist",
            default.approach_velocity_scaling_dist,
        )?,
        max_allowed_time_to_collision_up_to_carrot: number(
            "max_allowed_time_to_collision_up_to_carrot",
            default.max_allowed_time_to_collision_up_to_carrot,
        )?,
        use_regulated_linear_velocity_scaling: flag("use_regulated_linear_velocity_scaling", true)?,
        use_cost_regulated_linear_velocity_scaling: flag("use_cost_regulated_linear_velocity_scaling", true)?,
        cost_scaling_dist: number("cost_scaling_dist", default.cost_scaling_dist)?,
        cost_scaling_gain: number("cost_scaling_gain", default.cost_scaling_gain)?,
        inflation_cost_scaling_factor: number(
            "inflation_cost_scaling_factor",
            default.inflation_cost_scaling_factor,
        )?,
        regulated_linear_scaling_min_radius: number(
            "regulated_linear_scaling_min_radius",
            default.regulated_linear_scaling_min_radius,
        )?,
        regulated_linear_scaling_min_speed: number(
            "regulated_linear_scaling_min_speed",
            default.regulated_linear_scaling_min_speed,
        )?,
        use_fixed_curvature_lookahead: flag("use_fixed_curvature_lookahead", false)?,
        curvature_lookahead_dist: number("curvature_lookahead_dist", default.curvature_lookahead_dist)?,
        use_rotate_to_heading,
        rotate_to_heading_min_angle: number(
            "rotate_to_heading_min_angle",
            default.rotate_to_heading_min_angle,
        )?,
        max_angular_accel: number("max_angular_accel", default.max_angular_accel)?,
        use_cancel_deceleration: flag("use_cancel_deceleration", false)?,
        cancel_deceleration: number("cancel_deceleration", default.cancel_deceleration)?,
        allow_reversing,
        max_robot_pose_search_dist: number("max_robot_pose_search_dist", default.max_robot_pose_search_dist)?,
        use_collision_detection: flag("use_collision_detection", true)?,
        stateful: flag("stateful", true)?,
        controller_frequency: 1.0
            / Parameters::new(parameters.node()).period("controller_frequency", 20.0)?.as_secs_f64(),
    })
}

impl ControllerPlugin for PursuitController {
    fn controller(&mut self) -> &mut dyn Controller {
        &mut self.pursuit
    }

    fn read_parameters(&mut self) -> Result<(), ComponentError> {
        *self.pursuit.settings_mut() = settings(&self.parameters)?;
        Ok(())
    }

    fn publish(&mut self, header: &Header, _path: &[Pose]) {
        let header = Header { frame_id: self.base_frame.clone(), ..header.clone() };
        if self.received.subscription_count() > 0 {
            // A failure does not matter: the next message comes soon.
            let _ = self.received.publish(&to_path(&header, self.pursuit.local_path()));
        }
        if self.point.subscription_count() > 0 {
            let point = self.pursuit.point();
            let _ = self
                .point
                .publish(&PointStamped { header, point: Point { x: point.x, y: point.y, z: 0.01 } });
        }
    }
}
