//! A rotation and a translation.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use saltus_types::Time;

/// The position and the orientation of one frame in another one.
///
/// **Invariant:** all numbers are finite, and the quaternion has the length 1.
///
/// ```
/// use saltus_tf::Transform;
/// let quarter_turn = Transform::from_xyz_rpy([1.0, 0.0, 0.0], [0.0, 0.0, std::f64::consts::FRAC_PI_2]);
/// let [x, y, z] = quarter_turn.apply([2.0, 0.0, 0.0]);
/// assert!((x - 1.0).abs() < 1e-12 && (y - 2.0).abs() < 1e-12 && z == 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    translation: DVec3,
    rotation: DQuat,
}

/// The largest difference of the square of a quaternion's length from 1. ROS 2 has the same limit.
const LENGTH_TOLERANCE: f64 = 0.01;

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Transform {
    /// The transform that changes nothing.
    pub const IDENTITY: Self = Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// Returns a transform; `translation` is in metres, and `rotation` the quaternion x, y, z, w.
    ///
    /// # Errors
    ///
    /// Returns an error if a number is not finite, or if the length of the quaternion is not 1 within 0.5 %.
    pub fn new(translation: [f64; 3], rotation: [f64; 4]) -> Result<Self, TransformError> {
        let (translation, rotation) = (DVec3::from_array(translation), DQuat::from_array(rotation));
        if !translation.is_finite() || !rotation.is_finite() {
            return Err(TransformError::NotFinite);
        }
        if (rotation.length_squared() - 1.0).abs() >= LENGTH_TOLERANCE {
            return Err(TransformError::NotNormalized);
        }
        Ok(Self { translation, rotation: rotation.normalize() })
    }

    /// Returns a transform without a rotation. The numbers must be finite.
    pub fn from_xyz(x: f64, y: f64, z: f64) -> Self {
        Self { translation: DVec3::new(x, y, z), rotation: DQuat::IDENTITY }
    }

    /// Returns a transform from a translation and from the angles roll, pitch and yaw in radians, as in URDF: they turn
    /// about the fixed axes x, y and z in this order. The numbers must be finite.
    pub fn from_xyz_rpy(translation: [f64; 3], [roll, pitch, yaw]: [f64; 3]) -> Self {
        let [x, y, z] = [(DVec3::X, roll), (DVec3::Y, pitch), (DVec3::Z, yaw)]
            .map(|(axis, angle)| DQuat::from_axis_angle(axis, angle));
        Self { translation: DVec3::from_array(translation), rotation: z * y * x }
    }

    /// Returns a transform without a translation: it turns about `axis` by `angle` in radians. The length of the axis must
    /// be 1, and the numbers finite.
    ///
    /// ```
    /// use saltus_tf::Transform;
    /// let [x, y, z] = Transform::from_axis_angle([0.0, 0.0, 1.0], std::f64::consts::PI).apply([1.0, 2.0, 3.0]);
    /// assert!((x + 1.0).abs() < 1e-12 && (y + 2.0).abs() < 1e-12 && z == 3.0);
    /// ```
    pub fn from_axis_angle(axis: [f64; 3], angle: f64) -> Self {
        Self { translation: DVec3::ZERO, rotation: DQuat::from_axis_angle(DVec3::from_array(axis), angle) }
    }

    /// Returns the translation in metres.
    pub fn translation(&self) -> [f64; 3] {
        self.translation.to_array()
    }

    /// Returns the quaternion x, y, z, w.
    pub fn rotation(&self) -> [f64; 4] {
        self.rotation.to_array()
    }

    /// Returns the angles roll, pitch and yaw in radians: the inverse of [`from_xyz_rpy`](Self::from_xyz_rpy). The pitch is
    /// within ±π/2. If it is ±π/2, roll and yaw turn about the same axis, and the roll is 0.
    pub fn rpy(&self) -> [f64; 3] {
        let m = DMat3::from_quat(self.rotation);
        let (x, y) = (m.x_axis, m.y_axis);
        let sine = -x.z;
        if sine.abs() > 1.0 - 1e-12 {
            return [0.0, sine.signum() * std::f64::consts::FRAC_PI_2, (-y.x).atan2(y.y)];
        }
        [y.z.atan2(m.z_axis.z), sine.clamp(-1.0, 1.0).asin(), x.y.atan2(x.x)]
    }

    /// Returns the matrix of the rotation, row by row.
    pub fn matrix(&self) -> [[f64; 3]; 3] {
        DMat3::from_quat(self.rotation).transpose().to_cols_array_2d()
    }

    /// Returns the coordinates of a point of the source frame in the target frame.
    pub fn apply(&self, point: [f64; 3]) -> [f64; 3] {
        (self.rotation * DVec3::from_array(point) + self.translation).to_array()
    }

    /// Returns a direction of the source frame in the target frame: only the rotation has an effect.
    pub fn rotate(&self, direction: [f64; 3]) -> [f64; 3] {
        (self.rotation * DVec3::from_array(direction)).to_array()
    }

    /// Returns the transform that first does `inner`, and then this one.
    #[must_use]
    pub fn compose(&self, inner: &Self) -> Self {
        Self {
            translation: self.rotation * inner.translation + self.translation,
            // The product of many quaternions must not lose its length.
            rotation: (self.rotation * inner.rotation).normalize(),
        }
    }

    /// Returns the transform in the other direction.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.conjugate();
        Self { translation: -(rotation * self.translation), rotation }
    }

    /// Returns the transform between this one (`ratio` 0) and another one (`ratio` 1). The translation is linear, and the
    /// rotation takes the shortest way with a constant angular velocity.
    #[must_use]
    pub fn interpolate(&self, other: &Self, ratio: f64) -> Self {
        Self {
            translation: self.translation.lerp(other.translation, ratio),
            rotation: slerp(self.rotation, other.rotation, ratio),
        }
    }

    pub(crate) fn to_numbers(self) -> [f64; 7] {
        let ([x, y, z], [i, j, k, w]) = (self.translation(), self.rotation());
        [x, y, z, i, j, k, w]
    }

    /// The inverse of [`to_numbers`](Self::to_numbers). The numbers must be those of a transform.
    pub(crate) fn from_numbers([x, y, z, i, j, k, w]: [f64; 7]) -> Self {
        Self { translation: DVec3::new(x, y, z), rotation: DQuat::from_xyzw(i, j, k, w) }
    }
}

