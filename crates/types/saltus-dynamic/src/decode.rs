//! The decoder: reads values from bytes.

use saltus_cdr::{Cdr, CdrError, Reader, WString, check_bound};
use saltus_idl::{Primitive, Shape};

use crate::{Element, Numbers, Schema, Type, Value};

/// Reads a serialized message, including the encapsulation header.
///
/// # Errors
/// Returns an error if the bytes end too early or do not fit the type.
pub fn decode(schema: &Schema, bytes: &[u8]) -> Result<Value, CdrError> {
    message(schema, &mut Reader::new(bytes)?)
}

fn message(schema: &Schema, reader: &mut Reader<'_>) -> Result<Value, CdrError> {
    if schema.fields().is_empty() {
        reader.take(1, 1)?;
    }
    let fields = schema.fields().iter().map(|f| field(&f.ty, reader));
    fields.collect::<Result<_, _>>().map(Value::Message)
}

fn field(ty: &Type, reader: &mut Reader<'_>) -> Result<Value, CdrError> {
    let count = match ty.shape {
        Shape::Scalar => return element(&ty.element, reader),
        Shape::Array(n) => n as usize,
        Shape::Bounded(_) | Shape::Unbounded => reader.count(ty.element.min_size())?,
    };
    check_bound(count, ty.bound())?;
    // This checks that the bytes are long enough for the elements before memory is allocated for them.
    reader.clone().take(1, count.saturating_mul(ty.element.min_size()))?;
    match ty.numbers() {
        Some(primitive) => numbers(primitive, reader, count).map(Value::Numbers),
        None => (0..count).map(|_| element(&ty.element, reader)).collect::<Result<_, _>>().map(Value::List),
    }
}

fn numbers(primitive: Primitive, reader: &mut Reader<'_>, count: usize) -> Result<Numbers, CdrError> {
    if primitive == Primitive::Bool {
        // A bool that is neither 0 nor 1 is an error.
        let values = (0..count).map(|_| bool::read(reader).map(u8::from)).collect::<Result<_, _>>()?;
        return Ok(Numbers::from_bytes(primitive, values));
    }
    let size = primitive.size();
    let align = if count == 0 { 1 } else { size };
    let mut bytes = reader.take(align, count.saturating_mul(size))?.to_vec();
    if reader.swaps() {
        bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
    Ok(Numbers::from_bytes(primitive, bytes))
}

fn element(ty: &Element, reader: &mut Reader<'_>) -> Result<Value, CdrError> {
    match ty {
        Element::Primitive(primitive) => number(*primitive, reader),
        Element::String(bound) => {
            let text = reader.str()?;
            check_bound(text.len(), limit(*bound))?;
            Ok(Value::Text(text.to_owned()))
        }
        Element::WString(bound) => {
            let text = WString::read(reader)?;
            check_bound(text.len(), limit(*bound))?;
            Ok(Value::Wide(text))
        }
        Element::Message(schema) => message(schema, reader),
    }
}

fn number(primitive: Primitive, reader: &mut Reader<'_>) -> Result<Value, CdrError> {
    Ok(match primitive {
        Primitive::Bool => Value::Bool(bool::read(reader)?),
        Primitive::Byte | Primitive::Char | Primitive::Uint8 => Value::Unsigned(u8::read(reader)?.into()),
        Primitive::Int8 => Value::Signed(i8::read(reader)?.into()),
        Primitive::Int16 => Value::Signed(i16::read(reader)?.into()),
        Primitive::Uint16 => Value::Unsigned(u16::read(reader)?.into()),
        Primitive::Int32 => Value::Signed(i32::read(reader)?.into()),
        Primitive::Uint32 => Value::Unsigned(u32::read(reader)?.into()),
        Primitive::Int64 => Value::Signed(i64::read(reader)?),
        Primitive::Uint64 => Value::Unsigned(u64::read(reader)?),
        Primitive::Float32 => Value::Float32(f32::read(reader)?),
        Primitive::Float64 => Value::Float64(f64::read(reader)?),
    })
}

fn limit(bound: Option<u32>) -> usize {
    bound.map_or(usize::MAX, |bound| bound as usize)
}
