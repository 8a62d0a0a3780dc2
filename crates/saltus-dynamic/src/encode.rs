//! From values to bytes.

use saltus_cdr::{Body, BuildError, CdrError, ENCAPSULATION, Scratch};
use saltus_idl::{Primitive, Shape};

use crate::{Element, Schema, Type, Value};

/// Why a value can't be encoded as a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// It does not fit the type.
    #[error("expected {expected} for `{field}`, found {found}")]
    WrongKind {
        /// The field.
        field: String,
        /// What its type expects.
        expected: String,
        /// What was given.
        found: String,
    },
    /// It is too long for the type.
    #[error(transparent)]
    Cdr(#[from] CdrError),
}

/// Writes a message, encapsulation header included.
///
/// # Errors
/// Returns an error if the value is not of that type or exceeds one of its bounds.
pub fn encode(schema: &Schema, value: &Value) -> Result<Vec<u8>, EncodeError> {
    let mut body = Body::new(Scratch::default());
    message(schema, value, schema.name(), &mut body)?;
    match body.finish() {
        Ok((scratch, used)) => Ok([&ENCAPSULATION, &scratch.as_bytes()[..used]].concat()),
        Err(BuildError::Value(error)) => Err(error.into()),
        Err(BuildError::Room(never)) => match never {},
        Err(BuildError::Misaligned) => unreachable!("a scratch buffer is aligned"),
    }
}

fn message(schema: &Schema, value: &Value, name: &str, body: &mut Body<Scratch>) -> Result<(), EncodeError> {
    let Value::Message(values) = value else { return Err(mismatch(name, schema.name(), value)) };
    if schema.fields().is_empty() {
        body.plain(0u8);
    }
    if values.len() != schema.fields().len() {
        return Err(mismatch(name, &format!("{} fields", schema.fields().len()), value));
    }
    let pairs = schema.fields().iter().zip(values);
    pairs.into_iter().try_for_each(|(f, value)| field(&f.ty, value, &f.name, body))
}

fn field(ty: &Type, value: &Value, name: &str, body: &mut Body<Scratch>) -> Result<(), EncodeError> {
    let len = match (ty.shape, value) {
        (Shape::Scalar, _) => return element(&ty.element, value, name, body),
        (_, Value::Bytes(bytes)) if ty.is_bytes() => bytes.len(),
        (_, Value::List(values)) if !ty.is_bytes() => values.len(),
        _ => return Err(mismatch(name, "a list", value)),
    };
    match ty.shape {
        Shape::Array(n) if n as usize != len => return Err(mismatch(name, &format!("{n} values"), value)),
        Shape::Array(_) | Shape::Scalar => {}
        Shape::Bounded(_) | Shape::Unbounded => drop(body.count(len, ty.bound())),
    }
    match value {
        Value::Bytes(bytes) => {
            body.fill(len, |place: &mut [u8]| place.copy_from_slice(bytes));
            Ok(())
        }
        Value::List(values) => values.iter().try_for_each(|value| element(&ty.element, value, name, body)),
        _ => Ok(()),
    }
}

fn element(ty: &Element, value: &Value, name: &str, body: &mut Body<Scratch>) -> Result<(), EncodeError> {
    match (ty, value) {
        (Element::Primitive(primitive), value) => {
            return number(*primitive, value, body)
                .ok_or_else(|| mismatch(name, &primitive.to_string(), value));
        }
        (Element::String(bound), Value::Text(text)) => body.string(text, limit(*bound)),
        (Element::WString(bound), Value::Wide(text)) => {
            body.count(text.len(), limit(*bound));
            text.units().iter().for_each(|unit| body.plain(u32::from(*unit)));
        }
        (Element::Message(schema), value) => return message(schema, value, name, body),
        _ => return Err(mismatch(name, &ty.word(), value)),
    }
    Ok(())
}

/// Writes a number. Returns `None` if its kind or its range does not fit the type.
fn number(primitive: Primitive, value: &Value, body: &mut Body<Scratch>) -> Option<()> {
    match (primitive, value) {
        (Primitive::Bool, Value::Bool(value)) => body.bool(*value),
        (Primitive::Byte | Primitive::Char | Primitive::Uint8, Value::Unsigned(value)) => {
            body.plain(u8::try_from(*value).ok()?);
        }
        (Primitive::Int8, Value::Signed(value)) => body.plain(i8::try_from(*value).ok()?),
        (Primitive::Int16, Value::Signed(value)) => body.plain(i16::try_from(*value).ok()?),
        (Primitive::Uint16, Value::Unsigned(value)) => body.plain(u16::try_from(*value).ok()?),
        (Primitive::Int32, Value::Signed(value)) => body.plain(i32::try_from(*value).ok()?),
        (Primitive::Uint32, Value::Unsigned(value)) => body.plain(u32::try_from(*value).ok()?),
        (Primitive::Int64, Value::Signed(value)) => body.plain(*value),
        (Primitive::Uint64, Value::Unsigned(value)) => body.plain(*value),
        (Primitive::Float32, Value::Float32(value)) => body.plain(*value),
        (Primitive::Float64, Value::Float64(value)) => body.plain(*value),
        _ => return None,
    }
    Some(())
}

fn mismatch(field: &str, expected: &str, found: &Value) -> EncodeError {
    let found = match found {
        Value::List(values) => format!("a list of {}", values.len()),
        Value::Bytes(bytes) => format!("{} bytes", bytes.len()),
        Value::Message(values) => format!("a message of {} fields", values.len()),
        scalar => format!("{scalar:?}"),
    };
    EncodeError::WrongKind { field: field.into(), expected: expected.into(), found }
}

fn limit(bound: Option<u32>) -> usize {
    bound.map_or(usize::MAX, |bound| bound as usize)
}
