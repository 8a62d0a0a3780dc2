//! The regulation of the speed.

use saltus_costmap::{Costmap, FREE, INSCRIBED, UNKNOWN};
use saltus_motion::{Pose, path};

use crate::settings::PursuitSettings;

/// Returns the speed on an arc with a curvature in 1/m, in m/s. `obstacle_distance` is the distance to the nearest obstacle in metres, if
/// it is known.
pub(crate) fn regulated(settings: &PursuitSettings, curvature: f64, obstacle_distance: Option<f64>) -> f64 {
    let speed = settings.desired_linear_vel;
    let mut slowest = speed;
    let (radius, min_radius) = (1.0 / curvature.abs(), settings.regulated_linear_scaling_min_radius);
    if settings.use_regulated_linear_velocity_scaling && radius < min_radius {
        slowest = slowest.min(speed * (1.0 - (radius - min_radius).abs() / min_radius));
    }
    if let Some(distance) = obstacle_distance.filter(|_| settings.use_cost_regulated_linear_velocity_scaling)
        && distance < settings.cost_scaling_dist
    {
        slowest = slowest.min(speed * settings.cost_scaling_gain * distance / settings.cost_scaling_dist);
    }
    // The desired speed may be below the minimum speed.
    slowest.max(settings.regulated_linear_scaling_min_speed.min(speed))
}

/// Computes the distance to the nearest obstacle from the cost of the cell of the robot, in metres; `None` if the cell is free, unknown
/// or outside of the costmap. `inscribed` is the inscribed radius of the robot, in metres.
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
    // The inverse of `InflationSettings::cost`.
    Some(inscribed - (f64::from(cost) / f64::from(INSCRIBED)).ln() / factor)
}

/// Returns the speed limited near the end of the path, in m/s.
pub(crate) fn approaching(settings: &PursuitSettings, path: &[Pose], speed: f64) -> f64 {
    let distance = settings.approach_velocity_scaling_dist;
    let Some(end) = path.last().filter(|_| path::length(path) < distance) else { return speed };
    let share = end.x.hypot(end.y) / distance;
    speed.min((speed * share).max(settings.min_approach_linear_velocity))
}
