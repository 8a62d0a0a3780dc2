//! The messages of a simulation.

use saltus::{
    Time,
    msgs::{
        geometry_msgs::msg::{
            Point, Pose as PoseMessage, PoseWithCovariance, PoseWithCovarianceStamped, Quaternion, Twist,
            TwistWithCovariance, Vector3,
        },
        nav_msgs::msg::Odometry,
        rosgraph_msgs::msg::Clock,
        sensor_msgs::msg::{CameraInfo, Image, Imu, JointState, LaserScan},
        std_msgs::msg::{ColorRGBA, Header},
        tf2_msgs::msg::TFMessage,
        visualization_msgs::msg::{Marker, MarkerArray},
    },
    tf::{StampedTransform, Transform, to_message},
};
use saltus_sim::{
    Camera, Command, DepthImage, ImuReading, JointReading, Lidar, Model, OdometryReading, OdometrySource,
    Pose, RobotSpec, Scan, Sensor, SensorKind, Shape, Velocity, World,
};

/// The covariances of odometry, as Gazebo publishes them: the plane is exact, and the rest is unknown.
const COVARIANCES: [f64; 6] = [1e-5, 1e-5, 1e12, 1e12, 1e12, 1e-3];

pub(crate) fn clock(now: Time) -> Clock {
    Clock { clock: now.into() }
}

pub(crate) fn header(now: Time, frame: &str) -> Header {
    Header { stamp: now.into(), frame_id: frame.into() }
}

pub(crate) fn pose(pose: &Pose) -> PoseMessage {
    PoseMessage { position: Point { x: pose.x, y: pose.y, z: 0.0 }, orientation: rotation(pose.yaw) }
}

/// Returns a pose in the plane; `None` if a number is not finite, or if the quaternion is not a rotation.
pub(crate) fn from_pose(message: &PoseMessage) -> Option<Pose> {
    let PoseMessage { position: Point { x, y, z }, orientation: Quaternion { x: i, y: j, z: k, w } } =
        *message;
    let [_, _, yaw] = Transform::new([x, y, z], [i, j, k, w]).ok()?.rpy();
    Some(Pose::new(x, y, yaw))
}

fn rotation(yaw: f64) -> Quaternion {
    let (z, w) = (yaw / 2.0).sin_cos();
    Quaternion { x: 0.0, y: 0.0, z, w }
}

pub(crate) fn twist(velocity: &Velocity) -> Twist {
    Twist {
        linear: Vector3 { x: velocity.forward, y: velocity.left, z: 0.0 },
        angular: Vector3 { x: 0.0, y: 0.0, z: velocity.turn },
    }
}

pub(crate) fn velocity(twist: &Twist) -> Velocity {
    Velocity { forward: twist.linear.x, left: twist.linear.y, turn: twist.angular.z }
}

pub(crate) fn command(twist: &Twist) -> Command {
    Command { forward: twist.linear.x, left: twist.linear.y, turn: twist.angular.z }
}

fn covariance(diagonal: [f64; 6]) -> [f64; 36] {
    let mut all = [0.0; 36];
    diagonal.iter().enumerate().for_each(|(index, value)| all[index * 7] = *value);
    all
}

pub(crate) fn odometry(model: &Model, reading: &OdometryReading, now: Time) -> (Odometry, TFMessage) {
    let Pose { x, y, yaw } = reading.pose;
    let base = Transform::from_xyz_rpy([x, y, 0.0], [0.0, 0.0, yaw]);
    let stamped = StampedTransform::new(&model.odometry_frame, &model.base_frame, now, base);
    let odometry = Odometry {
        header: header(now, &model.odometry_frame),
        child_frame_id: model.base_frame.clone(),
        pose: PoseWithCovariance { pose: pose(&reading.pose), covariance: covariance(COVARIANCES) },
        twist: TwistWithCovariance { twist: twist(&reading.velocity), covariance: covariance(COVARIANCES) },
    };
    (odometry, TFMessage { transforms: vec![to_message(&stamped)] })
}

pub(crate) fn joints(model: &Model, reading: JointReading, now: Time) -> JointState {
    JointState {
        header: header(now, ""),
        name: model.drive.joints.clone(),
        position: reading.positions,
        velocity: reading.velocities,
        effort: Vec::new(),
    }
}

pub(crate) fn scan(sensor: &Sensor, lidar: &Lidar, scan: &Scan, now: Time) -> LaserScan {
    LaserScan {
        header: header(now, &sensor.mount.frame),
        angle_min: lidar.angle_min as f32,
        angle_max: lidar.angle_max as f32,
        angle_increment: lidar.increment() as f32,
        time_increment: 0.0,
        scan_time: (1.0 / sensor.rate) as f32,
        range_min: lidar.range_min as f32,
        range_max: lidar.range_max as f32,
        ranges: scan.ranges.iter().map(|range| *range as f32).collect(),
        intensities: Vec::new(),
    }
}

