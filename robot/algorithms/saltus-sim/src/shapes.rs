//! Reads shapes from YAML.

use std::f64::consts::TAU;

use saltus_yaml::Node;

use crate::{
    fields::{ANY, Fields, POSITIVE, Result, points},
    pose::{Point, Pose},
    shape::Shape,
};

/// Reads the shape of a mapping, if it has one.
pub(crate) fn shape(fields: &Fields<'_>) -> Result<Option<Shape>> {
    if let Some(node) = fields.find("circle") {
        let fields = Fields::new(node)?;
        let center = fields.point_or("center", Point::ZERO)?;
        let radius = fields.number("radius", POSITIVE)?;
        fields.finish()?;
        return Ok(Some(Shape::Circle { center, radius }));
    }
    if let Some(node) = fields.find("box") {
        let fields = Fields::new(node)?;
        let center = fields.point_or("center", Point::ZERO)?;
        let pose = Pose::new(center.x, center.y, fields.number_or("yaw", ANY, 0.0)?);
        let shape = Shape::rectangle(pose, fields.point("size")?);
        fields.finish()?;
        return shape.map(Some).ok_or_else(|| node.error("the size of a box must be positive"));
    }
    if let Some(node) = fields.find("polygon") {
        let shape = Shape::polygon(points(node, "polygon")?);
        return shape.map(Some).ok_or_else(|| node.error("a polygon must be convex and have an area"));
    }
    if let Some(node) = fields.find("regular") {
        return Ok(Some(regular(node)?));
    }
    Ok(None)
}

/// Reads a regular polygon.
fn regular(node: &Node) -> Result<Shape> {
    let fields = Fields::new(node)?;
    let (center, sides) = (fields.point("center")?, fields.count("sides", (3, 1000))?);
    let (radius, yaw) = (fields.number("radius", POSITIVE)?, fields.number_or("yaw", ANY, 0.0)?);
    fields.finish()?;
    let shape = Shape::polygon(corners(center, sides, radius, yaw));
    shape.ok_or_else(|| node.error("the polygon is too small"))
}

/// Returns the corners of a regular polygon.
fn corners(center: Point, sides: u32, radius: f64, yaw: f64) -> Vec<Point> {
    let corner =
        |side: u32| center + radius * Point::from_angle(yaw + TAU * f64::from(side) / f64::from(sides));
    (0..sides).map(corner).collect()
}

/// Reads a ring, the area between two regular polygons. Returns its parts.
pub(crate) fn ring(node: &Node) -> Result<Vec<Shape>> {
    let fields = Fields::new(node)?;
    let (center, sides) = (fields.point_or("center", Point::ZERO)?, fields.count("sides", (3, 1000))?);
    let (inner, outer) = (fields.number("inner", POSITIVE)?, fields.number("outer", POSITIVE)?);
    let yaw = fields.number_or("yaw", ANY, 0.0)?;
    fields.finish()?;
    let [inside, outside] = [inner, outer].map(|radius| corners(center, sides, radius, yaw));
    let part = |index: usize| {
        let next = (index + 1) % inside.len();
        Shape::polygon(vec![inside[index], outside[index], outside[next], inside[next]])
    };
    let parts: Option<Vec<Shape>> = (0..inside.len()).map(part).collect();
    parts.filter(|_| outer > inner).ok_or_else(|| node.error("`outer` must be larger than `inner`"))
}

/// Reads a wall along points. Returns its boxes, which overlap at the corners.
pub(crate) fn wall(node: &Node) -> Result<Vec<Shape>> {
    let fields = Fields::new(node)?;
    let mut points = points(fields.get("points")?, "points")?;
    let thickness = fields.number("thickness", POSITIVE)?;
    if fields.bool_or("closed", false)? {
        points.extend(points.first().copied());
    }
    fields.finish()?;
    let part = |[from, to]: &[Point; 2]| {
        let (middle, along) = ((from + to) / 2.0, to - from);
        let pose = Pose::new(middle.x, middle.y, along.to_angle());
        Shape::rectangle(pose, Point::new(along.length() + thickness, thickness))
    };
    let parts: Option<Vec<Shape>> = points.array_windows().map(part).collect();
    parts.filter(|parts| !parts.is_empty()).ok_or_else(|| node.error("a wall needs two different points"))
}
