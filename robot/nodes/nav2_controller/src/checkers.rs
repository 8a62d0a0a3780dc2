//! Goal checkers and progress checkers by name.

use saltus::component::ComponentError;
use saltus_motion::{GoalChecker, GoalTolerance, ProgressChecker};
use saltus_server::{Making, Named, Parameters, Plugins};

/// Returns the goal checkers of Nav2.
pub(crate) fn goal_checkers() -> Plugins<GoalChecker> {
    let mut plugins = Plugins::default();
    plugins
        .add("nav2_controller::SimpleGoalChecker", |making| Ok(GoalChecker::new(tolerance(making)?)))
        .add("nav2_controller::StoppedGoalChecker", |making| {
            let speed = |name| making.parameters.get(name, 0.25);
            let stopped = (speed("trans_stopped_velocity")?, speed("rot_stopped_velocity")?);
            Ok(GoalChecker::new(GoalTolerance { stopped: Some(stopped), ..tolerance(making)? }))
        })
        .add("nav2_controller::PositionGoalChecker", |making| {
            Ok(GoalChecker::new(GoalTolerance { yaw: None, ..tolerance(making)? }))
        });
    plugins
}

/// Returns the progress checkers of Nav2.
pub(crate) fn progress_checkers() -> Plugins<ProgressChecker> {
    let mut plugins = Plugins::default();
    plugins
        .add("nav2_controller::SimpleProgressChecker", |making| progress(making, None))
        .add("nav2_controller::PoseProgressChecker", |making| {
            progress(making, Some(making.parameters.get("required_movement_angle", 0.5)?))
        });
    plugins
}

fn tolerance(making: &Making<'_>) -> Result<GoalTolerance, ComponentError> {
    let parameters = &making.parameters;
    Ok(GoalTolerance {
        xy: parameters.get("xy_goal_tolerance", 0.25)?,
        yaw: Some(parameters.get("yaw_goal_tolerance", 0.25)?),
        is_symmetric: parameters.get("symmetric_yaw_tolerance", false)?,
        stopped: None,
        is_stateful: parameters.get("stateful", true)?,
    })
}

fn progress(making: &Making<'_>, angle: Option<f64>) -> Result<ProgressChecker, ComponentError> {
    let radius = making.parameters.get("required_movement_radius", 0.5)?;
    Ok(ProgressChecker::new(radius, angle, making.parameters.seconds("movement_time_allowance", 10.0)?))
}

/// Makes the plugins that the parameter `list` names, and says so. `what` is what they are.
pub(crate) fn make_named<T>(
    parameters: &Parameters,
    list: &str,
    defaults: &[(&str, &str)],
    what: &str,
    plugins: &Plugins<T>,
) -> Result<Vec<Named<T>>, ComponentError> {
    let logger = parameters.node().logger();
    let say = |name: &str, kind: &str| saltus::info!(logger, "Created {what} : {name} of type {kind}");
    let made = plugins.make_all(parameters, list, defaults, say)?;
    let names: Vec<&str> = made.iter().map(|named| named.name.as_str()).collect();
    saltus::info!(logger, "Controller Server has {} {what}s available.", names.join(" "));
    Ok(made)
}

/// Returns the place of a plugin. `""` is the only one, if there is only one.
pub(crate) fn place<T>(all: &[Named<T>], name: &str) -> Option<usize> {
    if name.is_empty() && all.len() == 1 {
        return Some(0);
    }
    all.iter().position(|named| named.name == name)
}
