//! The planar part of the description of a robot in URDF.
//!
//! Source: the URDF specification, <https://wiki.ros.org/urdf/XML>.

use std::collections::BTreeMap;

use saltus_description::{Description, Geometry};
use saltus_tf::Transform;

use crate::{
    fields::{ANY, POSITIVE},
    pose::{Point, Pose},
    shape::Shape,
};

type Result<T> = std::result::Result<T, String>;

/// A description with the poses of its links in the frame of the robot, with all joints at the position 0.
pub(crate) struct PlanarDescription {
    robot: Description,
    links: BTreeMap<String, Transform>,
}

/// A body in the plane: its shapes and its mass properties.
pub(crate) struct PlanarBody {
    pub(crate) shapes: Vec<Shape>,
    pub(crate) mass: f64,
    /// The moment of inertia about the vertical axis through the centre of mass, in kg m²; computed from the shapes if `None`.
    pub(crate) inertia: Option<f64>,
    /// The centre of mass; computed from the shapes if `None`.
    pub(crate) center: Option<Point>,
}

impl PlanarDescription {
    /// Reads a description. `base` is the name of the link whose frame is that of the robot.
    pub(crate) fn read(text: &str, base: &str) -> Result<Self> {
        let robot = Description::parse(text).map_err(|error| error.to_string())?;
        let mut links = links(&robot);
        let Some(pose) = links.get(base) else {
            return Err(format!("there is no link `{base}`; `base_frame` must be a link of the description"));
        };
        if !is_upright(pose) {
            return Err(format!("the link `{base}` is tilted; `base_frame` must not be"));
        }
        let base = pose.inverse();
        links.values_mut().for_each(|pose| *pose = base.compose(pose));
        Ok(Self { robot, links })
    }

    /// Returns the pose and the height of a frame, if it is in the description. Fails if the frame is tilted.
    pub(crate) fn mount(&self, frame: &str) -> Result<Option<(Pose, f64)>> {
        let Some(link) = self.links.get(frame) else { return Ok(None) };
        if !is_upright(link) {
            return Err(format!("the frame `{frame}` is tilted; write the `pose` of the sensor"));
        }
        let ([x, y, z], [.., yaw]) = (link.translation(), link.rpy());
        Ok(Some((Pose::new(x, y, yaw), z)))
    }

    /// Returns the pose and the height of the frame of a camera, if it is in the description. Fails if it is not a level optical frame.
    pub(crate) fn camera(&self, frame: &str) -> Result<Option<(Pose, f64)>> {
        let Some(link) = self.links.get(frame) else { return Ok(None) };
        let Some(yaw) = optical_heading(link) else {
            return Err(format!(
                "the frame `{frame}` is not that of a level camera: its axis z must point forward, and y down; \
                 otherwise write the `pose` and the `height` of the sensor"
            ));
        };
        let [x, y, z] = link.translation();
        Ok(Some((Pose::new(x, y, yaw), z)))
    }

    /// Returns the body: the outlines of all collision shapes from above, and the masses of all links.
    pub(crate) fn body(&self) -> Result<PlanarBody> {
        let mut shapes = Vec::new();
        for link in self.robot.links() {
            for (pose, geometry) in &link.collisions {
                let shape = footprint(&self.links[&link.name].compose(pose), geometry);
                shapes.push(shape.map_err(|text| format!("the link `{}` {text}", link.name))?);
            }
        }
        if shapes.is_empty() {
            return Err("no link has a shape for collisions; write the `body` of the robot".into());
        }
        self.with_masses(shapes)
    }

    /// Returns a body with these shapes and the masses of all links.
    fn with_masses(&self, shapes: Vec<Shape>) -> Result<PlanarBody> {
        let parts: Vec<_> = self
            .robot
            .links()
            .iter()
            .filter_map(|link| Some((link.inertial.as_ref()?, &self.links[&link.name])))
            .map(|(inertial, pose)| {
                let [x, y, _] = pose.compose(&inertial.origin).translation();
                (inertial.mass, Point::new(x, y), inertial.about(pose.inverse().rotate(UP)))
            })
            .collect();
        // Adding 0 turns -0, the sum of no numbers, to 0.
        let mass = parts.iter().map(|(mass, ..)| mass).sum::<f64>() + 0.0;
        if !(POSITIVE.0..=POSITIVE.1).contains(&mass) || parts.iter().any(|(mass, ..)| *mass < 0.0) {
            return Err(format!("the masses of all links are {mass} kg; write the `body` of the robot"));
        }
        let center = parts.iter().map(|(mass, center, _)| *mass * *center).sum::<Point>() / mass;
        if !Pose::new(center.x, center.y, 0.0).is_within(ANY.1) {
            return Err("the centre of mass is too far away".into());
        }
        let inertia: f64 = parts
            .iter()
            .map(|(mass, position, inertia)| inertia + mass * (position - center).length_squared())
            .sum();
        let is_possible = (POSITIVE.0..=POSITIVE.1).contains(&inertia);
        let inertia = is_possible.then_some(inertia);
        Ok(PlanarBody { shapes, mass, inertia, center: Some(center) })
    }
}

