//! Values of any type.

use std::borrow::Cow;

use saltus_cdr::WString;
use saltus_idl::{Literal, Primitive, Shape};

use crate::{Element, Schema, Type};

/// A value of a type that a [`Schema`] describes.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A bool.
    Bool(bool),
    /// A signed integer of any width.
    Signed(i64),
    /// An unsigned integer of any width, a `char` or a `byte`.
    Unsigned(u64),
    /// A `float32`.
    Float32(f32),
    /// A `float64`.
    Float64(f64),
    /// UTF-8 text.
    Text(String),
    /// UTF-16 text.
    Wide(WString),
    /// A sequence or an array of numbers or bools.
    Numbers(Numbers),
    /// A sequence or an array of texts or messages.
    List(Vec<Value>),
    /// A message: the values of its fields, in the order of the schema.
    Message(Vec<Value>),
}

impl Value {
    /// Returns a message with the default values: the defaults in its definition, and otherwise zero or empty.
    pub fn default_of(schema: &Schema) -> Self {
        let field = |field: &crate::Field| match &field.default {
            Some(literal) => literal_value(literal, &field.ty),
            None => default_of_type(&field.ty),
        };
        Self::Message(schema.fields().iter().map(field).collect())
    }

    /// Returns the value at a path, and its type. A path consists of field names and indices, such as `header.stamp` or
    /// `poses.0.x`. For an empty path, returns the message itself, and `None` as its type.
    ///
    /// # Errors
    /// Returns an error if the message has no such field or element. The error contains the fields or the number of
    /// elements that it has.
    pub fn at<'a>(&'a self, schema: &Schema, path: &str) -> Result<(Cow<'a, Self>, Option<Type>), PathError> {
        let mut here = (Cow::Borrowed(self), None);
        let mut schema = schema.clone();
        let mut before = String::new();
        for word in path.split(['.', '/', '[', ']']).filter(|word| !word.is_empty()) {
            let ty: Option<Type> = here.1;
            here = match (here.0, ty) {
                (Cow::Borrowed(Self::Message(values)), _) => {
                    let index = schema.position(word).ok_or_else(|| PathError::field(&schema, word))?;
                    let ty = schema.fields()[index].ty.clone();
                    schema = ty.message().unwrap_or(schema);
                    (Cow::Borrowed(&values[index]), Some(ty))
                }
                (Cow::Borrowed(Self::List(values)), Some(ty)) => {
                    let found = word.parse().ok().and_then(|index: usize| values.get(index));
                    let found = found.ok_or_else(|| PathError::element(&before, word, values.len()))?;
                    (Cow::Borrowed(found), Some(Type { shape: Shape::Scalar, ..ty }))
                }
                (Cow::Borrowed(Self::Numbers(numbers)), Some(ty)) => {
                    let found = word.parse().ok().and_then(|index| numbers.get(index));
                    let found = found.ok_or_else(|| PathError::element(&before, word, numbers.len()))?;
                    (Cow::Owned(found), Some(Type { shape: Shape::Scalar, ..ty }))
                }
                _ => return Err(PathError::scalar(&before, word)),
            };
            before += if before.is_empty() { "" } else { "." };
            before += word;
        }
        Ok(here)
    }
}

/// Why a message has no value at a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PathError(String);

impl PathError {
    pub(crate) fn field(schema: &Schema, name: &str) -> Self {
        let names: Vec<&str> = schema.fields().iter().map(|field| &*field.name).collect();
        let there = if names.is_empty() { "no fields".into() } else { names.join(", ") };
        Self(format!("`{}` has no field `{name}`: it has {there}", schema.name()))
    }

    fn element(list: &str, word: &str, len: usize) -> Self {
        Self(format!("`{list}` has no element `{word}`: it has {len} elements, counted from 0"))
    }

    fn scalar(value: &str, word: &str) -> Self {
        Self(format!("`{value}` is one value and has no `{word}`"))
    }
}

impl Type {
    /// Returns the schema of the elements, if they are messages.
    pub fn message(&self) -> Option<Schema> {
        match &self.element {
            Element::Message(schema) => Some(schema.clone()),
            _ => None,
        }
    }
}

fn default_of_type(ty: &Type) -> Value {
    let one = || default_of_element(&ty.element);
    match ty.shape {
        Shape::Scalar => one(),
        Shape::Array(n) => match ty.numbers() {
            Some(primitive) => Value::Numbers(Numbers::zeros(primitive, n as usize)),
            None => Value::List((0..n).map(|_| one()).collect()),
        },
        _ => match ty.numbers() {
            Some(primitive) => Value::Numbers(Numbers::new(primitive)),
            None => Value::List(Vec::new()),
        },
    }
}

