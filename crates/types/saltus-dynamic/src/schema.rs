//! Schemas: resolved types, with all types that they refer to.

use std::{collections::HashMap, sync::Arc};

use saltus_idl::{Base, Interfaces, Literal, Message, Primitive, ResolveError, Shape};

/// The schema of a type: with it, values of the type can be read and written. Cheap to clone.
///
/// **Invariant:** all types that the type refers to are resolved, and the type does not contain itself.
#[derive(Clone, Debug)]
pub struct Schema(Arc<SchemaData>);

#[derive(Debug)]
struct SchemaData {
    name: String,
    fields: Vec<Field>,
    /// The smallest size of a value on the wire, in bytes.
    min_size: usize,
}

/// A field of a type.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name.
    pub name: String,
    /// The type.
    pub ty: Type,
    /// The default, if the definition has one.
    pub default: Option<Literal>,
}

/// The type of a field.
#[derive(Clone, Debug)]
pub struct Type {
    /// The type of one element.
    pub element: Element,
    /// The number of elements: one, a fixed number, or any number.
    pub shape: Shape,
}

/// The type of one element of a field.
#[derive(Clone, Debug)]
pub enum Element {
    /// A number, a bool or a byte.
    Primitive(Primitive),
    /// UTF-8 text. If it is bounded, the largest number of bytes.
    String(Option<u32>),
    /// UTF-16 text. If it is bounded, the largest number of code units.
    WString(Option<u32>),
    /// Another message.
    Message(Schema),
}

/// The largest size of the fixed parts of a type, in bytes. With this limit, an untrusted `uint8[4294967295]` is an
/// error before a value of it is allocated.
pub const MAX_FIXED_SIZE: usize = 16 << 20;

/// Why a schema can't be created.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// A type is unknown, contains itself, or is nested too deep.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// The fixed parts of a type are too large.
    #[error("`{name}` is too large: its fixed parts have {size} bytes, more than {MAX_FIXED_SIZE}")]
    TooLarge {
        /// The name of the type.
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
        // The recursion below needs a type without cycles that is not nested too deep. This checks both.
        interfaces.type_hash(name)?;
        let mut known = HashMap::new();
        let unknown = || ResolveError::Unknown { name: name.into(), location: None };
        let schema = resolve(interfaces, name, &mut known).ok_or_else(unknown)?;
        match schema.min_size() {
            size if size > MAX_FIXED_SIZE => Err(SchemaError::TooLarge { name: name.into(), size }),
            _ => Ok(schema),
        }
    }

    /// Returns the full name of the type, such as `std_msgs/msg/String`.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the fields of the type, in the order of its definition.
    pub fn fields(&self) -> &[Field] {
        &self.0.fields
    }

    /// Returns the index of the field with this name.
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
    let schema = Schema(Arc::new(SchemaData { name: name.into(), fields, min_size }));
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

    /// Returns the largest number of elements that a field of this type can have.
    pub(crate) fn bound(&self) -> usize {
        match self.shape {
            Shape::Scalar => 1,
            Shape::Array(n) | Shape::Bounded(n) => n as usize,
            Shape::Unbounded => usize::MAX,
        }
    }

    /// Returns the type of the elements, if this is a sequence or an array of numbers. Its values are
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

    /// Returns the name of the type in definitions.
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
