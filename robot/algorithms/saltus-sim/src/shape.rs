//! Circles and convex polygons, and the edges that rays hit.

use parry2d_f64::shape::ConvexPolygon;
use rapier2d_f64::geometry::ColliderBuilder;

use crate::pose::{Point, Pose};

/// A solid shape.
///
/// **Invariant:** a polygon is convex, has an area, and its points are counterclockwise.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A circle.
    Circle {
        /// The centre.
        center: Point,
        /// The radius, in metres.
        radius: f64,
    },
    /// A convex polygon.
    Polygon(Vec<Point>),
}

/// The least area of a polygon, in square metres.
const LEAST_AREA: f64 = 1e-9;

impl Shape {
    /// Creates a polygon; `None` if the points are not the corners of a convex polygon with an area.
    pub(crate) fn polygon(mut points: Vec<Point>) -> Option<Self> {
        if area(&points) < 0.0 {
            points.reverse();
        }
        let count = points.len();
        let corner = |index: usize| {
            let [a, b, c] = [0, 1, 2].map(|step| points[(index + step) % count]);
            (b - a).perp_dot(c - b)
        };
        let is_convex =
            count >= 3 && area(&points) > LEAST_AREA && (0..count).all(|index| corner(index) > 0.0);
        // A star also turns to the left at each point, but more than once around. The physics engine drops points on straight sides,
        // and the rest must have an area.
        let is_solid = || ConvexPolygon::from_convex_polyline(points.clone()).is_some();
        (is_convex && turns_once(&points) && is_solid()).then_some(Self::Polygon(points))
    }

    /// Creates a box with its centre at a pose; `None` if a side is not positive. `size` is the length along x and y, in metres.
    pub fn rectangle(pose: Pose, size: Point) -> Option<Self> {
        if size.min_element() <= 0.0 {
            return None;
        }
        let half = size / 2.0;
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        Self::polygon(corners.map(|(x, y)| pose.apply(half * Point::new(x, y))).to_vec())
    }

    /// Converts the shape from the frame of a pose to the frame in which the pose is given.
    pub(crate) fn placed(&self, pose: &Pose) -> Self {
        match self {
            Self::Circle { center, radius } => Self::Circle { center: pose.apply(*center), radius: *radius },
            Self::Polygon(points) => Self::Polygon(points.iter().map(|point| pose.apply(*point)).collect()),
        }
    }

    /// Returns the edges.
    pub(crate) fn edges(&self) -> Vec<Edge> {
        match self {
            Self::Circle { center, radius } => vec![Edge::Circle { center: *center, radius: *radius }],
            Self::Polygon(points) => {
                let ends = points.iter().cycle().skip(1);
                points.iter().zip(ends).map(|(from, to)| Edge::Line { from: *from, to: *to }).collect()
            }
        }
    }

    /// Returns the distance from the origin to the farthest point, in metres.
    pub(crate) fn reach(&self) -> f64 {
        match self {
            Self::Circle { center, radius } => center.length() + radius,
            Self::Polygon(points) => points.iter().map(|point| point.length()).fold(0.0, f64::max),
        }
    }

    /// Returns the collider of the shape for the physics engine.
    pub(crate) fn collider(&self) -> ColliderBuilder {
        match self {
            Self::Circle { center, radius } => ColliderBuilder::ball(*radius).translation(*center),
            Self::Polygon(points) => ColliderBuilder::convex_polyline(points.clone())
                .expect("the points are the corners of a convex polygon"),
        }
    }
}

/// Returns the area of a polygon in m², negative if the points are clockwise.
fn area(points: &[Point]) -> f64 {
    let [first, rest @ ..] = points else { return 0.0 };
    // Relative to the first point, so that a small shape far away keeps its precision.
    let twice = |[from, to]: &[Point; 2]| (from - first).perp_dot(to - first);
    rest.array_windows().map(twice).sum::<f64>() / 2.0
}

/// Whether the sides of a polygon turn once around.
fn turns_once(points: &[Point]) -> bool {
    let count = points.len();
    let side = |index: usize| points[(index + 1) % count] - points[index % count];
    let turned: f64 = (0..count).map(|index| side(index).angle_to(side(index + 1))).sum();
    (turned - std::f64::consts::TAU).abs() < 0.1
}

/// The share of its length by which a side is extended at both ends for rays. Without it, rounding lets rays pass through corners.
const OVERLAP: f64 = 1e-9;

/// The sine of the angle between a ray and a side up to which the ray is parallel to the side.
const PARALLEL: f64 = 1e-10;

/// An edge that rays hit.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Edge {
    Line { from: Point, to: Point },
    Circle { center: Point, radius: f64 },
}

impl Edge {
    /// Returns the distance at which a ray hits the edge. The length of the direction must be 1.
    pub(crate) fn hit(&self, origin: Point, direction: Point) -> Option<f64> {
        match *self {
            Self::Line { from, to } => {
                let (along, start) = (to - from, from - origin);
                let turn = direction.perp_dot(along);
                // A ray along a side hits the neighbours of the side. Its own result is only rounding errors.
                if turn.abs() <= PARALLEL * along.length() {
                    return None;
                }
                let share = start.perp_dot(direction) / turn;
                let distance = start.perp_dot(along) / turn;
                let is_on = (-OVERLAP..=1.0 + OVERLAP).contains(&share);
                (is_on && distance >= 0.0).then_some(distance)
            }
            Self::Circle { center, radius } => {
                let to_center = center - origin;
                let along = to_center.dot(direction);
                let across = direction.perp_dot(to_center);
                let half = (radius - across) * (radius + across);
                if half < 0.0 {
                    return None;
                }
                let half = half.sqrt();
                // From inside of the circle, only the farther intersection is ahead.
                [along - half, along + half].into_iter().find(|distance| *distance >= 0.0)
            }
        }
    }

    /// Returns the corners of the box around the edge.
    pub(crate) fn bounds(&self) -> (Point, Point) {
        match *self {
            Self::Line { from, to } => (from.min(to), from.max(to)),
            Self::Circle { center, radius } => (center - Point::splat(radius), center + Point::splat(radius)),
        }
    }
}