const UP: [f64; 3] = [0.0, 0.0, 1.0];

/// Returns the poses of all links in the frame of the root.
fn links(robot: &Description) -> BTreeMap<String, Transform> {
    let mut links = BTreeMap::new();
    let mut next = vec![(robot.root(), Transform::IDENTITY)];
    while let Some((link, pose)) = next.pop() {
        next.extend(robot.below(link).map(|joint| (&*joint.child, pose.compose(&joint.origin))));
        links.insert(link.to_owned(), pose);
    }
    links
}

/// Returns the heading of an optical frame: its axis z is horizontal and points forward, and its axis y points downward. `None` for any
/// other frame.
///
/// Source: REP 103.
fn optical_heading(pose: &Transform) -> Option<f64> {
    let ([x, y, z], [.., down]) = (pose.rotate(UP), pose.rotate([0.0, 1.0, 0.0]));
    (z.abs() < 1e-3 && down < -0.999).then(|| y.atan2(x))
}

/// Whether the axis z points upward.
fn is_upright(pose: &Transform) -> bool {
    let [x, y, z] = pose.rotate(UP);
    x.hypot(y) < 1e-3 && z > 0.0
}

/// Returns the outline of a shape from above.
fn footprint(pose: &Transform, geometry: &Geometry) -> Result<Shape> {
    let [x, y, _] = pose.translation();
    let circle = |radius: f64| (radius > 0.0).then_some(Shape::Circle { center: Point::new(x, y), radius });
    let shape = match geometry {
        Geometry::Sphere { radius } => circle(*radius),
        Geometry::Cylinder { radius, .. } if is_upright(pose) => circle(*radius),
        Geometry::Cylinder { radius, length } => hull(pose, rims(*radius, *length)),
        Geometry::Box { size } => hull(pose, corners(*size)),
        Geometry::Mesh { .. } => {
            return Err("has a mesh for collisions, which is not read; write the `body` of the robot".into());
        }
    };
    let is_possible = |shape: &Shape| shape.reach() <= POSITIVE.1;
    shape.filter(is_possible).ok_or_else(|| "has a shape that is too large, or without an area".into())
}

/// Returns the corners of a box.
fn corners(size: [f64; 3]) -> Vec<[f64; 3]> {
    let signs =
        (0..8).map(|corner| [corner & 1, corner & 2, corner & 4].map(|bit| f64::from(bit.min(1)) - 0.5));
    signs.map(|[x, y, z]| [x * size[0], y * size[1], z * size[2]]).collect()
}

/// The number of corners of the polygon for the end of a cylinder. Its sides are at most 0.12 % of the radius inside of the circle.
const CORNERS: u32 = 64;

/// Returns the corners of both ends of a cylinder.
fn rims(radius: f64, length: f64) -> Vec<[f64; 3]> {
    let angles = (0..CORNERS).map(|corner| std::f64::consts::TAU * f64::from(corner) / f64::from(CORNERS));
    let rim = angles.map(|angle| [radius * angle.cos(), radius * angle.sin()]);
    rim.flat_map(|[x, y]| [[x, y, -length / 2.0], [x, y, length / 2.0]]).collect()
}

/// Returns the convex hull of points that are seen from above; `None` if it has no area.
///
/// Source: A. M. Andrew, "Another efficient algorithm for convex hulls in two dimensions", 1979.
fn hull(pose: &Transform, points: Vec<[f64; 3]>) -> Option<Shape> {
    let projected = |point| {
        let [x, y, _] = pose.apply(point);
        // Rounding makes corners above each other one point. Adding 0 changes -0 to 0.
        Point::new(x, y).map(|part| (part * 1e9).round() / 1e9 + 0.0)
    };
    let mut points: Vec<Point> = points.into_iter().map(projected).collect();
    points.sort_by(|left, right| left.x.total_cmp(&right.x).then(left.y.total_cmp(&right.y)));
    points.dedup();
    let mut hull = side(points.iter().copied());
    hull.extend(side(points.iter().rev().copied()));
    Shape::polygon(hull)
}

/// Returns the corners of a hull on one side, without the last one.
fn side(points: impl Iterator<Item = Point>) -> Vec<Point> {
    let mut side = Vec::<Point>::new();
    for point in points {
        while let [.., before, last] = side[..]
            && (last - before).perp_dot(point - last) <= 0.0
        {
            side.pop();
        }
        side.push(point);
    }
    side.pop();
    side
}
