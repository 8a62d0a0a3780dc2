//! The lookahead point on the path. All poses are in the frame of the robot.

use saltus_motion::{Pose, wrapped};

/// Returns the lookahead point: the point of a path at a distance from the robot, or the end of the path if it is nearer.
pub(crate) fn carrot(path: &[Pose], distance: f64) -> Pose {
    let range = |pose: &Pose| pose.x.hypot(pose.y);
    match path.iter().position(|pose| range(pose) >= distance) {
        Some(index) if index > 0 => intersection(&path[index - 1], &path[index], distance),
        Some(index) => path[index],
        None => path.last().copied().unwrap_or_default(),
    }
}

/// Returns the intersection of a circle around the robot with the line from a point inside to a point outside.
fn intersection(inside: &Pose, outside: &Pose, radius: f64) -> Pose {
    let (dx, dy) = (outside.x - inside.x, outside.y - inside.y);
    let squared = dx * dx + dy * dy;
    // The larger solution of |inside + share * d|² = radius² is between 0 and 1.
    let along = inside.x * dx + inside.y * dy;
    let constant = inside.x * inside.x + inside.y * inside.y - radius * radius;
    let root = (along * along - squared * constant).max(0.0).sqrt();
    let share = if squared > 0.0 { ((root - along) / squared).clamp(0.0, 1.0) } else { 1.0 };
    Pose { x: inside.x + share * dx, y: inside.y + share * dy, yaw: outside.yaw }
}

/// Returns the curvature of the arc to a point, in 1/m. It is positive to the left.
pub(crate) fn curvature(point: &Pose) -> f64 {
    let squared = point.x * point.x + point.y * point.y;
    if squared > 0.001 { 2.0 * point.y / squared } else { 0.0 }
}

/// Returns the distance to the first cusp, in metres: a pose at which the path reverses, or the robot turns on the spot.
pub(crate) fn cusp(path: &[Pose]) -> Option<f64> {
    let is_cusp = |[before, current, after]: &[Pose; 3]| {
        let along =
            (current.x - before.x) * (after.x - current.x) + (current.y - before.y) * (after.y - current.y);
        let stays = current.distance(after) == 0.0 && wrapped(current.yaw - after.yaw) != 0.0;
        along < 0.0 || stays
    };
    path.array_windows().find(|poses| is_cusp(poses)).map(|[_, current, _]| current.x.hypot(current.y))
}
