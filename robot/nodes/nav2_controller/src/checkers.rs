//! Goal checkers and progress checkers by name.

use saltus::component::ComponentError;
use saltus_motion::{GoalChecker, GoalTolerance, ProgressChecker};
use saltus_server::{PluginConfig, Plugins, range};

/// Returns the goal checkers of Nav2.
pub(crate) fn goal_checkers() -> Plugins<GoalChecker> {
    let mut plugins = Plugins::default();
    plugins
        .add("nav2_controller::SimpleGoalChecker", |config| Ok(GoalChecker::new(tolerance(config)?)))
        .add("nav2_controller::StoppedGoalChecker", |config| {
            let speed = |name| config.parameters.number(name, 0.25, range::SPEED);
            let stopped = (speed("trans_stopped_velocity")?, speed("rot_stopped_velocity")?);
            Ok(GoalChecker::new(GoalTolerance { stopped: Some(stopped), ..tolerance(config)? }))
        })
        .add("nav2_controller::PositionGoalChecker", |config| {
            Ok(GoalChecker::new(GoalTolerance { yaw: None, ..tolerance(config)? }))
        });
    plugins
}

/// Returns the progress checkers of Nav2.
pub(crate) fn progress_checkers() -> Plugins<ProgressChecker> {
    let mut plugins = Plugins::default();
    plugins.add("nav2_controller::SimpleProgressChecker", |config| progress(config, None)).add(
        "nav2_controller::PoseProgressChecker",
        |config| {
            progress(
                config,
                Some(config.parameters.number("required_movement_angle", 0.5, range::NOT_NEGATIVE)?),
            )
        },
    );
    plugins
}

fn tolerance(config: &PluginConfig<'_>) -> Result<GoalTolerance, ComponentError> {
    let parameters = &config.parameters;
    Ok(GoalTolerance {
        xy: parameters.number("xy_goal_tolerance", 0.25, range::NOT_NEGATIVE)?,
        yaw: Some(parameters.number("yaw_goal_tolerance", 0.25, range::NOT_NEGATIVE)?),
        is_symmetric: parameters.get("symmetric_yaw_tolerance", false)?,
        stopped: None,
        is_stateful: parameters.get("stateful", true)?,
    })
}

fn progress(config: &PluginConfig<'_>, angle: Option<f64>) -> Result<ProgressChecker, ComponentError> {
    let radius = config.parameters.number("required_movement_radius", 0.5, range::NOT_NEGATIVE)?;
    Ok(ProgressChecker::new(radius, angle, config.parameters.seconds("movement_time_allowance", 10.0)?))
}
