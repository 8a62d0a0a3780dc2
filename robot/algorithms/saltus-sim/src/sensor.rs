//! The sensors of a robot and their properties.

use saltus_yaml::Node;

use crate::{
    fields::{ANY, Fields, NOT_NEGATIVE, Result, number, numbers},
    pose::Pose,
    urdf::PlanarDescription,
};

/// The mount of a sensor on its robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Mount {
    /// The name of the frame of the sensor. The frame of a camera is an optical frame (REP 103): the camera looks along the axis z, and the
    /// axis y points downward.
    pub frame: String,
    /// The pose in the frame of the robot. A camera looks along the axis x of this pose.
    pub pose: Pose,
    /// The height above the frame of the robot, in metres.
    pub height: f64,
}

/// A sensor of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensor {
    /// The kind of the sensor.
    pub kind: SensorKind,
    /// The topic of the messages, relative to the namespace of the robot.
    pub topic: String,
    /// The rate of the measurements, in Hz.
    pub rate: f64,
    /// The mount on the robot.
    pub mount: Mount,
}

/// The kind of a sensor with its properties.
#[derive(Clone, Debug, PartialEq)]
pub enum SensorKind {
    /// A lidar, which measures distances in a plane.
    Lidar(Lidar),
    /// An inertial measurement unit, which measures accelerations and angular velocities.
    Imu(Imu),
    /// A bumper, which detects whether the robot touches an object.
    Bumper,
    /// A sensor of the pose in the world, such as a satellite receiver or a tracking system.
    Position {
        /// The standard deviation of x and y, in metres.
        noise: f64,
        /// The standard deviation of the heading, in radians.
        yaw_noise: f64,
    },
    /// A depth camera, which measures an image of distances.
    Camera(Camera),
}

/// The properties of a lidar, which casts rays in a plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Lidar {
    /// The number of rays.
    pub samples: u32,
    /// The angle of the first ray in the frame of the lidar, in radians.
    pub angle_min: f64,
    /// The angle of the last ray in the frame of the lidar, in radians.
    pub angle_max: f64,
    /// The smallest distance that the lidar measures, in metres.
    pub range_min: f64,
    /// The largest distance that the lidar measures, in metres.
    pub range_max: f64,
    /// The standard deviation of a distance, in metres.
    pub noise: f64,
    /// The step to which distances are rounded, in metres; 0 if they are not rounded.
    pub resolution: f64,
}

impl Lidar {
    /// Returns the angle between two rays, in radians.
    pub fn increment(&self) -> f64 {
        (self.angle_max - self.angle_min) / f64::from(self.samples.saturating_sub(1).max(1))
    }
}

/// The properties of an inertial measurement unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Imu {
    /// The standard deviation of angular velocities, in rad/s.
    pub turn_noise: f64,
    /// The standard deviation of accelerations, in m/s².
    pub acceleration_noise: f64,
}

/// The properties of a depth camera that looks forward.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// The number of columns.
    pub width: u32,
    /// The number of rows.
    pub height: u32,
    /// The horizontal field of view, in radians.
    pub fov: f64,
    /// The largest depth that the camera measures, in metres.
    pub range_max: f64,
    /// The standard deviation of a depth, in metres.
    pub noise: f64,
}

impl Camera {
    /// Returns the focal length in pixels.
    pub fn focal_length(&self) -> f64 {
        f64::from(self.width) / 2.0 / (self.fov / 2.0).tan()
    }
}

/// The range of the rates of sensors, in Hz.
pub(crate) const RATES: (f64, f64) = (0.01, 10_000.0);

