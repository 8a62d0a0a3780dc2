//! The planar part of a world in SDF.
//!
//! Source: the SDFormat specification, <http://sdformat.org/spec>.

use roxmltree::{Document, Node};

use crate::{
    WorldError,
    fields::ANY,
    pose::{Point, Pose},
    shape::Shape,
    world::World,
};

type Element<'a> = Node<'a, 'a>;
type Result<T> = std::result::Result<T, WorldError>;

/// A pose in space whose axis z is vertical.
#[derive(Clone, Copy, Default)]
struct Place {
    pose: Pose,
    z: f64,
}

impl Place {
    fn compose(&self, inner: &Self) -> Self {
        Self { pose: self.pose.compose(&inner.pose), z: self.z + inner.z }
    }
}

impl World {
    /// Reads the planar part of a world in SDF: the boxes, cylinders, spheres and polylines of its models, where they cross the
    /// plane at this height. No model moves, whatever it says.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not SDF, or if it has a shape that is not one of these.
    pub fn from_sdf(text: &str, height: f64) -> Result<Self> {
        world(text, height)
    }
}

fn world(text: &str, height: f64) -> Result<World> {
    let sdf = |line, text: String| WorldError::Sdf { line, text };
    let document = Document::parse(text).map_err(|error| sdf(error.pos().row, error.to_string()))?;
    let root = document.root_element();
    let Some(world) = child(root, "world").filter(|_| root.has_tag_name("sdf")) else {
        return Err(at(root, "expected the elements `sdf` and `world`"));
    };
    let mut obstacles = Vec::new();
    for model in children(world, "model") {
        let place = place(model)?;
        if let Some(nested) =
            model.children().find(|child| child.has_tag_name("model") || child.has_tag_name("include"))
        {
            return Err(at(nested, "models within models are not read"));
        }
        for link in children(model, "link") {
            let place = place.compose(&self::place(link)?);
            for collision in children(link, "collision") {
                obstacles.extend(shape(collision, &place, height)?);
            }
        }
    }
    if let Some(include) = children(world, "include").find(|include| !is_harmless(*include)) {
        return Err(at(include, "models of other files are not read; write their shapes into the world"));
    }
    let name = world.attribute("name").unwrap_or("world").into();
    Ok(World { name, obstacles, ..World::default() })
}

/// The ground and the sun, which most worlds include, are no obstacles.
fn is_harmless(include: Element<'_>) -> bool {
    let uri = child(include, "uri").and_then(|uri| uri.text()).unwrap_or_default();
    ["ground_plane", "sun"].iter().any(|name| uri.trim().ends_with(name))
}

/// Returns the shape of a collision, if it crosses the plane.
fn shape(collision: Element<'_>, parent: &Place, height: f64) -> Result<Option<Shape>> {
    let place = parent.compose(&place(collision)?);
    let Some(geometry) = child(collision, "geometry") else {
        return Err(at(collision, "a collision needs the element `geometry`"));
    };
    let crosses = |bottom: f64, top: f64| (place.z + bottom..=place.z + top).contains(&height);
    let Some(solid) = geometry.first_element_child() else { return Ok(None) };
    let wrong = || at(solid, "the shape has no area, or it is not convex");
    Ok(match solid.tag_name().name() {
        "plane" | "empty" => None,
        "box" => {
            let [x, y, z] = numbers(solid, "size")?;
            let shape =
                Shape::rectangle(place.pose, Point::new(x, y)).filter(|_| z > 0.0).ok_or_else(wrong)?;
            crosses(-z / 2.0, z / 2.0).then_some(shape)
        }
        "cylinder" => {
            let ([radius], [length]) = (numbers(solid, "radius")?, numbers(solid, "length")?);
            if radius <= 0.0 || length <= 0.0 {
                return Err(wrong());
            }
            let shape = Shape::Circle { center: place.pose.point(), radius };
            crosses(-length / 2.0, length / 2.0).then_some(shape)
        }
        "sphere" => {
            let [radius] = numbers(solid, "radius")?;
            if radius <= 0.0 {
                return Err(wrong());
            }
            let aside = height - place.z;
            let squared = radius * radius - aside * aside;
            (squared > 0.0).then(|| Shape::Circle { center: place.pose.point(), radius: squared.sqrt() })
        }
        "polyline" => {
            let [length] = numbers(solid, "height")?;
            let points = children(solid, "point").map(point).collect::<Result<Vec<_>>>()?;
            let points = points.into_iter().map(|point| place.pose.apply(point)).collect();
            let shape = Shape::polygon(points).filter(|_| length > 0.0).ok_or_else(wrong)?;
            crosses(0.0, length).then_some(shape)
        }
        other => return Err(at(solid, &format!("a shape of the kind `{other}` is not read"))),
    })
}

/// Returns the pose of an element. Only rotations about the vertical axis are possible.
fn place(element: Element<'_>) -> Result<Place> {
    let Some(node) = child(element, "pose") else { return Ok(Place::default()) };
    let is_set = |name: &&&str| node.attribute(**name).is_some_and(|value| !["", "false"].contains(&value));
    if let Some(name) = ["relative_to", "frame", "degrees", "rotation_format"].iter().find(is_set) {
        return Err(at(node, &format!("the attribute `{name}` of a pose is not read")));
    }
    if node.text().unwrap_or_default().trim().is_empty() {
        return Ok(Place::default());
    }
    let [x, y, z, roll, pitch, yaw] = texts(node)?;
    if roll.abs() > 1e-6 || pitch.abs() > 1e-6 {
        return Err(at(node, "only rotations about the vertical axis are possible"));
    }
    Ok(Place { pose: Pose::new(x, y, yaw), z })
}

fn point(node: Element<'_>) -> Result<Point> {
    texts(node).map(Point::from_array)
}

fn numbers<const N: usize>(parent: Element<'_>, name: &'static str) -> Result<[f64; N]> {
    let node = child(parent, name).ok_or_else(|| at(parent, &format!("the element `{name}` is missing")))?;
    texts(node)
}

/// Returns the numbers in an element.
fn texts<const N: usize>(node: Element<'_>) -> Result<[f64; N]> {
    let text = node.text().unwrap_or_default();
    let numbers: Option<Vec<f64>> = text
        .split_whitespace()
        .map(|word| word.parse().ok().filter(|number: &f64| number.abs() <= ANY.1))
        .collect();
    let numbers = numbers.and_then(|numbers| numbers.try_into().ok());
    numbers.ok_or_else(|| at(node, &format!("expected {N} numbers, found `{}`", text.trim())))
}

fn children<'a>(node: Element<'a>, name: &'static str) -> impl Iterator<Item = Element<'a>> {
    node.children().filter(move |child| child.has_tag_name(name))
}

fn child<'a>(node: Element<'a>, name: &'static str) -> Option<Element<'a>> {
    children(node, name).next()
}

fn at(node: Element<'_>, text: &str) -> WorldError {
    WorldError::Sdf { line: node.document().text_pos_at(node.range().start).row, text: text.into() }
}