/// Interpolates rotations. The sine of a small angle is so close to the angle that both ways agree.
fn slerp(from: DQuat, to: DQuat, ratio: f64) -> DQuat {
    let cosine = from.dot(to);
    let (cosine, to) = if cosine < 0.0 { (-cosine, -to) } else { (cosine, to) };
    // From the sine, because the cosine says little of a small angle.
    let sine = (to - from * cosine).length();
    if sine < 1e-9 {
        return from.lerp(to, ratio).normalize();
    }
    let angle = sine.atan2(cosine);
    let of = |share: f64| (share * angle).sin() / sine;
    (from * of(1.0 - ratio) + to * of(ratio)).normalize()
}

/// Why numbers are not those of a transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransformError {
    /// A number is infinite or not a number.
    #[error("a number of the transform is not finite")]
    NotFinite,
    /// The quaternion does not have the length 1.
    #[error("the quaternion of the transform does not have the length 1")]
    NotNormalized,
}

/// The transform from a child frame to its parent frame at a time, as in `geometry_msgs/msg/TransformStamped`.
#[derive(Clone, Debug, PartialEq)]
pub struct StampedTransform {
    /// The name of the target frame: the parent.
    pub parent: Arc<str>,
    /// The name of the source frame: the child.
    pub child: Arc<str>,
    /// The time of the transform.
    pub stamp: Time,
    /// The position and orientation of the child in the parent.
    pub transform: Transform,
}

impl StampedTransform {
    /// Returns a transform with the names of its frames.
    pub fn new(parent: &str, child: &str, stamp: Time, transform: Transform) -> Self {
        Self { parent: parent.into(), child: child.into(), stamp, transform }
    }
}
