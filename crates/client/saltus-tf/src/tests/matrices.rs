//! Transforms as matrices, calculated without quaternions.

/// A rotation, row by row, and a translation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rigid {
    pub(super) rotation: [[f64; 3]; 3],
    pub(super) translation: [f64; 3],
}

pub(super) const IDENTITY: Rigid =
    Rigid { rotation: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], translation: [0.0; 3] };

fn multiply(a: [[f64; 3]; 3], b: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let cell = |row: usize, column: usize| (0..3).map(|k| a[row][k] * b[k][column]).sum();
    std::array::from_fn(|row| std::array::from_fn(|column| cell(row, column)))
}

fn transposed(a: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    std::array::from_fn(|row| std::array::from_fn(|column| a[column][row]))
}

fn rotated(a: [[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|row| (0..3).map(|k| a[row][k] * v[k]).sum())
}

/// Rodrigues' formula: the rotation about an axis of the length 1.
pub(super) fn about([x, y, z]: [f64; 3], angle: f64) -> [[f64; 3]; 3] {
    let (s, c) = angle.sin_cos();
    let t = 1.0 - c;
    [
        [t * x * x + c, t * x * y - s * z, t * x * z + s * y],
        [t * x * y + s * z, t * y * y + c, t * y * z - s * x],
        [t * x * z - s * y, t * y * z + s * x, t * z * z + c],
    ]
}

impl Rigid {
    /// First `inner`, then this one.
    pub(super) fn compose(&self, inner: &Self) -> Self {
        let moved = rotated(self.rotation, inner.translation);
        Self {
            rotation: multiply(self.rotation, inner.rotation),
            translation: std::array::from_fn(|axis| moved[axis] + self.translation[axis]),
        }
    }

    pub(super) fn inverse(&self) -> Self {
        let rotation = transposed(self.rotation);
        Self { rotation, translation: rotated(rotation, self.translation).map(|value| -value) }
    }

    /// The rotation has a constant angular velocity. The angle between both must be less than π.
    pub(super) fn interpolate(&self, other: &Self, ratio: f64) -> Self {
        let between = multiply(transposed(self.rotation), other.rotation);
        // The axis and the sine of the angle are in the part that is not symmetric.
        let twice =
            [between[2][1] - between[1][2], between[0][2] - between[2][0], between[1][0] - between[0][1]];
        let sine = twice.iter().map(|value| value * value).sum::<f64>().sqrt() / 2.0;
        let cosine = (between[0][0] + between[1][1] + between[2][2] - 1.0) / 2.0;
        let rotation = if sine < 1e-12 {
            self.rotation
        } else {
            let axis = twice.map(|value| value / (2.0 * sine));
            multiply(self.rotation, about(axis, ratio * sine.atan2(cosine)))
        };
        let (from, to) = (self.translation, other.translation);
        Self {
            rotation,
            translation: std::array::from_fn(|axis| from[axis] + ratio * (to[axis] - from[axis])),
        }
    }

    /// The largest difference of a number.
    pub(super) fn distance(&self, rotation: [[f64; 3]; 3], translation: [f64; 3]) -> f64 {
        let rotations = self.rotation.iter().flatten().zip(rotation.iter().flatten());
        let all = rotations.chain(self.translation.iter().zip(&translation));
        all.map(|(left, right)| (left - right).abs()).fold(0.0, f64::max)
    }
}
