//! A link, and its shapes.

use saltus_tf::Transform;

/// A part of a robot that does not change its shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The name, unique in its description, and the name of its frame.
    pub name: String,
    /// Its mass in kilograms, if it is given.
    pub mass: Option<f64>,
    /// Its shapes for collisions, with their poses in the frame of the link.
    pub collisions: Vec<(Transform, Geometry)>,
    /// Its shapes for pictures, with their poses in the frame of the link.
    pub visuals: Vec<(Transform, Geometry)>,
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
    /// A shape in a file.
    Mesh {
        /// The address of the file, as it is written in the description.
        filename: String,
        /// The factors along x, y and z.
        scale: [f64; 3],
    },
}
