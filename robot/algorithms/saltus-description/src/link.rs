//! A link, and its shapes.

use saltus_tf::Transform;

/// A link: a rigid part of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The name, unique in its description, and the name of its frame.
    pub name: String,
    /// The mass and the moments of inertia, if they are given.
    pub inertial: Option<Inertial>,
    /// The shapes for collisions, with their poses in the frame of the link.
    pub collisions: Vec<(Transform, Geometry)>,
    /// The shapes for display, with their poses in the frame of the link.
    pub visuals: Vec<(Transform, Geometry)>,
}

/// A mass with its moments of inertia.
#[derive(Clone, Debug, PartialEq)]
pub struct Inertial {
    /// The mass, in kilograms.
    pub mass: f64,
    /// The pose of the centre of mass in the frame of the link.
    pub origin: Transform,
    /// The moments of inertia about the axes of `origin`, in kg m²: ixx, ixy, ixz, iyy, iyz and izz. All are 0 if they are not
    /// given.
    pub moments: [f64; 6],
}

impl Inertial {
    /// Returns the moment of inertia about an axis through the centre of mass, in kg m². The axis is in the frame of the link, and its
    /// length must be 1.
    pub fn about(&self, axis: [f64; 3]) -> f64 {
        let [x, y, z] = self.origin.inverse().rotate(axis);
        let [xx, xy, xz, yy, yz, zz] = self.moments;
        xx * x * x + yy * y * y + zz * z * z + 2.0 * (xy * x * y + xz * x * z + yz * y * z)
    }
}

/// A shape. All lengths are in metres.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// A box with its centre at the origin.
    Box {
        /// The lengths along x, y and z.
        size: [f64; 3],
    },
    /// A cylinder with its centre at the origin and its axis along z.
    Cylinder {
        /// The radius.
        radius: f64,
        /// The length along z.
        length: f64,
    },
    /// A sphere with its centre at the origin.
    Sphere {
        /// The radius.
        radius: f64,
    },
    /// A shape from a file.
    Mesh {
        /// The URI of the file, as in the description.
        filename: String,
        /// The scale factors along x, y and z.
        scale: [f64; 3],
    },
}
