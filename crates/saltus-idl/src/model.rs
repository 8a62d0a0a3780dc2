//! The model that a definition is read into.

use std::{fmt, str::FromStr, sync::Arc};

/// The full name of an interface, `package/kind/Name`, such as `std_msgs/msg/String`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeName {
    /// The package, such as `std_msgs`.
    pub package: String,
    /// `msg`, `srv` or `action`.
    pub kind: String,
    /// The name, such as `String`; implied types carry a suffix (`AddTwoInts_Request`).
    pub name: String,
}

impl TypeName {
    /// Joins three parts; they are not checked here.
    pub fn new(package: &str, kind: &str, name: &str) -> Self {
        Self { package: package.into(), kind: kind.into(), name: name.into() }
    }

    /// The name with a suffix, as implied types have: `AddTwoInts` + `_Request`.
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

/// The primitive types of the grammar, without the two kinds of string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of the grammar; the two that mislead are explained")]
pub enum Primitive {
    Bool,
    /// An opaque byte, 0 to 255.
    Byte,
    /// Despite its name an unsigned 8-bit number: ROS 2 maps it to `uint8`.
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
    /// Every primitive with its word in the grammar.
    pub const ALL: [(Self, &'static str); 13] = [
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

    /// The size on the wire and its alignment, in bytes: 1, 2, 4 or 8.
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

/// What one element of a field is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// A number, a bool or a byte.
    Primitive(Primitive),
    /// UTF-8 text, of at most this many bytes if bounded.
    String(Option<u32>),
    /// UTF-16 text, of at most this many code units if bounded.
    WString(Option<u32>),
    /// Another message.
    Nested(TypeName),
}

/// How many elements a field has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// One.
    Scalar,
    /// Exactly this many, at least 1.
    Array(u32),
    /// At most this many, at least 1.
    Bounded(u32),
    /// Any number.
    Unbounded,
}

/// The type of a field.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FieldType {
    /// One element.
    pub base: Base,
    /// How many.
    pub shape: Shape,
}

impl FieldType {
    /// One nested message.
    pub(crate) fn nested(name: TypeName) -> Self {
        Self { base: Base::Nested(name), shape: Shape::Scalar }
    }

    /// One primitive.
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

/// A named value of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name, in `snake_case`, unique in its message.
    pub name: String,
    /// Its type.
    pub ty: FieldType,
    /// Its default, if the definition gives one. It fits the type and is within its bounds.
    pub default: Option<Literal>,
    /// Where its definition names its type; `None` for implied fields.
    pub place: Option<Place>,
}

/// A place in a definition.
///
/// **Invariant:** `line` and `column` count from 1; `column` counts characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file: its path, or `package/kind/Name.kind` if the text is not from a file.
    pub file: Arc<str>,
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A named constant of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// Its name, in `UPPER_CASE`, unique in its message.
    pub name: String,
    /// A primitive, or an unbounded string or wstring.
    pub ty: Base,
    /// Its value, of the type's kind.
    pub value: Literal,
}

/// A message, or one part of a service or action.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Its full name.
    pub name: TypeName,
    /// Its fields, in the order in which they go over the wire. Empty for an empty message, though
    /// on the wire (and in its type description) that is one byte: see [`Message::wire_fields`].
    pub fields: Vec<Field>,
    /// Its constants.
    pub constants: Vec<Constant>,
}

impl Message {
    /// Returns the fields as they are on the wire and in the type description: an empty message has one byte
    /// named `structure_needs_at_least_one_member`.
    pub fn wire_fields(&self) -> Vec<Field> {
        if !self.fields.is_empty() {
            return self.fields.clone();
        }
        vec![Field {
            name: "structure_needs_at_least_one_member".into(),
            ty: FieldType::primitive(Primitive::Uint8),
            default: None,
            place: None,
        }]
    }

    /// Returns the fields that are other messages, with their types.
    pub(crate) fn nested_fields(&self) -> impl Iterator<Item = (&Field, &TypeName)> {
        self.fields.iter().filter_map(|field| match &field.ty.base {
            Base::Nested(name) => Some((field, name)),
            _ => None,
        })
    }
}

/// A service: a request, a response and the event that introspection publishes.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    /// Its full name, such as `std_srvs/srv/SetBool`.
    pub name: TypeName,
    /// `…_Request`.
    pub request: Message,
    /// `…_Response`.
    pub response: Message,
}

/// An action: goal, result and feedback; its services and topics are implied.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// Its full name, such as `example_interfaces/action/Fibonacci`.
    pub name: TypeName,
    /// `…_Goal`.
    pub goal: Message,
    /// `…_Result`.
    pub result: Message,
    /// `…_Feedback`.
    pub feedback: Message,
}

/// A value as written in a definition.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `true`, `false`, `1` or `0`.
    Bool(bool),
    /// A whole number, within the range of its type.
    Integer(i128),
    /// A floating-point number; may be infinite or not a number.
    Float(f64),
    /// Text without its quotes.
    Text(String),
    /// `[a, b]`: as many as the shape of the field allows.
    List(Vec<Literal>),
}
