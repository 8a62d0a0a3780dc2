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
struct UprightPose {
    pose: Pose,
    z: f64,
}

impl UprightPose {
    fn compose(&self, inner: &Self) -> Self {
        Self { pose: self.pose.compose(&inner.pose), z: self.z + inner.z }
    }
}

impl World {
    /// Reads the planar part of a world in SDF: the cross-sections of the boxes, cylinders, spheres and polylines of its models at a height
    /// in metres. All models are static.
    ///
    /// # Errors
    ///
    /// Fails if the text is not SDF, or if it contains an unsupported element, such as another shape.
    pub fn from_sdf(text: &str, height: f64) -> Result<Self> {
        world(text, height)
    }
}

fn world(text: &str, height: f64) -> Result<World> {
    let sdf = |line, text: String| WorldError::Sdf { line, text };
    let text = saltus_xml::repaired(text);
    let document = Document::parse(&text).map_err(|error| sdf(error.pos().row, error.to_string()))?;
    let root = document.root_element();
    let Some(world) = child(root, "world").filter(|_| root.has_tag_name("sdf")) else {
        return Err(error_at(root, "expected the elements `sdf` and `world`"));
    };
    let mut obstacles = Vec::new();
    for model in children(world, "model") {
        let model_pose = upright_pose(model)?;
        if let Some(nested) =
            model.children().find(|child| child.has_tag_name("model") || child.has_tag_name("include"))
        {
            return Err(error_at(nested, "models within models are not read"));
        }
        for link in children(model, "link") {
            let link_pose = model_pose.compose(&upright_pose(link)?);
            for collision in children(link, "collision") {
                obstacles.extend(shape(collision, &link_pose, height)?);
            }
        }
    }
    if let Some(include) = children(world, "include").find(|include| !is_harmless(*include)) {
        return Err(error_at(
            include,
            "models of other files are not read; write their shapes into the world",
        ));
    }
    let name = world.attribute("name").unwrap_or("world").into();
    Ok(World { name, obstacles, ..World::default() })
}

/// Whether an included model is no obstacle: the ground or the sun, which most worlds include.
fn is_harmless(include: Element<'_>) -> bool {
    let uri = child(include, "uri").and_then(|uri| uri.text()).unwrap_or_default();
    ["ground_plane", "sun"].iter().any(|name| uri.trim().ends_with(name))
}

/// Returns the cross-section of a collision, if it crosses the plane at a height.
fn shape(collision: Element<'_>, parent: &UprightPose, height: f64) -> Result<Option<Shape>> {
    let placement = parent.compose(&upright_pose(collision)?);
    let Some(geometry) = child(collision, "geometry") else {
        return Err(error_at(collision, "a collision needs the element `geometry`"));
    };
    let crosses = |bottom: f64, top: f64| (placement.z + bottom..=placement.z + top).contains(&height);
    let Some(solid) = geometry.first_element_child() else { return Ok(None) };
    let invalid = || error_at(solid, "the shape has no area, or it is not convex");
    Ok(match solid.tag_name().name() {
        "plane" | "empty" => None,
        "box" => {
            let [x, y, z] = numbers(solid, "size")?;
            let shape =
                Shape::rectangle(placement.pose, Point::new(x, y)).filter(|_| z > 0.0).ok_or_else(invalid)?;
            crosses(-z / 2.0, z / 2.0).then_some(shape)
        }
        "cylinder" => {
            let ([radius], [length]) = (numbers(solid, "radius")?, numbers(solid, "length")?);
            if radius <= 0.0 || length <= 0.0 {
                return Err(invalid());
            }
            let shape = Shape::Circle { center: placement.pose.point(), radius };
            crosses(-length / 2.0, length / 2.0).then_some(shape)
        }
        "sphere" => {
            let [radius] = numbers(solid, "radius")?;
            if radius <= 0.0 {
                return Err(invalid());
            }
            let offset = height - placement.z;
            let squared = radius * radius - offset * offset;
            (squared > 0.0).then(|| Shape::Circle { center: placement.pose.point(), radius: squared.sqrt() })
        }
        "polyline" => {
            let [length] = numbers(solid, "height")?;
            let points = children(solid, "point").map(point).collect::<Result<Vec<_>>>()?;
            let points = points.into_iter().map(|point| placement.pose.apply(point)).collect();
            let shape = Shape::polygon(points).filter(|_| length > 0.0).ok_or_else(invalid)?;
            crosses(0.0, length).then_some(shape)
        }
        other => return Err(error_at(solid, &format!("a shape of the kind `{other}` is not read"))),
    })
}

/// Returns the pose of an element. Only rotations about the vertical axis are supported.
fn upright_pose(element: Element<'_>) -> Result<UprightPose> {
    let Some(node) = child(element, "pose") else { return Ok(UprightPose::default()) };
    let is_set = |name: &&&str| node.attribute(**name).is_some_and(|value| !["", "false"].contains(&value));
    if let Some(name) = ["relative_to", "frame", "degrees", "rotation_format"].iter().find(is_set) {
        return Err(error_at(node, &format!("the attribute `{name}` of a pose is not read")));
    }
    if node.text().unwrap_or_default().trim().is_empty() {
        return Ok(UprightPose::default());
    }
    let [x, y, z, roll, pitch, yaw] = element_numbers(node)?;
    if roll.abs() > 1e-6 || pitch.abs() > 1e-6 {
        return Err(error_at(node, "only rotations about the vertical axis are possible"));
    }
    Ok(UprightPose { pose: Pose::new(x, y, yaw), z })
}

fn point(node: Element<'_>) -> Result<Point> {
    element_numbers(node).map(Point::from_array)
}

fn numbers<const N: usize>(parent: Element<'_>, name: &'static str) -> Result<[f64; N]> {
    let node =
        child(parent, name).ok_or_else(|| error_at(parent, &format!("the element `{name}` is missing")))?;
    element_numbers(node)
}

/// Returns the `N` numbers in the text of an element.
fn element_numbers<const N: usize>(node: Element<'_>) -> Result<[f64; N]> {
    let text = node.text().unwrap_or_default();
    let numbers: Option<Vec<f64>> = text
        .split_whitespace()
        .map(|word| word.parse().ok().filter(|number: &f64| number.abs() <= ANY.1))
        .collect();
    let numbers = numbers.and_then(|numbers| numbers.try_into().ok());
    numbers.ok_or_else(|| error_at(node, &format!("expected {N} numbers, found `{}`", text.trim())))
}

fn children<'a>(node: Element<'a>, name: &'static str) -> impl Iterator<Item = Element<'a>> {
    // An element with a prefix has another name.
    let own = node.tag_name().namespace();
    node.children().filter(move |child| child.has_tag_name(name) && child.tag_name().namespace() == own)
}

fn child<'a>(node: Element<'a>, name: &'static str) -> Option<Element<'a>> {
    children(node, name).next()
}

fn error_at(node: Element<'_>, text: &str) -> WorldError {
    WorldError::Sdf { line: node.document().text_pos_at(node.range().start).row, text: text.into() }
}
