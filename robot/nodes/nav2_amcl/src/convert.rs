//! Conversions between messages and values.

use saltus::msgs::{
    geometry_msgs::msg::PoseWithCovariance, nav_msgs::msg::OccupancyGrid,
    nav2_msgs::msg::Particle as ParticleMessage,
};
use saltus_amcl::{Estimate, Field, Particle};
use saltus_nav_server::{to_pose, upright};

/// The indices of x, y and the heading in a covariance of six parts.
const PARTS: [usize; 3] = [0, 1, 5];

/// Returns the covariance of x, y and the heading.
pub(crate) fn from_covariance(pose: &PoseWithCovariance) -> [[f64; 3]; 3] {
    PARTS.map(|row| PARTS.map(|column| pose.covariance[row * 6 + column]))
}

/// Returns an estimate as a message.
pub(crate) fn to_estimate(estimate: &Estimate) -> PoseWithCovariance {
    let mut covariance = [0.0; 36];
    for (row, values) in PARTS.into_iter().zip(estimate.covariance) {
        for (column, value) in PARTS.into_iter().zip(values) {
            covariance[row * 6 + column] = value;
        }
    }
    PoseWithCovariance { pose: to_pose(&estimate.pose), covariance }
}

/// Returns a particle as a message.
pub(crate) fn to_particle(particle: &Particle) -> ParticleMessage {
    ParticleMessage { pose: to_pose(&particle.pose), weight: particle.weight }
}

/// Returns the field of a map, or the problem of the map.
pub(crate) fn to_field(map: &OccupancyGrid, farthest: f64) -> Result<Field, String> {
    let upright = upright(map)?;
    let map = &*upright;
    let info = &map.info;
    let size = (info.width, info.height);
    let resolution = f64::from(info.resolution);
    let origin = [info.origin.position.x, info.origin.position.y];
    if map.data.len() != info.width as usize * info.height as usize {
        return Err(format!("a map of {} x {} cells has {} values", size.0, size.1, map.data.len()));
    }
    if !(resolution > 0.0 && resolution.is_finite() && origin.iter().all(|part| part.is_finite())) {
        return Err(
            "the resolution and the origin of a map must be finite, and its resolution positive".into()
        );
    }
    Ok(Field::new(size, resolution, origin, &map.data, farthest))
}
