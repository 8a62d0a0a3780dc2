//! The critics of DWB by name.

use std::time::Duration;

use saltus::component::ComponentError;
use saltus_dwb::{
    Aggregation, BaseObstacle, Critic, GoalAlign, GoalDist, ObstacleFootprint, Oscillation,
    OscillationSettings, PathAlign, PathDist, PreferForward, PreferForwardSettings, RotateToGoal,
    RotateToGoalSettings, Twirling,
};
use saltus_server::{Parameters, PluginConfig, Plugins, range};

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
                forward_point_distance: config.parameters.number(
                    "forward_point_distance",
                    0.325,
                    range::FINITE,
                )?,
            })
        })
        .add("dwb_critics::GoalAlignCritic", |config| {
            let distance = config.parameters.number("forward_point_distance", 0.325, range::FINITE)?;
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

fn oscillation(config: &PluginConfig<'_>) -> Result<Box<dyn Critic>, ComponentError> {
    let parameters = &config.parameters;
    let time = parameters.unless_negative("oscillation_reset_time", -1.0)?;
    boxed(Oscillation::new(OscillationSettings {
        distance: parameters.number("oscillation_reset_dist", 0.05, range::NOT_NEGATIVE)?,
        angle: parameters.number("oscillation_reset_angle", 0.2, range::NOT_NEGATIVE)?,
        time: time.map(Duration::from_secs_f64),
        x_only: parameters.number("x_only_threshold", 0.05, range::NOT_NEGATIVE)?,
    }))
}

fn prefer_forward(config: &PluginConfig<'_>) -> Result<Box<dyn Critic>, ComponentError> {
    let parameters = &config.parameters;
    boxed(PreferForward(PreferForwardSettings {
        penalty: parameters.number("penalty", 1.0, range::FINITE)?,
        slow: parameters.number("strafe_x", 0.1, range::FINITE)?,
        straight: parameters.number("strafe_theta", 0.2, range::FINITE)?,
        turning: parameters.number("theta_scale", 10.0, range::FINITE)?,
    }))
}

fn rotate_to_goal(config: &PluginConfig<'_>) -> Result<Box<dyn Critic>, ComponentError> {
    let parameters = &config.parameters;
    // As in Nav2, these two belong to the controller.
    let controller = config.name.rsplit_once('.').map_or(config.name, |(controller, _)| controller);
    let common = parameters.of_node().part(controller);
    boxed(RotateToGoal::new(RotateToGoalSettings {
        xy_tolerance: common.number("xy_goal_tolerance", 0.25, range::NOT_NEGATIVE)?,
        stopped: common.number("trans_stopped_velocity", 0.25, range::NOT_NEGATIVE)?,
        slowing_factor: parameters.number("slowing_factor", 5.0, range::NOT_NEGATIVE)?,
        lookahead_time: parameters.unless_negative("lookahead_time", -1.0)?,
    }))
}