fn default_of_element(element: &Element) -> Value {
    match element {
        Element::Primitive(primitive) => number(*primitive, 0, 0.0),
        Element::String(_) => Value::Text(String::new()),
        Element::WString(_) => Value::Wide(WString::default()),
        Element::Message(schema) => Value::default_of(schema),
    }
}

/// Returns a number of a primitive type. The value is `float` for a floating-point type, and `integer` for all other
/// types. It must fit the type.
fn number(primitive: Primitive, integer: i128, float: f64) -> Value {
    match primitive {
        Primitive::Bool => Value::Bool(integer != 0),
        Primitive::Float32 => Value::Float32(float as f32),
        Primitive::Float64 => Value::Float64(float),
        Primitive::Int8 | Primitive::Int16 | Primitive::Int32 | Primitive::Int64 => {
            Value::Signed(integer as i64)
        }
        _ => Value::Unsigned(integer as u64),
    }
}

/// Returns the value of a default. The grammar has checked that the literal fits its field.
fn literal_value(literal: &Literal, ty: &Type) -> Value {
    match (literal, &ty.element) {
        (Literal::List(items), _) => {
            let one = Type { shape: Shape::Scalar, ..ty.clone() };
            let values = items.iter().map(|item| literal_value(item, &one));
            match ty.numbers() {
                Some(primitive) => {
                    Numbers::of(primitive, values).map_or_else(|| default_of_type(ty), Value::Numbers)
                }
                None => Value::List(values.collect()),
            }
        }
        (Literal::Bool(value), _) => Value::Bool(*value),
        (Literal::Integer(value), Element::Primitive(primitive)) => number(*primitive, *value, 0.0),
        (Literal::Float(value), Element::Primitive(primitive)) => number(*primitive, 0, *value),
        (Literal::Text(text), Element::WString(_)) => Value::Wide(text.as_str().into()),
        (Literal::Text(text), _) => Value::Text(text.clone()),
        _ => default_of_type(ty),
    }
}

/// The numbers of a sequence or an array.
///
/// **Invariant:** the bytes are whole little-endian numbers of the primitive type, and each `bool` is 0 or 1.
///
/// ```
/// use saltus_dynamic::{Numbers, Primitive, Value};
/// let mut ranges = Numbers::new(Primitive::Float32);
/// ranges.push(&Value::Float32(0.5));
/// assert_eq!((ranges.len(), ranges.get(0), ranges.get(1)), (1, Some(Value::Float32(0.5)), None));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers {
    primitive: Primitive,
    bytes: Vec<u8>,
}

impl Numbers {
    /// Creates an empty sequence.
    pub fn new(primitive: Primitive) -> Self {
        Self { primitive, bytes: Vec::new() }
    }

    /// Creates an array of `len` zeros.
    pub fn zeros(primitive: Primitive, len: usize) -> Self {
        Self { primitive, bytes: vec![0; len * primitive.size()] }
    }

    /// Creates a sequence of values. Returns `None` if a value does not fit the type.
    pub fn of(primitive: Primitive, values: impl IntoIterator<Item = Value>) -> Option<Self> {
        let mut numbers = Self::new(primitive);
        values.into_iter().all(|value| numbers.push(&value)).then_some(numbers)
    }

    /// Creates a sequence from bytes. The invariant must hold for them.
    pub(crate) fn from_bytes(primitive: Primitive, bytes: Vec<u8>) -> Self {
        Self { primitive, bytes }
    }

    /// Returns the type of the numbers.
    pub fn primitive(&self) -> Primitive {
        self.primitive
    }

    /// Returns the numbers as bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns how many numbers there are.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.primitive.size()
    }

    /// Whether there are no numbers.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the number at an index.
    pub fn get(&self, index: usize) -> Option<Value> {
        let size = self.primitive.size();
        let start = index.checked_mul(size)?;
        self.bytes.get(start..start.checked_add(size)?).and_then(|bytes| value_of(self.primitive, bytes))
    }

    /// Returns an iterator over the numbers.
    pub fn iter(&self) -> impl Iterator<Item = Value> {
        self.bytes.chunks_exact(self.primitive.size()).filter_map(|bytes| value_of(self.primitive, bytes))
    }

    /// Appends a number. Returns `false` and appends nothing if the number does not fit the type.
    pub fn push(&mut self, value: &Value) -> bool {
        match bytes_of(self.primitive, value) {
            Some((bytes, size)) => {
                self.bytes.extend_from_slice(&bytes[..size]);
                true
            }
            None => false,
        }
    }
}

