//! Type descriptions and RIHS01 hashes (REP 2016). A hash is the SHA-256 digest of the canonical JSON text of a type.

use std::fmt::Write as _;

use saltus_types::TypeHash;
use sha2::{Digest, Sha256};

use crate::{Base, FieldType, Message, Primitive, Shape, TypeName};

const ARRAY: u8 = 48;
const BOUNDED_SEQUENCE: u8 = 96;
const UNBOUNDED_SEQUENCE: u8 = 144;

/// Returns the number of a type in `type_description_interfaces/msg/FieldType`.
pub fn type_id(ty: &FieldType) -> u8 {
    let base = match &ty.base {
        Base::Nested(_) => 1,
        Base::Primitive(primitive) => primitive_id(*primitive),
        Base::String(None) => 17,
        Base::WString(None) => 18,
        Base::String(Some(_)) => 21,
        Base::WString(Some(_)) => 22,
    };
    base + match ty.shape {
        Shape::Scalar => 0,
        Shape::Array(_) => ARRAY,
        Shape::Bounded(_) => BOUNDED_SEQUENCE,
        Shape::Unbounded => UNBOUNDED_SEQUENCE,
    }
}

fn primitive_id(primitive: Primitive) -> u8 {
    match primitive {
        Primitive::Int8 => 2,
        Primitive::Uint8 | Primitive::Char => 3,
        Primitive::Int16 => 4,
        Primitive::Uint16 => 5,
        Primitive::Int32 => 6,
        Primitive::Uint32 => 7,
        Primitive::Int64 => 8,
        Primitive::Uint64 => 9,
        Primitive::Float32 => 10,
        Primitive::Float64 => 11,
        Primitive::Bool => 15,
        Primitive::Byte => 16,
    }
}

/// Whether a description contains the defaults of fields.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Defaults {
    /// The text that is hashed does not contain defaults.
    Omitted,
    Included,
}

/// Returns the text that is hashed: the canonical JSON of a type and of all types that it refers to.
///
/// `referenced` must be sorted by name and contain each type once.
pub(crate) fn canonical_json(top: &Message, referenced: &[&Message]) -> String {
    document(top, referenced, Defaults::Omitted)
}

/// Returns a text like [`canonical_json`], but with the defaults of fields.
pub(crate) fn description_json(top: &Message, referenced: &[&Message]) -> String {
    document(top, referenced, Defaults::Included)
}

fn document(top: &Message, referenced: &[&Message], defaults: Defaults) -> String {
    let descriptions: Vec<_> = referenced.iter().map(|message| individual(message, defaults)).collect();
    format!(
        r#"{{"type_description": {}, "referenced_type_descriptions": [{}]}}"#,
        individual(top, defaults),
        descriptions.join(", ")
    )
}

/// Returns the RIHS01 hash of a canonical JSON text.
pub(crate) fn hash(canonical: &str) -> TypeHash {
    TypeHash::from_digest(Sha256::digest(canonical.as_bytes()).into())
}

/// Returns the `IndividualTypeDescription` of a message as JSON, with the defaults of fields. The description of a type
/// contains these texts.
pub fn individual_json(message: &Message) -> String {
    individual(message, Defaults::Included)
}

/// Returns the `IndividualTypeDescription` of a message as JSON. Names are not escaped, because the grammar allows only
/// ASCII names.
fn individual(message: &Message, defaults: Defaults) -> String {
    let mut json = format!(r#"{{"type_name": "{}", "fields": ["#, message.name);
    for (i, field) in message.wire_fields().iter().enumerate() {
        let (capacity, string_capacity) = capacities(&field.ty);
        let nested = match &field.ty.base {
            Base::Nested(name) => TypeName::to_string(name),
            _ => String::new(),
        };
        // Writing to a string can't fail.
        let _ = write!(
            json,
            r#"{}{{"name": "{}", "type": {{"type_id": {}, "capacity": {capacity}, "string_capacity": {string_capacity}, "nested_type_name": "{nested}"}}"#,
            if i == 0 { "" } else { ", " },
            field.name,
            type_id(&field.ty),
        );
        if let (Some(default), Defaults::Included) = (&field.default, defaults) {
            let _ = write!(json, r#", "default_value": {}"#, default.to_json());
        }
        json.push('}');
    }
    json + "]}"
}

fn capacities(ty: &FieldType) -> (u32, u32) {
    let capacity = match ty.shape {
        Shape::Array(n) | Shape::Bounded(n) => n,
        Shape::Scalar | Shape::Unbounded => 0,
    };
    let string_capacity = match ty.base {
        Base::String(Some(n)) | Base::WString(Some(n)) => n,
        _ => 0,
    };
    (capacity, string_capacity)
}
