//! Finds the offsets of the fields of a message, without decoding the fields.

use saltus_cdr::{Cdr, CdrError, Reader, WString, check_bound};
use saltus_idl::{Primitive, Shape};

use crate::{Element, Schema, Type};

/// Returns the offset of each field of a message, relative to the first byte of the body. If there is padding before a
/// field, it begins at the offset. The reader must be at the start of the message. Afterwards it is at the end.
///
/// The whole message is checked like in [`crate::decode()`]: its bounds, its texts, and that it is complete.
///
/// # Errors
/// Returns an error if the bytes end too early or do not fit the type.
///
/// ```
/// use saltus_cdr::Reader;
/// # use saltus_dynamic::{Schema, field_offsets};
/// # use saltus_idl::{Interfaces, SourceKind};
/// # let mut interfaces = Interfaces::default();
/// interfaces.add("demo", SourceKind::Message, "Named", "string name\nuint8 id")?;
/// let named = Schema::of(&interfaces, "demo/msg/Named")?;
/// let bytes = [0, 1, 0, 0, 2, 0, 0, 0, b'a', 0, 7];
/// assert_eq!(*field_offsets(&named, &mut Reader::new(&bytes)?)?, [0, 6]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn field_offsets(schema: &Schema, reader: &mut Reader<'_>) -> Result<Box<[u32]>, CdrError> {
    let mut offsets = Vec::with_capacity(schema.fields().len());
    walk(schema, reader, |at| offsets.push(u32::try_from(at).unwrap_or(u32::MAX)))?;
    Ok(offsets.into())
}

/// Checks a message and skips it. Calls `at_field` with the offset of each field.
fn walk(schema: &Schema, reader: &mut Reader<'_>, mut at_field: impl FnMut(usize)) -> Result<(), CdrError> {
    if schema.fields().is_empty() {
        reader.take(1, 1)?;
    }
    for field in schema.fields() {
        at_field(reader.position());
        skip_field(&field.ty, reader)?;
    }
    Ok(())
}

fn skip_field(ty: &Type, reader: &mut Reader<'_>) -> Result<(), CdrError> {
    if ty.shape == Shape::Scalar {
        return skip_element(&ty.element, reader);
    }
    let count = count_of(ty, reader)?;
    match &ty.element {
        Element::Primitive(Primitive::Bool) => (0..count).try_for_each(|_| bool::read(reader).map(drop)),
        Element::Primitive(primitive) => {
            let align = if count == 0 { 1 } else { primitive.size() };
            reader.take(align, count.saturating_mul(primitive.size())).map(drop)
        }
        element => (0..count).try_for_each(|_| skip_element(element, reader)),
    }
}

/// Returns the number of elements of a field. If the type is a sequence, reads the number from the bytes.
pub fn count_of(ty: &Type, reader: &mut Reader<'_>) -> Result<usize, CdrError> {
    let count = match ty.shape {
        Shape::Scalar => 1,
        Shape::Array(n) => n as usize,
        Shape::Bounded(_) | Shape::Unbounded => reader.count(ty.element.min_size())?,
    };
    check_bound(count, ty.bound())?;
    Ok(count)
}

fn skip_element(element: &Element, reader: &mut Reader<'_>) -> Result<(), CdrError> {
    match element {
        Element::Primitive(Primitive::Bool) => bool::read(reader).map(drop),
        Element::Primitive(primitive) => reader.take(primitive.size(), primitive.size()).map(drop),
        Element::String(bound) => check_bound(reader.str()?.len(), bound.map_or(usize::MAX, |n| n as usize)),
        Element::WString(bound) => {
            check_bound(WString::read(reader)?.len(), bound.map_or(usize::MAX, |n| n as usize))
        }
        Element::Message(schema) => walk(schema, reader, |_| {}),
    }
}

#[cfg(test)]
mod tests {
    use saltus_idl::Interfaces;

    use super::*;
    use crate::{decode, encode};

    /// Skipping ends where decoding ends, and fails if decoding fails.
    #[test]
    fn skipping_accepts_the_same_bytes_as_decoding() {
        let mut interfaces = Interfaces::default();
        let kinds = saltus_idl::SourceKind::Message;
        interfaces.add("demo", kinds, "Inner", "string<=3 name\nfloat64[] values").unwrap();
        interfaces
            .add("demo", kinds, "Outer", "bool[2] flags\nInner[<=2] many\nwstring wide\nint16 last")
            .unwrap();
        let schema = Schema::of(&interfaces, "demo/msg/Outer").unwrap();
        let text = "{flags: [true, false], many: [{name: abc, values: [1.5, 2]}, {}], wide: hé, last: -3}";
        let value = crate::from_yaml(&schema, text).unwrap();
        let bytes = encode(&schema, &value).unwrap();
        let mut reader = Reader::new(&bytes).unwrap();
        let offsets = field_offsets(&schema, &mut reader).unwrap();
        assert_eq!((offsets.len(), reader.position()), (4, bytes.len() - 4));
        for index in 0..bytes.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[index] ^= change;
                let walked = Reader::new(&bytes).and_then(|mut reader| walk(&schema, &mut reader, |_| {}));
                assert_eq!(walked.is_ok(), decode(&schema, &bytes).is_ok(), "byte {index} ^ {change}");
            }
            let cut = &bytes[..index];
            let walked = Reader::new(cut).and_then(|mut reader| walk(&schema, &mut reader, |_| {}));
            assert_eq!(walked.is_ok(), decode(&schema, cut).is_ok(), "cut at {index}");
        }
    }
}
