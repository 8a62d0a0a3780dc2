//! The critics of DWB by name.

use std::time::Duration;

use saltus::{component::ComponentError, param::ParameterError};
use saltus_dwb::{
    Aggregation, BaseObstacle, Critic, GoalAlign, GoalDist, ObstacleFootprint, Oscillation,
    OscillationSettings, PathAlign, PathDist, PreferForward, PreferForwardSettings, RotateToGoal,
    RotateToGoalSettings, Twirling,
};
use saltus_server::{Making, Parameters, Plugins};

/// Returns the critics of Nav2.
pub fn standard_critics() -> Plugins<Box<dyn Critic>> {
    let mut critics = Plugins::default();
    critics
        .add("dwb_critics::BaseObstacleCritic", |making| {
            boxed(BaseObstacle { sums: making.parameters.get("sum_scores", false)? })
        })
        .add("dwb_critics::ObstacleFootprintCritic", |making| {
            boxed(ObstacleFootprint { sums: making.parameters.get("sum_scores", false)? })
        })
        .add("dwb_critics::PathDistCritic", |making| {
            boxed(PathDist { aggregation: aggregation(&making.parameters)? })
        })
        .add("dwb_critics::GoalDistCritic", |making| {
            boxed(GoalDist { aggregation: aggregation(&making.parameters)? })
        })
        .add("dwb_critics::PathAlignCritic", |making| {
            boxed(PathAlign {
                aggregation: aggregation(&making.parameters)?,
                forward_point_distance: making.parameters.get("forward_point_distance", 0.325)?,
            })
        })
        .add("dwb_critics::GoalAlignCritic", |making| {
            let distance = making.parameters.get("forward_point_distance", 0.325)?;
            boxed(GoalAlign::new(aggregation(&making.parameters)?, distance))
        })
        .add("dwb_critics::OscillationCritic", oscillation)
        .add("dwb_critics::PreferForwardCritic", prefer_forward)
        .add("dwb_critics::RotateToGoalCritic", rotate_to_goal)
        .add("dwb_critics::TwirlingCritic", |_| boxed(Twirling));
    critics
}

fn boxed(critic: impl Critic + 'static) -> Result<Box<dyn Critic>, ComponentError> {
    Ok(Box::new(critic))
}

fn aggregation(parameters: &Parameters) -> Result<Aggregation, ComponentError> {
    match &*parameters.text("aggregation_type", "last")? {
        "last" => Ok(Aggregation::Last),
        "sum" => Ok(Aggregation::Sum),
        "product" => Ok(Aggregation::Product),
        other => {
            Err(format!("aggregation_type parameter \"{other}\" invalid, it must be last, sum or product")
                .into())
        }
    }
}

/// Returns a number of a parameter; `None` if it is negative.
fn unless_negative(parameters: &Parameters, name: &str) -> Result<Option<f64>, ParameterError> {
    Ok(Some(parameters.get(name, -1.0)?).filter(|value| *value >= 0.0))
}

fn oscillation(making: &Making<'_>) -> Result<Box<dyn Critic>, ComponentError> {
    let parameters = &making.parameters;
    let time = unless_negative(parameters, "oscillation_reset_time")?;
    boxed(Oscillation::new(OscillationSettings {
        distance: parameters.get("oscillation_reset_dist", 0.05)?,
        angle: parameters.get("oscillation_reset_angle", 0.2)?,
        time: time.map(|time| Duration::from_secs_f64(time.min(86_400.0))),
        x_only: parameters.get("x_only_threshold", 0.05)?,
    }))
}

fn prefer_forward(making: &Making<'_>) -> Result<Box<dyn Critic>, ComponentError> {
    let parameters = &making.parameters;
    boxed(PreferForward(PreferForwardSettings {
        penalty: parameters.get("penalty", 1.0)?,
        slow: parameters.get("strafe_x", 0.1)?,
        straight: parameters.get("strafe_theta", 0.2)?,
        turning: parameters.get("theta_scale", 10.0)?,
    }))
}

fn rotate_to_goal(making: &Making<'_>) -> Result<Box<dyn Critic>, ComponentError> {
    let parameters = &making.parameters;
    // As in Nav2, these two belong to the controller.
    let controller = making.name.rsplit_once('.').map_or(making.name, |(controller, _)| controller);
    let common = Parameters::of(parameters.node(), controller);
    boxed(RotateToGoal::new(RotateToGoalSettings {
        xy_tolerance: common.get("xy_goal_tolerance", 0.25)?,
        stopped: common.get("trans_stopped_velocity", 0.25)?,
        slowing_factor: parameters.get("slowing_factor", 5.0)?,
        lookahead_time: unless_negative(parameters, "lookahead_time")?,
    }))
}
