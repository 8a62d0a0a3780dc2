//! Conversions between messages and poses, paths, velocities and durations.

use std::time::Duration;

use saltus::{
    Time,
    msgs::{
        builtin_interfaces::msg::Duration as DurationMessage,
        geometry_msgs::msg::{Point, Pose as PoseMessage, PoseStamped, Quaternion, Twist, Vector3},
        nav_msgs::msg::Path,
        std_msgs::msg::Header,
    },
    tf::Transform,
};
use saltus_motion::{Pose, Velocity};

/// Returns the transform of a pose.
pub fn to_transform(pose: &Pose) -> Transform {
    Transform::from_xyz_rpy([pose.x, pose.y, 0.0], [0.0, 0.0, pose.yaw])
}

/// Returns the pose of a transform in the plane.
pub fn from_transform(transform: &Transform) -> Pose {
    let [x, y, _] = transform.translation();
    Pose::new(x, y, transform.rpy()[2])
}

/// Returns a pose as a message.
///
/// ```
/// use saltus_motion::Pose;
/// use saltus_nav_server::{from_pose, to_pose};
/// let pose = Pose::new(1.0, 2.0, 0.5);
/// let same = from_pose(&to_pose(&pose)).unwrap();
/// assert!(same.distance(&pose) < 1e-12 && (same.yaw - 0.5).abs() < 1e-12);
/// ```
pub fn to_pose(pose: &Pose) -> PoseMessage {
    let [x, y, z, w] = to_transform(pose).rotation();
    PoseMessage { position: Point { x: pose.x, y: pose.y, z: 0.0 }, orientation: Quaternion { x, y, z, w } }
}

/// Returns the pose of a message in the plane; `None` if it is not finite, or not a rotation.
pub fn from_pose(pose: &PoseMessage) -> Option<Pose> {
    let (Point { x, y, z }, turn) = (&pose.position, &pose.orientation);
    let transform = Transform::new([*x, *y, *z], [turn.x, turn.y, turn.z, turn.w]).ok()?;
    Some(from_transform(&transform)).filter(Pose::is_finite)
}

/// Returns a pose with a frame and a stamp.
pub fn to_stamped(header: &Header, pose: &Pose) -> PoseStamped {
    PoseStamped { header: header.clone(), pose: to_pose(pose) }
}

/// Returns a path in a frame at a time.
pub fn to_path(header: &Header, path: &[Pose]) -> Path {
    Path { header: header.clone(), poses: path.iter().map(|pose| to_stamped(header, pose)).collect() }
}

/// Returns the poses of a path in the frame of the path; `None` if one of them is not finite, or not a rotation.
pub fn from_path(path: &Path) -> Option<Vec<Pose>> {
    path.poses.iter().map(|stamped| from_pose(&stamped.pose)).collect()
}

/// Returns a velocity as a message.
pub fn to_twist(velocity: &Velocity) -> Twist {
    Twist {
        linear: Vector3 { x: velocity.x, y: velocity.y, z: 0.0 },
        angular: Vector3 { x: 0.0, y: 0.0, z: velocity.theta },
    }
}

/// Returns the velocity of a message.
pub fn from_twist(twist: &Twist) -> Velocity {
    Velocity::new(twist.linear.x, twist.linear.y, twist.angular.z)
}

/// Returns the time since the epoch; 0 for a time before it.
pub fn time_since_start(time: Time) -> Duration {
    Duration::from_nanos(u64::try_from(time.as_nanos()).unwrap_or(0))
}

/// Returns a duration as a message. A duration that is too long for the message becomes the longest one.
pub fn to_duration(time: Duration) -> DurationMessage {
    match i32::try_from(time.as_secs()) {
        Ok(sec) => DurationMessage { sec, nanosec: time.subsec_nanos() },
        Err(_) => DurationMessage { sec: i32::MAX, nanosec: 999_999_999 },
    }
}

/// Returns the duration of a message; 0 if it is negative.
pub fn from_duration(message: &DurationMessage) -> Duration {
    let seconds = u64::try_from(message.sec).unwrap_or(0);
    let nanoseconds = if message.sec < 0 { 0 } else { message.nanosec };
    Duration::from_secs(seconds) + Duration::from_nanos(u64::from(nanoseconds))
}
