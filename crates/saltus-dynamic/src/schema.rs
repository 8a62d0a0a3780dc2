//! A resolved type: its fields, with the types that they refer to.

use std::{collections::HashMap, sync::Arc};

use saltus_idl::{Base, Interfaces, Literal, Message, Primitive, ResolveError, Shape};

/// A type whose values can be read and written.
///
/// **Invariant:** everything that it refers to is resolved, and it does not contain itself. Cloning
/// it is cheap.
#[derive(Clone, Debug)]
pub struct Schema(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    name: String,
    fields: Vec<Field>,
    /// The smallest size of a value on the wire, in bytes.
    min_size: usize,
}

/// A field of a type.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its default, if the definition gives one.
    pub default: Option<Literal>,
}

/// The type of a field.
#[derive(Clone, Debug)]
pub struct Type {
    /// One element.
    pub element: Element,
    /// How many.
    pub shape: Shape,
}

/// What one element of a field is.
#[derive(Clone, Debug)]
pub enum Element {
    /// A number, a bool or a byte.
    Primitive(Primitive),
    /// Text, of at most this many bytes if bounded.
    String(Option<u32>),
    /// UTF-16 text, of at most this many code units if bounded.
    WString(Option<u32>),
    /// Another message.
    Message(Schema),
}

/// The largest size of the fixed parts of a type, in bytes. An untrusted `uint8[4294967295]` is refused before a
/// value of it is allocated.
pub const MAX_FIXED_SIZE: usize = 16 << 20;

/// Why a schema can't be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// A type is unknown, contains itself, or is nested too deep.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// Its fixed parts are too large.
    #[error("`{name}` has fixed parts of {size} bytes, more than {MAX_FIXED_SIZE}")]
    TooLarge {
        /// The type.
        name: String,
        /// The smallest size of a value, in bytes.
        size: usize,
    },
}

impl Schema {
    /// Returns the schema of the type with this full name.
    ///
    /// # Errors
    /// Returns an error if the type, or a type that it refers to, is unknown, contains itself or is nested too
    /// deep, or if the fixed parts of the type are larger than [`MAX_FIXED_SIZE`].
    pub fn of(interfaces: &Interfaces, name: &str) -> Result<Self, SchemaError> {
        // This refuses cycles and too deep types before the recursion below.
        interfaces.type_hash(name)?;
        let mut known = HashMap::new();
        let unknown = || ResolveError::Unknown { name: name.into(), place: None };
        let schema = resolve(interfaces, name, &mut known).ok_or_else(unknown)?;
        match schema.min_size() {
            size if size > MAX_FIXED_SIZE => Err(SchemaError::TooLarge { name: name.into(), size }),
            _ => Ok(schema),
        }
    }

    /// Returns its full name, such as `std_msgs/msg/String`.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns its fields, in order.
    pub fn fields(&self) -> &[Field] {
        &self.0.fields
    }

    /// Returns the place of a field among the fields.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.0.fields.iter().position(|field| field.name == name)
    }

    pub(crate) fn min_size(&self) -> usize {
        self.0.min_size
    }
}

fn resolve(interfaces: &Interfaces, name: &str, known: &mut HashMap<String, Schema>) -> Option<Schema> {
    if let Some(schema) = known.get(name) {
        return Some(schema.clone());
    }
    let message = interfaces.message(name)?;
    let fields = fields(interfaces, message, known)?;
    let sizes = fields.iter().map(|field| field.ty.min_size());
    // An empty message is one byte on the wire.
    let min_size = sizes.fold(0usize, usize::saturating_add).max(1);
    let schema = Schema(Arc::new(Inner { name: name.into(), fields, min_size }));
    known.insert(name.into(), schema.clone());
    Some(schema)
}

fn fields(
    interfaces: &Interfaces,
    message: &Message,
    known: &mut HashMap<String, Schema>,
) -> Option<Vec<Field>> {
    let mut fields = Vec::with_capacity(message.fields.len());
    for field in &message.fields {
        let element = match &field.ty.base {
            Base::Primitive(primitive) => Element::Primitive(*primitive),
            Base::String(bound) => Element::String(*bound),
            Base::WString(bound) => Element::WString(*bound),
            Base::Nested(name) => Element::Message(resolve(interfaces, &name.to_string(), known)?),
        };
        let ty = Type { element, shape: field.ty.shape };
        fields.push(Field { name: field.name.clone(), ty, default: field.default.clone() });
    }
    Some(fields)
}

impl Type {
    fn min_size(&self) -> usize {
        match self.shape {
            Shape::Scalar => self.element.min_size(),
            Shape::Array(n) => self.element.min_size().saturating_mul(n as usize),
            Shape::Bounded(_) | Shape::Unbounded => 4,
        }
    }

    /// Returns the largest number of elements that it can have.
    pub(crate) fn bound(&self) -> usize {
        match self.shape {
            Shape::Scalar => 1,
            Shape::Array(n) | Shape::Bounded(n) => n as usize,
            Shape::Unbounded => usize::MAX,
        }
    }

    /// Returns the type of the numbers, if it is a sequence or an array of numbers, which is a
    /// [`crate::Value::Numbers`].
    pub(crate) fn numbers(&self) -> Option<Primitive> {
        match self.element {
            Element::Primitive(primitive) if self.shape != Shape::Scalar => Some(primitive),
            _ => None,
        }
    }
}

impl Element {
    /// Returns the smallest size of one element on the wire, in bytes.
    pub(crate) fn min_size(&self) -> usize {
        match self {
            Self::Primitive(primitive) => primitive.size(),
            Self::String(_) | Self::WString(_) => 4,
            Self::Message(schema) => schema.min_size(),
        }
    }

    /// Returns its name in a definition.
    pub(crate) fn word(&self) -> String {
        match self {
            Self::Primitive(primitive) => primitive.to_string(),
            Self::String(None) => "string".into(),
            Self::String(Some(bound)) => format!("string<={bound}"),
            Self::WString(None) => "wstring".into(),
            Self::WString(Some(bound)) => format!("wstring<={bound}"),
            Self::Message(schema) => schema.name().replacen("/msg/", "/", 1),
        }
    }
}
