//! The model of interfaces: the result of parsing definitions.

use std::{fmt, str::FromStr, sync::Arc};

/// The full name of an interface, `package/kind/Name`, such as `std_msgs/msg/String`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeName {
    /// The package, such as `std_msgs`.
    pub package: String,
    /// `msg`, `srv` or `action`.
    pub kind: String,
    /// The name, such as `String`. Implied types have a suffix, as in `AddTwoInts_Request`.
    pub name: String,
}

impl TypeName {
    /// Creates a name from its three parts. Does not check them.
    pub fn new(package: &str, kind: &str, name: &str) -> Self {
        Self { package: package.into(), kind: kind.into(), name: name.into() }
    }

    /// Returns the name with a suffix, as implied types have it: `AddTwoInts` with `_Request`.
    pub fn with_suffix(&self, suffix: &str) -> Self {
        Self { name: format!("{}{suffix}", self.name), ..self.clone() }
    }
}

impl fmt::Display for TypeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.package, self.kind, self.name)
    }
}

impl FromStr for TypeName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split('/').collect::<Vec<_>>()[..] {
            [package, kind, name] => Ok(Self::new(package, kind, name)),
            [package, name] => Ok(Self::new(package, "msg", name)),
            _ => Err(format!("expected a type name such as `std_msgs/msg/String`, found `{text}`")),
        }
    }
}

/// The kind of a definition file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// A `.msg` file.
    Message,
    /// A `.srv` file.
    Service,
    /// An `.action` file.
    Action,
}

impl SourceKind {
    /// Returns the extension of these files, which is also the name of their folder: `msg`, `srv` or `action`.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Message => "msg",
            Self::Service => "srv",
            Self::Action => "action",
        }
    }
}

/// The primitive types of the grammar, without the two kinds of string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    missing_docs,
    reason = "the names are those of the grammar; only the two misleading names are explained"
)]
pub enum Primitive {
    Bool,
    /// An opaque byte, 0 to 255.
    Byte,
    /// An unsigned 8-bit integer, despite its name: ROS 2 maps it to `uint8`.
    Char,
    Int8,
    Uint8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Int64,
    Uint64,
    Float32,
    Float64,
}

impl Primitive {
    /// All primitive types, with their names in the grammar.
    pub(crate) const ALL: [(Self, &'static str); 13] = [
        (Self::Bool, "bool"),
        (Self::Byte, "byte"),
        (Self::Char, "char"),
        (Self::Int8, "int8"),
        (Self::Uint8, "uint8"),
        (Self::Int16, "int16"),
        (Self::Uint16, "uint16"),
        (Self::Int32, "int32"),
        (Self::Uint32, "uint32"),
        (Self::Int64, "int64"),
        (Self::Uint64, "uint64"),
        (Self::Float32, "float32"),
        (Self::Float64, "float64"),
    ];

    /// Returns the size on the wire in bytes, which is also the alignment: 1, 2, 4 or 8.
    pub const fn size(self) -> usize {
        match self {
            Self::Bool | Self::Byte | Self::Char | Self::Int8 | Self::Uint8 => 1,
            Self::Int16 | Self::Uint16 => 2,
            Self::Int32 | Self::Uint32 | Self::Float32 => 4,
            Self::Int64 | Self::Uint64 | Self::Float64 => 8,
        }
    }

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, name)| *name == word).map(|(primitive, _)| *primitive)
    }
}

impl fmt::Display for Primitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(primitive, _)| primitive == self).map_or("", |(_, name)| name);
        f.write_str(name)
    }
}

/// The type of one element of a field.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// A number, a bool or a byte.
    Primitive(Primitive),
    /// UTF-8 text. If it is bounded, the largest number of bytes.
    String(Option<u32>),
    /// UTF-16 text. If it is bounded, the largest number of code units.
    WString(Option<u32>),
    /// Another message.
    Nested(TypeName),
}

/// The number of elements of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// One element.
    Scalar,
    /// A fixed number of elements, at least 1.
    Array(u32),
    /// A sequence with a largest number of elements. That number is at least 1.
    Bounded(u32),
    /// A sequence of any number of elements.
    Unbounded,
}

/// The type of a field.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FieldType {
    /// The type of one element.
    pub base: Base,
    /// The number of elements: one, a fixed number, or any number.
    pub shape: Shape,
}

