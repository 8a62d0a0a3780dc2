//! Messages whose content is transformed from the frame of their header into another one.

use saltus_msgs::{
    geometry_msgs::msg::{
        Point, PointStamped, PolygonStamped, Pose, PoseStamped, PoseWithCovarianceStamped, QuaternionStamped,
        Vector3, Vector3Stamped, WrenchStamped,
    },
    sensor_msgs::msg::{PointCloud2, PointField},
    std_msgs::msg::Header,
};
use saltus_tf::{Buffer, LookupError, Transform};
use saltus_types::Time;

use crate::messages::{numbers, quaternion};

/// Why a message can't be transformed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MessageError {
    /// There is no transform.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The content of the message is wrong.
    #[error("the message can't be transformed: {0}")]
    Content(String),
}

/// A message with a header, whose content is in the frame of the header.
pub trait Transformed: Clone {
    /// Returns the header.
    fn header(&self) -> &Header;

    /// Sets the header.
    fn set_header(&mut self, header: Header);

    /// Transforms the content.
    ///
    /// # Errors
    ///
    /// Returns a text if the content is wrong.
    fn apply(&mut self, transform: &Transform) -> Result<(), String>;

    /// Returns the message in another frame, at the time of its header.
    ///
    /// ```
    /// use saltus::msgs::{geometry_msgs::msg::{Point, PointStamped}, std_msgs::msg::Header};
    /// use saltus::tf::{Buffer, StampedTransform, Transform, Transformed};
    /// use saltus::Time;
    /// let buffer = Buffer::default();
    /// let laser = Transform::from_xyz(0.5, 0.0, 0.2);
    /// buffer.set_static(&StampedTransform::new("base", "laser", Time::default(), laser), "test")?;
    /// let header = Header { frame_id: "laser".into(), ..Header::default() };
    /// let point = PointStamped { header, point: Point { x: 1.0, y: 0.0, z: 0.0 } };
    /// let in_base = point.transformed(&buffer, "base")?;
    /// assert_eq!((in_base.point.x, in_base.point.z, &*in_base.header.frame_id), (1.5, 0.2, "base"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if there is no transform, or if the content is wrong.
    fn transformed(&self, buffer: &Buffer, target: &str) -> Result<Self, MessageError> {
        let Header { stamp, frame_id } = self.header();
        let stamped = buffer.lookup(target, frame_id, Time::from(*stamp))?;
        self.moved(&stamped.transform, target, stamped.stamp)
    }

    /// Returns the message in another frame at another time, for example where a landmark is now. `fixed` is a frame in which it
    /// does not move meanwhile.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no transform, or if the content is wrong.
    fn transformed_to_time(
        &self,
        buffer: &Buffer,
        target: &str,
        time: Time,
        fixed: &str,
    ) -> Result<Self, MessageError> {
        let Header { stamp, frame_id } = self.header();
        let stamped = buffer.lookup_across(target, time, frame_id, Time::from(*stamp), fixed)?;
        self.moved(&stamped.transform, target, stamped.stamp)
    }

    /// Returns the message with a transform that is known.
    ///
    /// # Errors
    ///
    /// Returns an error if the content is wrong.
    fn moved(&self, transform: &Transform, frame: &str, stamp: Time) -> Result<Self, MessageError> {
        let mut moved = self.clone();
        moved.apply(transform).map_err(MessageError::Content)?;
        moved.set_header(Header { stamp: stamp.into(), frame_id: frame.into() });
        Ok(moved)
    }
}

/// Implements the methods that are the same for all messages with a header.
macro_rules! transformed {
    ($($message:ty: $apply:expr;)+) => {$(
        impl Transformed for $message {
            fn header(&self) -> &Header {
                &self.header
            }

            fn set_header(&mut self, header: Header) {
                self.header = header;
            }

            fn apply(&mut self, transform: &Transform) -> Result<(), String> {
                let apply: fn(&mut Self, &Transform) -> Result<(), String> = $apply;
                apply(self, transform)
            }
        }
    )+};
}

transformed! {
    PointStamped: |message, transform| {
        point(&mut message.point, transform);
        Ok(())
    };
    Vector3Stamped: |message, transform| {
        vector(&mut message.vector, transform);
        Ok(())
    };
    QuaternionStamped: |message, transform| rotation(&mut message.quaternion, transform);
    PoseStamped: |message, transform| pose(&mut message.pose, transform);
    PoseWithCovarianceStamped: |message, transform| {
        pose(&mut message.pose.pose, transform)?;
        message.pose.covariance = rotated_covariance(&message.pose.covariance, transform.matrix());
        Ok(())
    };
    PolygonStamped: |message, transform| {
        for corner in &mut message.polygon.points {
            let [x, y, z] = transform.apply([corner.x, corner.y, corner.z].map(f64::from));
            (corner.x, corner.y, corner.z) = (x as f32, y as f32, z as f32);
        }
        Ok(())
    };
    WrenchStamped: |message, transform| {
        vector(&mut message.wrench.force, transform);
        vector(&mut message.wrench.torque, transform);
        Ok(())
    };
    PointCloud2: cloud;
}