impl Sensor {
    /// Reads an entry of `sensors`: a mapping from the kind to the properties. `outline` is the description of the robot, if there is one.
    pub(crate) fn read(node: &Node, outline: Option<&PlanarDescription>) -> Result<Self> {
        let Some([(kind, node)]) = node.as_mapping() else {
            return Err(node.error("expected one sensor, such as `lidar: {rate: 5.0, …}`"));
        };
        let fields = Fields::new(node)?;
        let noise = |key| fields.number_or(key, NOT_NEGATIVE, 0.0);
        let (kind, topic, frame) = match &**kind {
            "lidar" => (SensorKind::Lidar(lidar(&fields)?), "scan", "base_scan"),
            "imu" => {
                let (turn_noise, acceleration_noise) = (noise("turn_noise")?, noise("acceleration_noise")?);
                (SensorKind::Imu(Imu { turn_noise, acceleration_noise }), "imu", "imu_link")
            }
            "bumper" => (SensorKind::Bumper, "bumper", "base_link"),
            "position" => {
                let (noise, yaw_noise) = (noise("noise")?, noise("yaw_noise")?);
                (SensorKind::Position { noise, yaw_noise }, "position", "world")
            }
            "camera" => (SensorKind::Camera(camera(&fields)?), "camera", "camera_depth_optical_frame"),
            other => {
                let text = format!("expected lidar, imu, bumper, position or camera, found `{other}`");
                return Err(node.error(text));
            }
        };
        let mount = mount(&fields, &kind, frame, outline)?;
        let sensor =
            Self { kind, topic: fields.text_or("topic", topic)?, rate: fields.number("rate", RATES)?, mount };
        fields.finish()?;
        Ok(sensor)
    }
}

/// Reads the mount of a sensor. Without a `pose`, the sensor is at its frame in the description.
fn mount(
    fields: &Fields<'_>,
    kind: &SensorKind,
    frame: &str,
    outline: Option<&PlanarDescription>,
) -> Result<Mount> {
    let frame = fields.text_or("frame", frame)?;
    let is_camera = matches!(kind, SensorKind::Camera(_));
    let (pose, height) = match (fields.find("pose"), outline) {
        (Some(node), _) => {
            let [x, y, yaw] = numbers(node, "pose")?;
            (Pose::new(x, y, yaw), 0.0)
        }
        (None, Some(outline)) => {
            let found = if is_camera { outline.camera(&frame) } else { outline.mount(&frame) };
            let found = found.map_err(|text| fields.error(text))?;
            // Only cameras need the height, and a camera is not below the ground.
            found.map_or((Pose::default(), 0.0), |(pose, height)| (pose, height.max(0.0)))
        }
        (None, None) => (Pose::default(), 0.0),
    };
    let height = fields.number_or("height", NOT_NEGATIVE, height)?;
    if is_camera && height == 0.0 {
        return Err(fields.error("a camera needs its `height` above the ground"));
    }
    Ok(Mount { frame, pose, height })
}

/// The maximum number of rays of a scan.
const MAX_SAMPLES: u32 = 100_000;
/// The maximum number of columns and of rows of an image.
const MAX_IMAGE_SIZE: u32 = 4096;

fn lidar(fields: &Fields<'_>) -> Result<Lidar> {
    use std::f64::consts::TAU;
    let samples = fields.count("samples", (1, MAX_SAMPLES))?;
    // Without `angle_max`, the rays cover the full circle.
    let step = TAU / f64::from(samples);
    let angle_min = fields.number_or("angle_min", (-TAU, TAU), 0.0)?;
    let angle_max = fields.number_or("angle_max", (angle_min, angle_min + TAU), angle_min + TAU - step)?;
    let [range_min, range_max] = range(fields.get("range")?)?;
    Ok(Lidar {
        samples,
        angle_min,
        angle_max,
        range_min,
        range_max,
        noise: fields.number_or("noise", NOT_NEGATIVE, 0.0)?,
        resolution: fields.number_or("resolution", NOT_NEGATIVE, 0.0)?,
    })
}

fn range(node: &Node) -> Result<[f64; 2]> {
    let [min, max] = numbers(node, "range")?;
    if min < 0.0 || max <= min {
        return Err(node.error("`range` must be the least and the largest distance"));
    }
    Ok([min, max])
}

fn camera(fields: &Fields<'_>) -> Result<Camera> {
    Ok(Camera {
        width: fields.count("width", (1, MAX_IMAGE_SIZE))?,
        height: fields.count("image_height", (1, MAX_IMAGE_SIZE))?,
        fov: number(fields.get("fov")?, "fov", (0.01, 3.0))?,
        range_max: number(fields.get("range_max")?, "range_max", (0.01, ANY.1))?,
        noise: fields.number_or("noise", NOT_NEGATIVE, 0.0)?,
    })
}
