//! What ports carry.

use saltus_behavior_tree::{Kind, Value};

/// Milliseconds.
pub(crate) const MILLISECONDS: Kind = Kind::Unsigned;
/// A pose with a stamp and a frame.
pub(crate) const POSE: Kind =
    Kind::Object { name: "geometry_msgs::msg::PoseStamped", parse: Some(|text| fields(text, 9, false)) };
/// Poses with stamps and frames.
pub(crate) const POSES: Kind = Kind::Object {
    name: "std::vector<geometry_msgs::msg::PoseStamped>",
    parse: Some(|text| fields(text, 9, true)),
};
/// A path.
pub(crate) const PATH: Kind = Kind::Object { name: "nav_msgs::msg::Path", parse: None };
/// A route.
pub(crate) const ROUTE: Kind = Kind::Object { name: "nav2_msgs::msg::Route", parse: None };
/// A duration.
pub(crate) const DURATION: Kind = Kind::Object { name: "builtin_interfaces::msg::Duration", parse: None };
/// A code of an error.
pub(crate) const CODE: Kind = Kind::Unsigned;
/// Codes of errors.
pub(crate) const CODES: Kind =
    Kind::Object { name: "std::vector<int>", parse: Some(|text| fields(text, 1, true)) };

/// Checks that a text has numbers with `;` between them, `count` of them, or several times as many. The second of nine is the name of
/// a frame.
fn fields(text: &str, count: usize, is_list: bool) -> Result<Value, String> {
    let parts: Vec<&str> = text.split(';').collect();
    let has_count = if is_list { parts.len().is_multiple_of(count) } else { parts.len() == count };
    let is_right =
        |(place, part): (usize, &&str)| (count == 9 && place % 9 == 1) || part.trim().parse::<f64>().is_ok();
    match has_count && parts.iter().enumerate().all(is_right) {
        true => Ok(Value::text(text)),
        false => Err("invalid number of fields".into()),
    }
}
