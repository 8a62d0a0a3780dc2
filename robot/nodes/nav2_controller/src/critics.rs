//! The critics of DWB by name.

use std::time::Duration;

use saltus::{component::ComponentError, param::ParameterError};
use saltus_dwb::{
    Aggregation, BaseObstacle, Critic, GoalAlign, GoalDist, ObstacleFootprint, Oscillation,
    OscillationSettings, PathAlign, PathDist, PreferForward, PreferForwardSettings, RotateToGoal,
    RotateToGoalSettings, Twirling,
};
use saltus_server::{Parameters, PluginConfig, Plugins};

/// Returns the critics of Nav2.
pub fn standard_critics() -> Plugins<Box<dyn Critic>> {
    let mut critics = Plugins::default();
    critics
        .add("dwb_critics::BaseObstacleCritic", |config| {
            boxed(BaseObstacle { sums: config.parameters.get("sum_scores", false)? })
        })
        .add("dwb_critics::ObstacleFootprintCritic", |config| {
            boxed(ObstacleFootprint { sums: config.parameters.get("sum_scores", false)? })
        })
        .add("dwb_critics::PathDistCritic", |config| {
            boxed(PathDist { aggregation: aggregation(&config.parameters)? })
        })
        .add("dwb_critics::GoalDistCritic", |config| {
            boxed(GoalDist { aggregation: aggregation(&config.parameters)? })
        })
        .add("dwb_critics::PathAlignCritic", |config| {
            boxed(PathAlign {
                aggregation: aggregation(&config.parameters)?,
                forward_point_distance: config.parameters.get("forward_point_distance", 0.325)?,
            })
        })
        .add("dwb_critics::GoalAlignCritic", |config| {
            let distance = config.parameters.get("forward_point_distance", 0.325)?;
            boxed(GoalAlign::new(aggregation(&config.parameters)?, distance))
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

fn oscillation(config: &PluginConfig<'_>) -> Result<Box<dyn Critic>, ComponentError> {
    let parameters = &config.parameters;
    let time = unless_negative(parameters, "oscillation_reset_time")?;
    boxed(Oscillation::new(OscillationSettings {
        distance: parameters.get("oscillation_reset_dist", 0.05)?,
        angle: parameters.get("oscillation_reset_angle", 0.2)?,
        time: time.map(|time| Duration::from_secs_f64(time.min(86_400.0))),
        x_only: parameters.get("x_only_threshold", 0.05)?,
    }))
}

fn prefer_forward(config: &PluginConfig<'_>) -> Result<Box<dyn Critic>, ComponentError> {
    let parameters = &config.parameters;
    boxed(PreferForward(PreferForwardSettings {
        penalty: parameters.get("penalty", 1.0)?,
        slow: parameters.get("strafe_x", 0.1)?,
        straight: parameters.get("strafe_theta", 0.2)?,
        turning: parameters.get("theta_scale", 10.0)?,
    }))
}

fn rotate_to_goal(config: &PluginConfig<'_>) -> Result<Box<dyn Critic>, ComponentError> {
    let parameters = &config.parameters;
    // As in Nav2, these two belong to the controller.
    let controller = config.name.rsplit_once('.').map_or(config.name, |(controller, _)| controller);
    let common = Parameters::for_plugin(parameters.node(), controller);
    boxed(RotateToGoal::new(RotateToGoalSettings {
        xy_tolerance: common.get("xy_goal_tolerance", 0.25)?,
        stopped: common.get("trans_stopped_velocity", 0.25)?,
        slowing_factor: parameters.get("slowing_factor", 5.0)?,
        lookahead_time: unless_negative(parameters, "lookahead_time")?,
    }))
}