pub(crate) fn imu(sensor: &Sensor, reading: &ImuReading, now: Time) -> Imu {
    let SensorKind::Imu(kind) = &sensor.kind else { unreachable!("an IMU tells this") };
    let vector = |[x, y, z]: [f64; 3]| Vector3 { x, y, z };
    let equal = |deviation: f64| {
        let square = deviation * deviation;
        [square, 0.0, 0.0, 0.0, square, 0.0, 0.0, 0.0, square]
    };
    Imu {
        header: header(now, &sensor.mount.frame),
        orientation: rotation(reading.yaw),
        orientation_covariance: [0.0; 9],
        angular_velocity: vector(reading.turn),
        angular_velocity_covariance: equal(kind.turn_noise),
        linear_acceleration: vector(reading.acceleration),
        linear_acceleration_covariance: equal(kind.acceleration_noise),
    }
}

pub(crate) fn position(sensor: &Sensor, reading: &Pose, now: Time) -> PoseWithCovarianceStamped {
    let SensorKind::Position { noise, yaw_noise } = sensor.kind else {
        unreachable!("a position sensor tells this")
    };
    let diagonal = [noise * noise, noise * noise, 0.0, 0.0, 0.0, yaw_noise * yaw_noise];
    PoseWithCovarianceStamped {
        header: header(now, &sensor.mount.frame),
        pose: PoseWithCovariance { pose: pose(reading), covariance: covariance(diagonal) },
    }
}

/// Returns an image of distances in metres, as in REP 118.
pub(crate) fn depth(sensor: &Sensor, camera: &Camera, image: &DepthImage, now: Time) -> Image {
    Image {
        header: header(now, &sensor.mount.frame),
        height: camera.height,
        width: camera.width,
        encoding: "32FC1".into(),
        is_bigendian: 0,
        step: camera.width * 4,
        data: image.depths.iter().flat_map(|depth| depth.to_le_bytes()).collect(),
    }
}

pub(crate) fn camera_info(sensor: &Sensor, camera: &Camera, now: Time) -> CameraInfo {
    let focal = camera.focal_length();
    let [x, y] = [camera.width, camera.height].map(|count| f64::from(count) / 2.0 - 0.5);
    CameraInfo {
        header: header(now, &sensor.mount.frame),
        height: camera.height,
        width: camera.width,
        distortion_model: "plumb_bob".into(),
        d: vec![0.0; 5],
        k: [focal, 0.0, x, 0.0, focal, y, 0.0, 0.0, 1.0],
        r: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        p: [focal, 0.0, x, 0.0, 0.0, focal, y, 0.0, 0.0, 0.0, 1.0, 0.0],
        ..CameraInfo::default()
    }
}

/// Returns the obstacles of a world that do not move, in the frame of the first robot whose odometry is that of the world. `None`
/// if there is no such frame.
pub(crate) fn obstacles(world: &World) -> Option<MarkerArray> {
    let is_world = |robot: &&RobotSpec| robot.model.odometry == OdometrySource::World;
    let frame = &world.robots.iter().find(is_world)?.model.odometry_frame;
    let mut triangles = Marker {
        r#type: Marker::TRIANGLE_LIST,
        scale: Vector3 { x: 1.0, y: 1.0, z: 1.0 },
        ..marker(frame, "polygons", 0)
    };
    let mut markers = Vec::new();
    for (index, shape) in world.obstacles.iter().enumerate() {
        match shape {
            Shape::Circle { center, radius } => markers.push(Marker {
                r#type: Marker::CYLINDER,
                pose: pose(&Pose::new(center.x, center.y, 0.0)),
                scale: Vector3 { x: 2.0 * radius, y: 2.0 * radius, z: world.height },
                ..marker(frame, "circles", index as i32)
            }),
            Shape::Polygon(points) => {
                // A convex polygon is a fan of triangles.
                let corner = |point: &saltus_sim::Point| Point { x: point.x, y: point.y, z: 0.0 };
                let fan = points.windows(2).skip(1);
                triangles.points.extend(fan.flat_map(|side| [&points[0], &side[0], &side[1]]).map(corner));
            }
        }
    }
    markers.push(triangles);
    Some(MarkerArray { markers })
}

fn marker(frame: &str, namespace: &str, id: i32) -> Marker {
    let gray = ColorRGBA { r: 0.45, g: 0.5, b: 0.55, a: 1.0 };
    Marker {
        header: header(Time::default(), frame),
        ns: namespace.into(),
        id,
        color: gray,
        ..Marker::default()
    }
}

/// Returns the name of a topic of a robot.
pub(crate) fn topic(spec: &RobotSpec, name: &str) -> String {
    match spec.namespace.trim_matches('/') {
        "" => name.into(),
        namespace => format!("/{namespace}/{name}"),
    }
}
