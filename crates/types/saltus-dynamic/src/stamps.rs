//! The current time in a message, which YAML can request like in `ros2 topic pub`: `now` for a time, and `auto` for a
//! header.

use saltus_yaml::Node;

use crate::{Element, Schema, Value};

const TIME: &str = "builtin_interfaces/msg/Time";
const HEADER: &str = "std_msgs/msg/Header";

/// The path to a `Time` in a message that must be set when the message is sent: the indices of the fields and elements
/// on the path.
pub(crate) type TimePath = Vec<usize>;

/// Whether a node requests the current time for a field of this type.
pub(crate) fn is_stamp(schema: &Schema, node: &Node) -> bool {
    matches!((schema.name(), node.as_text()), (TIME, Some("now")) | (HEADER, Some("auto")))
}

/// Returns the paths of all nodes of a document that request the current time.
pub(crate) fn stamps(schema: &Schema, node: &Node) -> Vec<TimePath> {
    if is_stamp(schema, node) {
        // The time of a header is its first field.
        return vec![if schema.name() == HEADER { vec![0] } else { Vec::new() }];
    }
    let mut paths = Vec::new();
    for (name, below) in node.as_mapping().unwrap_or_default() {
        let Some(field) = schema.position(name) else { continue };
        let Element::Message(inner) = &schema.fields()[field].ty.element else { continue };
        match below.as_sequence() {
            None => extend(&mut paths, &[field], stamps(inner, below)),
            Some(items) => {
                for (index, item) in items.iter().enumerate() {
                    extend(&mut paths, &[field, index], stamps(inner, item));
                }
            }
        }
    }
    paths
}

fn extend(paths: &mut Vec<TimePath>, before: &[usize], after: Vec<TimePath>) {
    paths.extend(after.into_iter().map(|path| [before, &path].concat()));
}

impl Value {
    /// Sets the time at a path, in nanoseconds since 1970. Does nothing if there is no time at that path.
    pub(crate) fn set_stamp(&mut self, path: &[usize], nanos: i64) {
        let time = path.iter().try_fold(self, |here, index| match here {
            Self::Message(values) | Self::List(values) => values.get_mut(*index),
            _ => None,
        });
        if let Some(Self::Message(fields)) = time
            && let [sec, nanosec] = &mut fields[..]
        {
            *sec = Self::Signed(nanos.div_euclid(1_000_000_000));
            *nanosec = Self::Unsigned(nanos.rem_euclid(1_000_000_000) as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use saltus_idl::{Interfaces, SourceKind};

    use super::*;

    #[test]
    fn now_and_auto_request_the_current_time() {
        let mut interfaces = Interfaces::default();
        let mut add = |package, name, text| interfaces.add(package, SourceKind::Message, name, text).unwrap();
        add("builtin_interfaces", "Time", "int32 sec\nuint32 nanosec");
        add("std_msgs", "Header", "builtin_interfaces/Time stamp\nstring frame_id");
        add("a", "Item", "std_msgs/Header header\nbuiltin_interfaces/Time at");
        add("a", "All", "string name\nItem[] items\nbuiltin_interfaces/Time stamp");
        let schema = Schema::of(&interfaces, "a/msg/All").unwrap();
        let text = "{name: now, items: [{header: auto}, {at: now, header: {frame_id: auto}}], stamp: now}";
        let node = saltus_yaml::parse(text).unwrap();
        let paths = stamps(&schema, &node);
        assert_eq!(paths, [vec![1, 0, 0, 0], vec![1, 1, 1], vec![2]]);
        let mut value = crate::from_node(&schema, &node).unwrap();
        paths.iter().for_each(|path| value.set_stamp(path, 5_000_000_007));
        let yaml = crate::to_yaml(&schema, &value, &crate::YamlStyle::default());
        assert_eq!(yaml.matches("sec: 5\n").count(), 3, "{yaml}");
        assert!(yaml.contains("name: now") && yaml.contains("frame_id: auto"), "{yaml}");
        assert!(crate::from_yaml(&schema, "{stamp: auto}").is_err());
    }
}