impl FieldType {
    /// Returns the type of one nested message.
    pub(crate) fn nested(name: TypeName) -> Self {
        Self { base: Base::Nested(name), shape: Shape::Scalar }
    }

    /// Returns the type of one primitive.
    pub(crate) fn primitive(primitive: Primitive) -> Self {
        Self { base: Base::Primitive(primitive), shape: Shape::Scalar }
    }
}

impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.base {
            Base::Primitive(primitive) => write!(f, "{primitive}")?,
            Base::String(None) => f.write_str("string")?,
            Base::String(Some(bound)) => write!(f, "string<={bound}")?,
            Base::WString(None) => f.write_str("wstring")?,
            Base::WString(Some(bound)) => write!(f, "wstring<={bound}")?,
            Base::Nested(name) => write!(f, "{}/{}", name.package, name.name)?,
        }
        match self.shape {
            Shape::Scalar => Ok(()),
            Shape::Array(n) => write!(f, "[{n}]"),
            Shape::Bounded(n) => write!(f, "[<={n}]"),
            Shape::Unbounded => f.write_str("[]"),
        }
    }
}

/// A field of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The name, in `snake_case`. It is unique in the message.
    pub name: String,
    /// The type.
    pub ty: FieldType,
    /// The default, if the definition has one. It fits the type and its bounds.
    pub default: Option<Literal>,
    /// The location of its type in the definition. `None` for implied fields.
    pub location: Option<SourceLocation>,
}

/// A location in the text of a definition.
///
/// **Invariant:** `line` and `column` count from 1. `column` counts characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLocation {
    /// The path of the file, or `package/kind/Name.kind` if the text is not from a file.
    pub file: Arc<str>,
    /// The line.
    pub line: usize,
    /// The column: the number of the character in the line.
    pub column: usize,
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A constant of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// The name, in `UPPER_CASE`. It is unique in the message.
    pub name: String,
    /// The type: a primitive, or an unbounded string or wstring.
    pub ty: Base,
    /// The value. It fits the type.
    pub value: Literal,
}

/// A message, or a part of a service or action.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The full name.
    pub name: TypeName,
    /// The fields, in the order in which they are serialized. An empty message has no fields here, but has one byte on
    /// the wire and in its type description: see [`Message::wire_fields`].
    pub fields: Vec<Field>,
    /// The constants.
    pub constants: Vec<Constant>,
}

impl Message {
    /// The name of the one byte that an empty message has on the wire.
    pub(crate) const NO_FIELDS: &str = "structure_needs_at_least_one_member";

    /// Returns the fields on the wire and in the type description. An empty message has one byte there, with the name
    /// `structure_needs_at_least_one_member`.
    pub fn wire_fields(&self) -> Vec<Field> {
        if !self.fields.is_empty() {
            return self.fields.clone();
        }
        vec![Field {
            name: Self::NO_FIELDS.into(),
            ty: FieldType::primitive(Primitive::Uint8),
            default: None,
            location: None,
        }]
    }

    /// Returns the fields that have messages as elements, with the names of these messages.
    pub(crate) fn nested_fields(&self) -> impl Iterator<Item = (&Field, &TypeName)> {
        self.fields.iter().filter_map(|field| match &field.ty.base {
            Base::Nested(name) => Some((field, name)),
            _ => None,
        })
    }
}

/// A service: its request and response. The event that introspection publishes is implied.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    /// The full name, such as `std_srvs/srv/SetBool`.
    pub name: TypeName,
    /// The request, `…_Request`.
    pub request: Message,
    /// The response, `…_Response`.
    pub response: Message,
}

/// An action: its goal, result and feedback. Its services and topics are implied.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// The full name, such as `example_interfaces/action/Fibonacci`.
    pub name: TypeName,
    /// The goal, `…_Goal`.
    pub goal: Message,
    /// The result, `…_Result`.
    pub result: Message,
    /// The feedback, `…_Feedback`.
    pub feedback: Message,
}

/// A value in a definition.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `true`, `false`, `1` or `0`.
    Bool(bool),
    /// An integer in the range of its type.
    Integer(i128),
    /// A floating-point number. It may be infinite or NaN.
    Float(f64),
    /// Text without its quotes.
    Text(String),
    /// A list such as `[a, b]`, with as many values as the shape of the field allows.
    List(Vec<Literal>),
}
