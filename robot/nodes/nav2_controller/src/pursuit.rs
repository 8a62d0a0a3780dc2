//! Regulated pure pursuit with its parameters and topics.

use saltus::{
    Publisher, QoS,
    component::ComponentError,
    msgs::{
        geometry_msgs::msg::{Point, PointStamped},
        nav_msgs::msg::Path,
        std_msgs::msg::Header,
    },
    param::{Parameter, ParameterError},
};
use saltus_motion::{Controller, Pose};
use saltus_nav_server::to_path;
use saltus_pursuit::{Pursuit, PursuitSettings};
use saltus_server::{Parameters, PluginConfig, range};

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
            pursuit: Pursuit::new(usable(&parameters)?),
            parameters,
            base_frame: base_frame.to_owned(),
            received: node.publisher("received_global_plan").qos(QoS::keep_last(1)).create()?,
            point: node.publisher("lookahead_point").qos(QoS::keep_last(1)).create()?,
        }))
    }
}

fn settings(parameters: &Parameters) -> Result<PursuitSettings, ParameterError> {
    let number = |name: &str, default, range| parameters.number(name, default, range);
    let speed = |name: &str, default| number(name, default, range::SPEED);
    let distance = |name: &str, default| number(name, default, range::NOT_NEGATIVE);
    let flag = |name: &str, default: bool| parameters.get(name, default);
    let default = PursuitSettings::default();
    let max_collision_time = default.max_allowed_time_to_collision_up_to_carrot;
    Ok(PursuitSettings {
        desired_linear_vel: speed("desired_linear_vel", default.desired_linear_vel)?,
        lookahead_dist: number("lookahead_dist", default.lookahead_dist, range::POSITIVE)?,
        min_lookahead_dist: distance("min_lookahead_dist", default.min_lookahead_dist)?,
        max_lookahead_dist: number("max_lookahead_dist", default.max_lookahead_dist, range::POSITIVE)?,
        lookahead_time: number("lookahead_time", default.lookahead_time, range::SECONDS)?,
        rotate_to_heading_angular_vel: speed(
            "rotate_to_heading_angular_vel",
            default.rotate_to_heading_angular_vel,
        )?,
        use_velocity_scaled_lookahead_dist: flag("use_velocity_scaled_lookahead_dist", false)?,
        min_approach_linear_velocity: speed(
            "min_approach_linear_velocity",
            default.min_approach_linear_velocity,
        )?,
        approach_velocity_scaling_dist: distance(
            "approach_velocity_scaling_dist",
            default.approach_velocity_scaling_dist,
        )?,
        max_allowed_time_to_collision_up_to_carrot: number(
            "max_allowed_time_to_collision_up_to_carrot",
            max_collision_time,
            range::SECONDS,
        )?,
        use_regulated_linear_velocity_scaling: flag("use_regulated_linear_velocity_scaling", true)?,
        use_cost_regulated_linear_velocity_scaling: flag("use_cost_regulated_linear_velocity_scaling", true)?,
        cost_scaling_dist: distance("cost_scaling_dist", default.cost_scaling_dist)?,
        cost_scaling_gain: number("cost_scaling_gain", default.cost_scaling_gain, range::NOT_NEGATIVE)?,
        inflation_cost_scaling_factor: number(
            "inflation_cost_scaling_factor",
            default.inflation_cost_scaling_factor,
            range::NOT_NEGATIVE,
        )?,
        regulated_linear_scaling_min_radius: distance(
            "regulated_linear_scaling_min_radius",
            default.regulated_linear_scaling_min_radius,
        )?,
        regulated_linear_scaling_min_speed: speed(
            "regulated_linear_scaling_min_speed",
            default.regulated_linear_scaling_min_speed,
        )?,
        use_fixed_curvature_lookahead: flag("use_fixed_curvature_lookahead", false)?,
        curvature_lookahead_dist: number(
            "curvature_lookahead_dist",
            default.curvature_lookahead_dist,
            range::POSITIVE,
        )?,
        use_rotate_to_heading: flag("use_rotate_to_heading", default.use_rotate_to_heading)?,
        rotate_to_heading_min_angle: distance(
            "rotate_to_heading_min_angle",
            default.rotate_to_heading_min_angle,
        )?,
        max_angular_accel: number("max_angular_accel", default.max_angular_accel, range::POSITIVE)?,
        use_cancel_deceleration: flag("use_cancel_deceleration", false)?,
        // With less, a robot whose goal is canceled would drive on.
        cancel_deceleration: number("cancel_deceleration", default.cancel_deceleration, 0.01..=1e6)?,
        allow_reversing: flag("allow_reversing", default.allow_reversing)?,
        max_robot_pose_search_dist: number(
            "max_robot_pose_search_dist",
            default.max_robot_pose_search_dist,
            range::NUMBER,
        )?,
        use_collision_detection: flag("use_collision_detection", true)?,
        stateful: flag("stateful", true)?,
        controller_frequency: 1.0 / parameters.of_node().period("controller_frequency", 20.0)?.as_secs_f64(),
    })
}

/// Returns the settings that are used. A robot can't both turn to its path and drive backward on it, and the scaling by costs needs
/// the factor of the inflation.
fn usable(parameters: &Parameters) -> Result<PursuitSettings, ParameterError> {
    let mut settings = settings(parameters)?;
    if settings.use_rotate_to_heading && settings.allow_reversing {
        // The text is Nav2's.
        saltus::warn!(
            parameters.node().logger(),
            "Disabling reversing. Both use_rotate_to_heading and allow_reversing parameter cannot be set to true. By \
             default setting use_rotate_to_heading true over allow_reversing."
        );
        settings.allow_reversing = false;
    }
    if settings.use_cost_regulated_linear_velocity_scaling && settings.inflation_cost_scaling_factor <= 0.0 {
        // The text is Nav2's.
        saltus::warn!(
            parameters.node().logger(),
            "The value inflation_cost_scaling_factor is incorrectly set, it should be >0. Disabling cost regulated \
             linear velocity scaling."
        );
        settings.use_cost_regulated_linear_velocity_scaling = false;
    }
    Ok(settings)
}

impl ControllerPlugin for PursuitController {
    fn controller(&mut self) -> &mut dyn Controller {
        &mut self.pursuit
    }

    fn read_parameters(&mut self) -> Result<(), ComponentError> {
        *self.pursuit.settings_mut() = usable(&self.parameters)?;
        Ok(())
    }

    fn check_parameters(&self, proposed: &[Parameter]) -> Result<(), ComponentError> {
        let has_both =
            |settings: &PursuitSettings| settings.use_rotate_to_heading && settings.allow_reversing;
        // A file may set both. That must not refuse changes of other parameters.
        let had_both = has_both(&settings(&self.parameters)?);
        let after = settings(&self.parameters.proposing(proposed))?;
        match has_both(&after) && !had_both {
            true => Err("Both use_rotate_to_heading and allow_reversing parameter cannot be set to true. Rejecting parameter update.".into()),
            false => Ok(()),
        }
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
