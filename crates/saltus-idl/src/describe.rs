//! Type descriptions and RIHS01 (REP 2016): the canonical text of a type, and its SHA-256.

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

/// Whether a description has the defaults of fields.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Defaults {
    /// As in the text that is hashed.
    Omitted,
    Included,
}

/// Returns the canonical JSON of a type and everything it refers to, which is the text that is hashed.
///
/// `referenced` must be sorted by name and hold each type once.
pub(crate) fn canonical_json(top: &Message, referenced: &[&Message]) -> String {
    document(top, referenced, Defaults::Omitted)
}

/// As [`canonical_json`], but with the defaults of fields.
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

/// Returns the hash of a canonical JSON text.
pub(crate) fn hash(canonical: &str) -> TypeHash {
    TypeHash::from_digest(Sha256::digest(canonical.as_bytes()).into())
}

/// Returns one `IndividualTypeDescription` as JSON, with the defaults of fields. A description of a whole type is made
/// of these.
pub fn individual_json(message: &Message) -> String {
    individual(message, Defaults::Included)
}

/// The grammar allows only ASCII names, so that they need no escaping.
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
