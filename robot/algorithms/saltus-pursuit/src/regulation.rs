//! How fast the robot may be.

use saltus_costmap::{Costmap, FREE, INSCRIBED, UNKNOWN};
use saltus_motion::{Pose, path};

use crate::settings::PursuitSettings;

/// Returns the speed in a curve and near obstacles. `cost` is that of the cell of the robot.
pub(crate) fn regulated(settings: &PursuitSettings, curvature: f64, cost: Option<f64>) -> f64 {
    let speed = settings.desired_linear_vel;
    let mut slowest = speed;
    let (radius, least) = (1.0 / curvature.abs(), settings.regulated_linear_scaling_min_radius);
    if settings.use_regulated_linear_velocity_scaling && radius < least {
        slowest = slowest.min(speed * (1.0 - (radius - least).abs() / least));
    }
    if let Some(distance) = cost.filter(|_| settings.use_cost_regulated_linear_velocity_scaling)
        && distance < settings.cost_scaling_dist
    {
        slowest = slowest.min(speed * settings.cost_scaling_gain * distance / settings.cost_scaling_dist);
    }
    // Also if the desired speed is below the least one.
    slowest.max(settings.regulated_linear_scaling_min_speed.min(speed))
}

/// Returns how far the nearest obstacle is, as the cost of the robot's cell says it; `None` if it says nothing.
pub(crate) fn obstacle_distance(
    settings: &PursuitSettings,
    map: &Costmap,
    robot: &Pose,
    inscribed: f64,
) -> Option<f64> {
    let cost = map.cost(map.cell_at([robot.x, robot.y])?);
    let factor = settings.inflation_cost_scaling_factor;
    if cost == FREE || cost == UNKNOWN || factor <= 0.0 {
        return None;
    }
    // The inverse of the formula of the inflation.
    Some(inscribed - (f64::from(cost) / f64::from(INSCRIBED)).ln() / factor)
}

/// Returns the speed near the end of a path.
pub(crate) fn approaching(settings: &PursuitSettings, path: &[Pose], speed: f64) -> f64 {
    let distance = settings.approach_velocity_scaling_dist;
    let Some(end) = path.last().filter(|_| path::length(path) < distance) else { return speed };
    let share = end.x.hypot(end.y) / distance;
    speed.min((speed * share).max(settings.min_approach_linear_velocity))
}
