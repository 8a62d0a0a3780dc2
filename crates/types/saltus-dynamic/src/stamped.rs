//! Messages in which the current time may be requested.

use saltus_yaml::YamlError;

use crate::{
    Schema, Value,
    from_yaml::from_node,
    stamps::{TimePath, stamps},
};

/// A message in YAML, in which the current time may be requested.
///
/// ```
/// # use saltus_dynamic::{Schema, StampedValue};
/// # use saltus_idl::{Interfaces, SourceKind};
/// # let mut interfaces = Interfaces::default();
/// # interfaces.add("builtin_interfaces", SourceKind::Message, "Time", "int32 sec\nuint32 nanosec")?;
/// # interfaces.add("demo", SourceKind::Message, "Event", "builtin_interfaces/Time at")?;
/// # let schema = Schema::of(&interfaces, "demo/msg/Event")?;
/// let mut event = StampedValue::from_yaml(&schema, "at: now")?;
/// event.stamp(5_000_000_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// **Invariant:** each path of `stamps` leads to a time in `value`.
#[derive(Clone, Debug)]
pub struct StampedValue {
    /// The message. Times that are requested are 0 until they are set.
    pub value: Value,
    /// The times that are requested.
    stamps: Vec<TimePath>,
}

impl StampedValue {
    /// Reads a message from a mapping of its fields, like [`from_yaml`](crate::from_yaml).
    ///
    /// # Errors
    /// Returns the same errors.
    pub fn from_yaml(schema: &Schema, text: &str) -> Result<Self, YamlError> {
        let document = saltus_yaml::parse(text)?;
        Ok(Self { value: from_node(schema, &document)?, stamps: stamps(schema, &document) })
    }

    /// Whether a time is requested.
    pub fn has_stamps(&self) -> bool {
        !self.stamps.is_empty()
    }

    /// Sets the times that are requested, in nanoseconds since 1970.
    pub fn stamp(&mut self, nanos: i64) {
        self.stamps.iter().for_each(|path| self.value.set_stamp(path, nanos));
    }
}
