//! Reads links and joints from XML. Elements that URDF does not define are ignored, because simulators and drivers have their own.
//!
//! Source: the URDF specification, <https://wiki.ros.org/urdf/XML>.

use roxmltree::{Document, Node, ParsingOptions};
use saltus_tf::Transform;

use crate::{DescriptionError, Geometry, Inertial, Joint, JointKind, Limits, Link, Mimic};

/// The maximum number of elements and texts in a description.
const MAX_NODES: u32 = 1_000_000;

type Element<'a> = Node<'a, 'a>;
type Result<T, E = DescriptionError> = std::result::Result<T, E>;

/// The name, the links and the joints of a robot, not yet checked to be a tree.
pub(crate) struct RobotParts {
    pub(crate) name: String,
    pub(crate) links: Vec<Link>,
    pub(crate) joints: Vec<Joint>,
}

/// Reads the elements of a description.
pub(crate) fn read(text: &str) -> Result<RobotParts> {
    let options = ParsingOptions { nodes_limit: MAX_NODES, ..Default::default() };
    let text = saltus_xml::repaired(text);
    let document = Document::parse_with_options(&text, options)
        .map_err(|error| DescriptionError::Xml(error.to_string()))?;
    let robot = document.root_element();
    if !robot.has_tag_name("robot") {
        return Err(error_at(
            robot,
            format!("expected the element `robot`, found `{}`", robot.tag_name().name()),
        ));
    }
    Ok(RobotParts {
        name: required(robot, "name")?.into(),
        links: children(robot, "link").map(link).collect::<Result<_>>()?,
        joints: children(robot, "joint").map(joint).collect::<Result<_>>()?,
    })
}

fn link(node: Element<'_>) -> Result<Link> {
    let shapes = |kind| children(node, kind).map(shape).collect::<Result<Vec<_>>>();
    Ok(Link {
        name: required(node, "name")?.into(),
        inertial: child(node, "inertial").map(inertial).transpose()?,
        collisions: shapes("collision")?,
        visuals: shapes("visual")?,
    })
}

fn inertial(node: Element<'_>) -> Result<Inertial> {
    let Some(mass) = child(node, "mass") else {
        return Err(error_at(node, "the element `inertial` needs the element `mass`".into()));
    };
    let mut moments = [0.0; 6];
    if let Some(inertia) = child(node, "inertia") {
        for (moment, name) in moments.iter_mut().zip(["ixx", "ixy", "ixz", "iyy", "iyz", "izz"]) {
            *moment = number(inertia, name)?;
        }
    }
    Ok(Inertial { mass: number(mass, "value")?, origin: origin(node)?, moments })
}

fn shape(node: Element<'_>) -> Result<(Transform, Geometry)> {
    let Some(shape) = child(node, "geometry").and_then(|geometry| geometry.first_element_child()) else {
        return Err(error_at(
            node,
            format!("the element `{}` has no shape in `geometry`", node.tag_name().name()),
        ));
    };
    let geometry = match shape.tag_name().name() {
        "box" => Geometry::Box { size: numbers(shape, "size")? },
        "cylinder" => {
            Geometry::Cylinder { radius: number(shape, "radius")?, length: number(shape, "length")? }
        }
        "sphere" => Geometry::Sphere { radius: number(shape, "radius")? },
        "mesh" => Geometry::Mesh {
            filename: required(shape, "filename")?.into(),
            scale: if shape.has_attribute("scale") { numbers(shape, "scale")? } else { [1.0; 3] },
        },
        other => {
            return Err(error_at(shape, format!("expected box, cylinder, sphere or mesh, found `{other}`")));
        }
    };
    Ok((origin(node)?, geometry))
}

fn joint(node: Element<'_>) -> Result<Joint> {
    let name = required(node, "name")?;
    let kind = kind(node)?;
    let end = |end| match child(node, end) {
        Some(child) => required(child, "link").map(str::to_owned),
        None => Err(error_at(node, format!("the joint `{name}` needs the element `{end}`"))),
    };
    Ok(Joint {
        name: name.into(),
        kind,
        parent: end("parent")?,
        child: end("child")?,
        origin: origin(node)?,
        axis: axis(node, kind)?,
        limits: limits(node, name, kind)?,
        soft_limits: soft_limits(node)?,
        mimic: child(node, "mimic").map(mimic).transpose()?,
    })
}

fn kind(joint: Element<'_>) -> Result<JointKind> {
    Ok(match required(joint, "type")? {
        "revolute" => JointKind::Revolute,
        "continuous" => JointKind::Continuous,
        "prismatic" => JointKind::Prismatic,
        "fixed" => JointKind::Fixed,
        "floating" => JointKind::Floating,
        "planar" => JointKind::Planar,
        other => {
            let kinds = "revolute, continuous, prismatic, fixed, floating or planar";
            return Err(error_at(joint, format!("the type of a joint must be {kinds}, found `{other}`")));
        }
    })
}

