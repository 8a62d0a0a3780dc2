//! The inputs and outputs of nodes.

use crate::{
    status::Status,
    value::{FromValue, Value},
};

/// The direction of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The node reads the port.
    Input,
    /// The node writes the port.
    Output,
    /// The node reads and writes the port.
    InOut,
}

/// A function that reads a value from a text, or returns the reason why that is not possible.
pub type ParseText = fn(&str) -> Result<Value, String>;

/// The kind of values of a port. A text in XML must be of this kind.
#[derive(Clone, Copy, Debug, Default)]
pub enum Kind {
    /// Anything.
    #[default]
    Any,
    /// A truth value.
    Bool,
    /// A whole number.
    Integer,
    /// A whole number that is not negative.
    Unsigned,
    /// A number.
    Double,
    /// A text.
    Text,
    /// A status.
    Status,
    /// An object.
    Object {
        /// The name of its type.
        name: &'static str,
        /// The function that reads the object from a text, if there is one.
        parse: Option<ParseText>,
    },
}

impl Kind {
    /// Returns the name of the type.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Any => "BT::AnyTypeAllowed",
            Self::Bool => "bool",
            Self::Integer => "int",
            Self::Unsigned => "unsigned int",
            Self::Double => "double",
            Self::Text => "std::string",
            Self::Status => "BT::NodeStatus",
            Self::Object { name, .. } => name,
        }
    }

    /// Whether a port of another kind may use an entry of this kind. A text may become anything.
    pub(crate) fn fits(&self, other: &Self) -> bool {
        matches!(self, Self::Any | Self::Text) || matches!(other, Self::Any) || self.name() == other.name()
    }

    /// Reads a text.
    pub(crate) fn read(&self, text: &str) -> Result<Value, String> {
        let value = Value::text(text);
        match self {
            Self::Any | Self::Text => Ok(value),
            Self::Bool => bool::from_value(&value).map(Value::from),
            Self::Integer => i64::from_value(&value).map(Value::from),
            Self::Unsigned => u64::from_value(&value).map(|number| Value::Integer(number as i64)),
            Self::Double => f64::from_value(&value).map(Value::from),
            Self::Status => Status::from_value(&value).map(|_| value),
            Self::Object { parse: Some(parse), .. } => parse(text),
            Self::Object { name, parse: None } => Err(format!("a text can't be converted to {name}")),
        }
    }
}

/// An input or an output of a node.
#[derive(Clone, Copy, Debug)]
pub struct Port {
    /// The name: an attribute in XML.
    pub name: &'static str,
    /// Whether the node reads or writes the port.
    pub direction: Direction,
    /// The kind of values.
    pub kind: Kind,
    /// The default text.
    pub default: Option<&'static str>,
    /// The description, for people.
    pub description: &'static str,
}

impl Port {
    const fn new(name: &'static str, direction: Direction) -> Self {
        Self { name, direction, kind: Kind::Any, default: None, description: "" }
    }

    /// Returns an input for anything.
    pub const fn input(name: &'static str) -> Self {
        Self::new(name, Direction::Input)
    }

    /// Returns an output for anything.
    pub const fn output(name: &'static str) -> Self {
        Self::new(name, Direction::Output)
    }

    /// Returns an input and output for anything.
    pub const fn inout(name: &'static str) -> Self {
        Self::new(name, Direction::InOut)
    }

    /// Returns the same port for one kind.
    #[must_use]
    pub const fn of(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    /// Returns the same port with a default, as it would be in XML.
    #[must_use]
    pub const fn or(self, default: &'static str) -> Self {
        Self { default: Some(default), ..self }
    }

    /// Returns the same port with a description.
    #[must_use]
    pub const fn about(self, description: &'static str) -> Self {
        Self { description, ..self }
    }
}

/// The name, so that a port or a name can be given to [`Tick::input`](crate::Tick::input) and the like.
impl AsRef<str> for Port {
    fn as_ref(&self) -> &str {
        self.name
    }
}

/// Returns the key of a pointer such as `{key}`; `{=}` points to the entry with the name of the port.
pub(crate) fn pointer<'a>(port: &'a str, text: &'a str) -> Option<&'a str> {
    let text = text.trim();
    if text == "=" {
        return Some(port);
    }
    let key = text.strip_prefix('{')?.strip_suffix('}')?.trim();
    (!key.is_empty()).then_some(if key == "=" { port } else { key })
}
