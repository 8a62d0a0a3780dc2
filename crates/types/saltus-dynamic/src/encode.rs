//! The encoder: writes values as bytes.

use saltus_cdr::{Body, BuildError, CdrError, ENCAPSULATION, Plain, Scratch};
use saltus_idl::{Primitive, Shape};

use crate::{Element, Numbers, Schema, Type, Value, value::bytes_of};

/// Why a value can't be encoded as a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// The value has another type than its field.
    #[error("expected {expected} for `{field}`, found {found}")]
    WrongKind {
        /// The name of the field.
        field: String,
        /// The description of a value that the type of the field accepts.
        expected: String,
        /// The value that was found.
        found: String,
    },
    /// The value is too long for the type.
    #[error(transparent)]
    Cdr(#[from] CdrError),
}

/// Serializes a message, including the encapsulation header.
///
/// # Errors
/// Returns an error if the value does not have the type of the schema, or exceeds one of its bounds.
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
        (_, Value::Numbers(numbers)) if ty.numbers() == Some(numbers.primitive()) => numbers.len(),
        (_, Value::List(values)) if ty.numbers().is_none() => values.len(),
        _ => return Err(mismatch(name, "a list", value)),
    };
    match ty.shape {
        Shape::Array(n) if n as usize != len => return Err(mismatch(name, &format!("{n} values"), value)),
        Shape::Array(_) | Shape::Scalar => {}
        Shape::Bounded(_) | Shape::Unbounded => drop(body.count(len, ty.bound())),
    }
    match value {
        Value::Numbers(numbers) => {
            many_numbers(numbers, body);
            Ok(())
        }
        Value::List(values) => values.iter().try_for_each(|value| element(&ty.element, value, name, body)),
        _ => Ok(()),
    }
}

fn many_numbers(numbers: &Numbers, body: &mut Body<Scratch>) {
    let bytes = numbers.as_bytes();
    match numbers.primitive().size() {
        1 => body.fill(numbers.len(), |target: &mut [u8]| target.copy_from_slice(bytes)),
        2 => fill(bytes, u16::from_le_bytes, body),
        4 => fill(bytes, u32::from_le_bytes, body),
        _ => fill(bytes, u64::from_le_bytes, body),
    }
}

fn fill<T: Plain, const N: usize>(bytes: &[u8], read: fn([u8; N]) -> T, body: &mut Body<Scratch>) {
    let (chunks, _) = bytes.as_chunks::<N>();
    body.fill(chunks.len(), |target: &mut [T]| {
        target.iter_mut().zip(chunks).for_each(|(number, bytes)| *number = read(*bytes));
    });
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

/// Writes a number. Returns `None` if the number does not fit the type.
fn number(primitive: Primitive, value: &Value, body: &mut Body<Scratch>) -> Option<()> {
    let (bytes, size) = bytes_of(primitive, value)?;
    let bits = u64::from_le_bytes(bytes);
    match size {
        1 => body.plain(bits as u8),
        2 => body.plain(bits as u16),
        4 => body.plain(bits as u32),
        _ => body.plain(bits),
    }
    Some(())
}

fn mismatch(field: &str, expected: &str, found: &Value) -> EncodeError {
    let found = match found {
        Value::List(values) => format!("a list of {}", values.len()),
        Value::Numbers(numbers) => format!("a list of {} {}", numbers.len(), numbers.primitive()),
        Value::Message(values) => format!("a message of {} fields", values.len()),
        scalar => format!("{scalar:?}"),
    };
    EncodeError::WrongKind { field: field.into(), expected: expected.into(), found }
}

fn limit(bound: Option<u32>) -> usize {
    bound.map_or(usize::MAX, |bound| bound as usize)
}
