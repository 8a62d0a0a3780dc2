//! The kinds of values of ports.
//!
//! Source: `nav2_behavior_tree`, whose texts for poses and lists these are.

use saltus::msgs::{
    builtin_interfaces::msg::Time,
    geometry_msgs::msg::{Point, Pose, PoseStamped, Quaternion},
    std_msgs::msg::Header,
};
use saltus_behavior_tree::{Kind, Value};

/// Milliseconds.
pub(crate) const MILLISECONDS: Kind = Kind::Unsigned;
/// A pose with a stamp and a frame: an `Arc<PoseStamped>`.
pub(crate) const POSE: Kind = Kind::Object {
    name: "geometry_msgs::msg::PoseStamped",
    parse: Some(|text| Ok(Value::object(pose(text)?))),
};
/// Poses with stamps and frames: an `Arc<Vec<PoseStamped>>`.
pub(crate) const POSES: Kind = Kind::Object {
    name: "std::vector<geometry_msgs::msg::PoseStamped>",
    parse: Some(|text| Ok(Value::object(poses(text)?))),
};
/// A path: an `Arc<Path>`.
pub(crate) const PATH: Kind = Kind::Object { name: "nav_msgs::msg::Path", parse: None };
/// A route.
pub(crate) const ROUTE: Kind = Kind::Object { name: "nav2_msgs::msg::Route", parse: None };
/// A duration.
pub(crate) const DURATION: Kind = Kind::Object { name: "builtin_interfaces::msg::Duration", parse: None };
/// A code of an error.
pub(crate) const CODE: Kind = Kind::Unsigned;
/// Codes of errors: an `Arc<Vec<i64>>`.
pub(crate) const CODES: Kind =
    Kind::Object { name: "std::vector<int>", parse: Some(|text| Ok(Value::object(codes(text)?))) };

/// The number of fields of a pose.
const FIELDS: usize = 9;
const WRONG: &str = "invalid number of fields";

/// Reads a pose: the time in nanoseconds, the frame, the position, and the orientation, with `;` between them.
fn pose(text: &str) -> Result<PoseStamped, String> {
    let fields: Vec<&str> = text.split(';').map(str::trim).collect();
    let [stamp, frame, numbers @ ..] = fields.as_slice() else { return Err(WRONG.into()) };
    let numbers: Result<Vec<f64>, _> = numbers.iter().map(|number| number.parse()).collect();
    let numbers: [f64; FIELDS - 2] =
        numbers.map_err(|error| error.to_string())?.try_into().map_err(|_| WRONG.to_owned())?;
    let [x, y, z, turn_x, turn_y, turn_z, turn_w] = numbers;
    let nanos: i64 = stamp.parse().map_err(|_| format!("`{stamp}` is not a time in nanoseconds"))?;
    Ok(PoseStamped {
        header: Header { stamp: Time::from(saltus::Time::from_nanos(nanos)), frame_id: (*frame).to_owned() },
        pose: Pose {
            position: Point { x, y, z },
            orientation: Quaternion { x: turn_x, y: turn_y, z: turn_z, w: turn_w },
        },
    })
}

/// Reads poses, one after the other.
fn poses(text: &str) -> Result<Vec<PoseStamped>, String> {
    let fields: Vec<&str> = text.split(';').collect();
    match fields.len().is_multiple_of(FIELDS) {
        true => fields.chunks(FIELDS).map(|fields| pose(&fields.join(";"))).collect(),
        false => Err(WRONG.into()),
    }
}

/// Reads numbers with `;` between them.
fn codes(text: &str) -> Result<Vec<i64>, String> {
    text.split(';').map(|code| code.trim().parse().map_err(|_| format!("`{code}` is not a number"))).collect()
}