/// Reads a number from its bytes. Returns `None` if the number of bytes is wrong for the type.
fn value_of(primitive: Primitive, bytes: &[u8]) -> Option<Value> {
    Some(match primitive {
        Primitive::Bool => Value::Bool(*bytes.first()? != 0),
        Primitive::Byte | Primitive::Char | Primitive::Uint8 => Value::Unsigned((*bytes.first()?).into()),
        Primitive::Int8 => Value::Signed(i8::from_le_bytes(bytes.try_into().ok()?).into()),
        Primitive::Int16 => Value::Signed(i16::from_le_bytes(bytes.try_into().ok()?).into()),
        Primitive::Uint16 => Value::Unsigned(u16::from_le_bytes(bytes.try_into().ok()?).into()),
        Primitive::Int32 => Value::Signed(i32::from_le_bytes(bytes.try_into().ok()?).into()),
        Primitive::Uint32 => Value::Unsigned(u32::from_le_bytes(bytes.try_into().ok()?).into()),
        Primitive::Int64 => Value::Signed(i64::from_le_bytes(bytes.try_into().ok()?)),
        Primitive::Uint64 => Value::Unsigned(u64::from_le_bytes(bytes.try_into().ok()?)),
        Primitive::Float32 => Value::Float32(f32::from_le_bytes(bytes.try_into().ok()?)),
        Primitive::Float64 => Value::Float64(f64::from_le_bytes(bytes.try_into().ok()?)),
    })
}

/// Returns the little-endian bytes of a number, and how many of the eight bytes are used. Returns `None` if the number
/// does not fit the type.
pub(crate) fn bytes_of(primitive: Primitive, value: &Value) -> Option<([u8; 8], usize)> {
    let bits = match (primitive, value) {
        (Primitive::Bool, Value::Bool(value)) => u64::from(*value),
        (Primitive::Byte | Primitive::Char | Primitive::Uint8, Value::Unsigned(value)) => {
            u8::try_from(*value).ok()?.into()
        }
        (Primitive::Uint16, Value::Unsigned(value)) => u16::try_from(*value).ok()?.into(),
        (Primitive::Uint32, Value::Unsigned(value)) => u32::try_from(*value).ok()?.into(),
        (Primitive::Uint64, Value::Unsigned(value)) => *value,
        (Primitive::Int8, Value::Signed(value)) => i64::from(i8::try_from(*value).ok()?) as u64,
        (Primitive::Int16, Value::Signed(value)) => i64::from(i16::try_from(*value).ok()?) as u64,
        (Primitive::Int32, Value::Signed(value)) => i64::from(i32::try_from(*value).ok()?) as u64,
        (Primitive::Int64, Value::Signed(value)) => *value as u64,
        (Primitive::Float32, Value::Float32(value)) => value.to_bits().into(),
        (Primitive::Float64, Value::Float64(value)) => value.to_bits(),
        _ => return None,
    };
    Some((bits.to_le_bytes(), primitive.size()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_type_can_be_stored_and_must_fit() {
        let int = Value::Signed;
        let uint = Value::Unsigned;
        for (primitive, good, bad) in [
            (Primitive::Bool, Value::Bool(true), uint(1)),
            (Primitive::Byte, uint(255), uint(256)),
            (Primitive::Char, uint(65), int(65)),
            (Primitive::Uint8, uint(0), uint(256)),
            (Primitive::Int8, int(-128), int(-129)),
            (Primitive::Int16, int(-32768), int(32768)),
            (Primitive::Uint16, uint(65535), uint(65536)),
            (Primitive::Int32, int(-1), uint(1)),
            (Primitive::Uint32, uint(u32::MAX.into()), uint(1 << 32)),
            (Primitive::Int64, int(i64::MIN), Value::Float64(0.0)),
            (Primitive::Uint64, uint(u64::MAX), int(0)),
            (Primitive::Float32, Value::Float32(-0.1), Value::Float64(0.1)),
            (Primitive::Float64, Value::Float64(1e300), Value::Float32(1.0)),
        ] {
            let mut numbers = Numbers::new(primitive);
            assert!(numbers.push(&good) && !numbers.push(&bad) && numbers.push(&good), "{primitive}");
            assert_eq!(numbers.iter().collect::<Vec<_>>(), [good.clone(), good.clone()], "{primitive}");
            assert_eq!((numbers.len(), numbers.get(1), numbers.get(2)), (2, Some(good), None), "{primitive}");
        }
        assert_eq!(Numbers::zeros(Primitive::Int16, 2).get(1), Some(Value::Signed(0)));
        assert_eq!(Numbers::new(Primitive::Int16).get(usize::MAX), None);
    }
}