/// Returns the axis, with the length 1 if the joint needs one.
fn axis(joint: Element<'_>, kind: JointKind) -> Result<[f64; 3]> {
    let Some(node) = child(joint, "axis") else { return Ok([1.0, 0.0, 0.0]) };
    let axis: [f64; 3] = numbers(node, "xyz")?;
    if !kind.has_position() {
        return Ok(axis);
    }
    let largest = axis.iter().fold(0.0_f64, |largest, part| largest.max(part.abs()));
    if largest < 1e-9 {
        return Err(error_at(node, "the axis of a joint must not be 0 0 0".into()));
    }
    // First by the largest part: the squares of large numbers may be infinite.
    let axis = axis.map(|part| part / largest);
    let length = axis.iter().map(|part| part * part).sum::<f64>().sqrt();
    Ok(axis.map(|part| part / length))
}

/// Returns the limits. Revolute and prismatic joints need them, as in ROS 2.
fn limits(joint: Element<'_>, name: &str, kind: JointKind) -> Result<Option<Limits>> {
    if !matches!(kind, JointKind::Revolute | JointKind::Prismatic) {
        return Ok(None);
    }
    let Some(node) = child(joint, "limit") else {
        return Err(error_at(joint, format!("the joint `{name}` needs the element `limit`")));
    };
    let [lower, upper] = ["lower", "upper"].map(|name| number_or(node, name, 0.0));
    let (velocity, effort) = (number(node, "velocity")?, number(node, "effort")?);
    Ok(Some(Limits { lower: lower?, upper: upper?, velocity, effort }))
}

fn soft_limits(joint: Element<'_>) -> Result<Option<(f64, f64)>> {
    let Some(node) = child(joint, "safety_controller") else { return Ok(None) };
    let lower = number_or(node, "soft_lower_limit", f64::NEG_INFINITY)?;
    Ok(Some((lower, number_or(node, "soft_upper_limit", f64::INFINITY)?)))
}

fn mimic(node: Element<'_>) -> Result<Mimic> {
    Ok(Mimic {
        joint: required(node, "joint")?.into(),
        multiplier: number_or(node, "multiplier", 1.0)?,
        offset: number_or(node, "offset", 0.0)?,
    })
}

/// Returns the pose in the child `origin` of an element. Since URDF 1.1 the rotation may be a quaternion.
fn origin(node: Element<'_>) -> Result<Transform> {
    let Some(origin) = child(node, "origin") else { return Ok(Transform::IDENTITY) };
    let part = |name| if origin.has_attribute(name) { numbers(origin, name) } else { Ok([0.0; 3]) };
    let (translation, angles) = (part("xyz")?, part("rpy")?);
    if !origin.has_attribute("quat_xyzw") {
        return Ok(Transform::from_xyz_rpy(translation, angles));
    }
    if origin.has_attribute("rpy") {
        return Err(error_at(origin, "an origin has either `rpy` or `quat_xyzw`, not both".into()));
    }
    let quaternion = numbers(origin, "quat_xyzw")?;
    Transform::new(translation, quaternion).map_err(|error| error_at(origin, error.to_string()))
}

/// Returns the children with a name. An element with a prefix has another name.
fn children<'a>(node: Element<'a>, name: &'static str) -> impl Iterator<Item = Element<'a>> {
    let own = node.tag_name().namespace();
    let has_name = move |child: &Element<'a>| child.has_tag_name(name) && child.tag_name().namespace() == own;
    node.children().filter(has_name)
}

fn child<'a>(node: Element<'a>, name: &'static str) -> Option<Element<'a>> {
    children(node, name).next()
}

fn required<'a>(node: Element<'a>, name: &str) -> Result<&'a str> {
    let missing =
        || error_at(node, format!("the element `{}` needs the attribute `{name}`", node.tag_name().name()));
    node.attribute(name).ok_or_else(missing)
}

fn number(node: Element<'_>, name: &str) -> Result<f64> {
    let text = required(node, name)?;
    finite(text).ok_or_else(|| error_at(node, format!("`{name}` must be a number, found `{text}`")))
}

fn number_or(node: Element<'_>, name: &str, default: f64) -> Result<f64> {
    if node.has_attribute(name) { number(node, name) } else { Ok(default) }
}

/// Returns the `N` numbers of an attribute.
fn numbers<const N: usize>(node: Element<'_>, name: &str) -> Result<[f64; N]> {
    let text = required(node, name)?;
    let numbers: Option<Vec<f64>> = text.split_whitespace().map(finite).collect();
    let numbers = numbers.and_then(|numbers| <[f64; N]>::try_from(numbers).ok());
    let count = if N == 3 { "three" } else { "four" };
    numbers.ok_or_else(|| error_at(node, format!("`{name}` must be {count} numbers, found `{text}`")))
}

fn finite(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

fn error_at(node: Element<'_>, text: String) -> DescriptionError {
    DescriptionError::Line { line: node.document().text_pos_at(node.range().start).row, text }
}