fn point(point: &mut Point, transform: &Transform) {
    [point.x, point.y, point.z] = transform.apply([point.x, point.y, point.z]);
}

fn vector(vector: &mut Vector3, transform: &Transform) {
    [vector.x, vector.y, vector.z] = transform.rotate([vector.x, vector.y, vector.z]);
}

fn rotation(
    rotation: &mut saltus_msgs::geometry_msgs::msg::Quaternion,
    transform: &Transform,
) -> Result<(), String> {
    let own = Transform::new([0.0; 3], numbers(rotation)).map_err(|error| error.to_string())?;
    *rotation = quaternion(transform.compose(&own).rotation());
    Ok(())
}

fn pose(pose: &mut Pose, transform: &Transform) -> Result<(), String> {
    point(&mut pose.position, transform);
    rotation(&mut pose.orientation, transform)
}

/// Rotates a covariance of 6 × 6: its parts for the position, for the angles, and for both together.
fn rotated_covariance(covariance: &[f64; 36], rotation: [[f64; 3]; 3]) -> [f64; 36] {
    let mut rotated = [0.0; 36];
    for (row, column) in (0..6).flat_map(|row| (0..6).map(move |column| (row, column))) {
        let (top, left) = (row / 3 * 3, column / 3 * 3);
        let terms = (0..3).flat_map(|i| (0..3).map(move |j| (i, j)));
        rotated[row * 6 + column] = terms
            .map(|(i, j)| {
                rotation[row % 3][i] * covariance[(top + i) * 6 + left + j] * rotation[column % 3][j]
            })
            .sum();
    }
    rotated
}

/// The offset and the format of a coordinate in each point of a cloud.
#[derive(Clone, Copy)]
struct CoordinateLayout {
    offset: usize,
    is_double: bool,
    is_bigendian: bool,
}

impl CoordinateLayout {
    fn of(cloud: &PointCloud2, name: &str) -> Result<Self, String> {
        let field = cloud.fields.iter().find(|field| field.name == name);
        let field = field.ok_or_else(|| format!("the cloud has no field `{name}`"))?;
        let is_double = match field.datatype {
            PointField::FLOAT32 => false,
            PointField::FLOAT64 => true,
            other => {
                return Err(format!("the field `{name}` has the type {other}, and not FLOAT32 or FLOAT64"));
            }
        };
        let offset = field.offset as usize;
        let length = if is_double { 8 } else { 4 };
        if offset.checked_add(length).is_none_or(|end| end > cloud.point_step as usize) {
            return Err(format!("the field `{name}` is not within a point"));
        }
        Ok(Self { offset, is_double, is_bigendian: cloud.is_bigendian })
    }

    fn read(self, point: &[u8]) -> f64 {
        let bytes = &point[self.offset..];
        let array = |length: usize| {
            let mut array = [0; 8];
            array[..length].copy_from_slice(&bytes[..length]);
            array
        };
        match (self.is_double, self.is_bigendian) {
            (true, false) => f64::from_le_bytes(array(8)),
            (true, true) => f64::from_be_bytes(array(8)),
            (false, is_big) => {
                let [a, b, c, d, ..] = array(4);
                let bytes = [a, b, c, d];
                f64::from(if is_big { f32::from_be_bytes(bytes) } else { f32::from_le_bytes(bytes) })
            }
        }
    }

    fn write(self, point: &mut [u8], value: f64) {
        let bytes = &mut point[self.offset..];
        match (self.is_double, self.is_bigendian) {
            (true, false) => bytes[..8].copy_from_slice(&value.to_le_bytes()),
            (true, true) => bytes[..8].copy_from_slice(&value.to_be_bytes()),
            (false, false) => bytes[..4].copy_from_slice(&(value as f32).to_le_bytes()),
            (false, true) => bytes[..4].copy_from_slice(&(value as f32).to_be_bytes()),
        }
    }
}

/// Transforms the coordinates x, y and z of all points.
fn cloud(cloud: &mut PointCloud2, transform: &Transform) -> Result<(), String> {
    let [x, y, z] = [
        CoordinateLayout::of(cloud, "x")?,
        CoordinateLayout::of(cloud, "y")?,
        CoordinateLayout::of(cloud, "z")?,
    ];
    let (step, row, width) = (cloud.point_step as usize, cloud.row_step as usize, cloud.width as usize);
    let needed = step.checked_mul(width).filter(|length| *length <= row);
    let whole = row.checked_mul(cloud.height as usize);
    if needed.is_none() || whole.is_none_or(|length| length > cloud.data.len()) {
        let (height, data) = (cloud.height, cloud.data.len());
        return Err(format!(
            "{width} x {height} points of {step} bytes in rows of {row} are not in {data} bytes"
        ));
    }
    if row == 0 {
        return Ok(());
    }
    for line in cloud.data.chunks_exact_mut(row).take(cloud.height as usize) {
        for point in line.chunks_exact_mut(step).take(width) {
            let moved = transform.apply([x.read(point), y.read(point), z.read(point)]);
            [x, y, z].into_iter().zip(moved).for_each(|(layout, value)| layout.write(point, value));
        }
    }
    Ok(())
}
