//! Shapes from YAML.

use std::f64::consts::TAU;

use saltus_yaml::Node;

use crate::{
    fields::{ANY, Fields, POSITIVE, Result, points},
    pose::{Point, Pose},
    shape::Shape,
};

/// Returns the shape of a mapping, if it has one.
pub(crate) fn shape(fields: &Fields<'_>) -> Result<Option<Shape>> {
    if let Some(node) = fields.find("circle") {
        let fields = Fields::of(node)?;
        let center = fields.point_or("center", Point::ZERO)?;
        let radius = fields.number("radius", POSITIVE)?;
        fields.end()?;
        return Ok(Some(Shape::Circle { center, radius }));
    }
    if let Some(node) = fields.find("box") {
        let fields = Fields::of(node)?;
        let center = fields.point_or("center", Point::ZERO)?;
        let pose = Pose::new(center.x, center.y, fields.number_or("yaw", ANY, 0.0)?);
        let shape = Shape::rectangle(pose, fields.point("size")?);
        fields.end()?;
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

/// Returns a polygon with equal sides.
fn regular(node: &Node) -> Result<Shape> {
    let fields = Fields::of(node)?;
    let (center, sides) = (fields.point("center")?, fields.count("sides", (3, 1000))?);
    let (radius, yaw) = (fields.number("radius", POSITIVE)?, fields.number_or("yaw", ANY, 0.0)?);
    fields.end()?;
    let shape = Shape::polygon(corners(center, sides, radius, yaw));
    shape.ok_or_else(|| node.error("the polygon is too small"))
}

fn corners(center: Point, sides: u32, radius: f64, yaw: f64) -> Vec<Point> {
    let corner =
        |side: u32| center + radius * Point::from_angle(yaw + TAU * f64::from(side) / f64::from(sides));
    (0..sides).map(corner).collect()
}

/// Returns the parts of a ring: what is between two regular polygons.
pub(crate) fn ring(node: &Node) -> Result<Vec<Shape>> {
    let fields = Fields::of(node)?;
    let (center, sides) = (fields.point_or("center", Point::ZERO)?, fields.count("sides", (3, 1000))?);
    let (inner, outer) = (fields.number("inner", POSITIVE)?, fields.number("outer", POSITIVE)?);
    let yaw = fields.number_or("yaw", ANY, 0.0)?;
    fields.end()?;
    let [inside, outside] = [inner, outer].map(|radius| corners(center, sides, radius, yaw));
    let part = |place: usize| {
        let next = (place + 1) % inside.len();
        Shape::polygon(vec![inside[place], outside[place], outside[next], inside[next]])
    };
    let parts: Option<Vec<Shape>> = (0..inside.len()).map(part).collect();
    parts.filter(|_| outer > inner).ok_or_else(|| node.error("`outer` must be larger than `inner`"))
}

/// Returns the boxes of a wall along points. They overlap at the corners.
pub(crate) fn wall(node: &Node) -> Result<Vec<Shape>> {
    let fields = Fields::of(node)?;
    let mut points = points(fields.get("points")?, "points")?;
    let thickness = fields.number("thickness", POSITIVE)?;
    if fields.bool_or("closed", false)? {
        points.extend(points.first().copied());
    }
    fields.end()?;
    let part = |[from, to]: &[Point; 2]| {
        let (middle, along) = ((from + to) / 2.0, to - from);
        let pose = Pose::new(middle.x, middle.y, along.to_angle());
        Shape::rectangle(pose, Point::new(along.length() + thickness, thickness))
    };
    let parts: Option<Vec<Shape>> = points.array_windows().map(part).collect();
    parts.filter(|parts| !parts.is_empty()).ok_or_else(|| node.error("a wall needs two different points"))
}
