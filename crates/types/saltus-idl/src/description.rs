//! The parser for type descriptions: the JSON texts in which publishers describe their types (REP 2016).

use std::collections::HashSet;

use saltus_types::TypeHash;
use serde::Deserialize;

use crate::{
    Base, Field, FieldType, Interfaces, Literal, Message, Primitive, ResolveError, Shape, TypeName, literal,
    type_id,
};

/// Why a description can't be used.
#[derive(Debug, thiserror::Error)]
pub enum DescriptionError {
    /// The text is not JSON, or does not have the form of a type description.
    #[error("not a type description: {0}")]
    Json(#[from] serde_json::Error),
    /// The description contains an invalid name or number.
    #[error("not a type description: expected {expected}, found `{found}`")]
    Content {
        /// The expected value.
        expected: &'static str,
        /// The value that was found.
        found: String,
    },
    /// The types in the description can't be resolved.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
}

#[derive(Deserialize)]
struct Document {
    type_description: Individual,
    referenced_type_descriptions: Vec<Individual>,
}

#[derive(Deserialize)]
struct Individual {
    type_name: String,
    fields: Vec<DescribedField>,
}

#[derive(Deserialize)]
struct DescribedField {
    name: String,
    #[serde(rename = "type")]
    ty: DescribedType,
    /// The default. Absent if the definition has no default, and in the text that is hashed.
    default_value: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct DescribedType {
    type_id: u8,
    capacity: u32,
    string_capacity: u32,
    nested_type_name: String,
}

impl Interfaces {
    /// Adds the types of a description, which may be untrusted. Returns the name and the hash of the described type.
    ///
    /// # Errors
    /// Returns an error if the text is not a type description, or if its types can't be resolved.
    pub fn add_description(&mut self, json: &str) -> Result<(String, TypeHash), DescriptionError> {
        let document: Document = serde_json::from_str(json)?;
        let name = document.type_description.type_name.clone();
        for individual in document.referenced_type_descriptions.into_iter().chain([document.type_description])
        {
            self.add_message(individual.message()?);
        }
        let hash = self.type_hash(&name)?;
        Ok((name, hash))
    }
}

impl Individual {
    fn message(self) -> Result<Message, DescriptionError> {
        let name = type_name(&self.type_name)?;
        let fields = self.fields.into_iter().map(DescribedField::field).collect::<Result<Vec<_>, _>>()?;
        let mut names = HashSet::new();
        if let Some(twice) = fields.iter().find(|field| !names.insert(&field.name)) {
            return Err(DescriptionError::Content {
                expected: "fields of different names",
                found: twice.name.clone(),
            });
        }
        let message = Message { name, fields, constants: Vec::new() };
        // An empty message has one byte on the wire, which is not a field of the message.
        let empty = Message { fields: Vec::new(), ..message.clone() };
        Ok(if empty.wire_fields() == message.fields { empty } else { message })
    }
}

impl DescribedField {
    fn field(self) -> Result<Field, DescriptionError> {
        if !is_word(&self.name) {
            return Err(DescriptionError::Content { expected: "a field's name", found: self.name });
        }
        let ty = self.ty.field_type()?;
        let default = self.default_value.map(|value| default_of(&value, &ty)).transpose()?;
        Ok(Field { name: self.name, ty, default, location: None })
    }
}

impl DescribedType {
    /// Returns the type with the number `type_id`. Tries every combination of a base and a shape.
    fn field_type(&self) -> Result<FieldType, DescriptionError> {
        let primitives = Primitive::ALL.into_iter().map(|(primitive, _)| Base::Primitive(primitive));
        let texts = [
            Base::String(None),
            Base::WString(None),
            Base::String(Some(self.string_capacity)),
            Base::WString(Some(self.string_capacity)),
        ];
        let nested = match &*self.nested_type_name {
            "" => None,
            name => Some(Base::Nested(type_name(name)?)),
        };
        let shapes =
            [Shape::Scalar, Shape::Array(self.capacity), Shape::Bounded(self.capacity), Shape::Unbounded];
        let bases = primitives.chain(texts).chain(nested);
        let mut types = bases.flat_map(|base| shapes.map(|shape| FieldType { base: base.clone(), shape }));
        types.find(|ty| type_id(ty) == self.type_id).ok_or_else(|| DescriptionError::Content {
            expected: "the number of a type",
            found: self.type_id.to_string(),
        })
    }
}

/// Reads a default. It must fit the type of its field.
fn default_of(value: &serde_json::Value, ty: &FieldType) -> Result<Literal, DescriptionError> {
    literal::from_json(value, ty).ok_or_else(|| DescriptionError::Content {
        expected: "a default that fits its field",
        found: value.to_string(),
    })
}

/// Reads the full name of a type.
fn type_name(text: &str) -> Result<TypeName, DescriptionError> {
    match text.split('/').collect::<Vec<_>>()[..] {
        [package, kind @ ("msg" | "srv" | "action"), name] if is_word(package) && is_word(name) => {
            Ok(TypeName::new(package, kind, name))
        }
        _ => Err(DescriptionError::Content { expected: "a type's name", found: text.into() }),
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.len() <= 255 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceKind;

    #[test]
    fn a_type_can_be_read_from_its_description() {
        let mut interfaces = Interfaces::default();
        let mut add = |kind, name, text| interfaces.add("demo", kind, name, text).unwrap();
        add(SourceKind::Message, "Inner", "uint8 x 7\nchar c");
        add(SourceKind::Message, "Nothing", "");
        let all = "bool a\nbyte[3] b\nfloat64[<=4] c\nstring d\nstring<=5[] e\nwstring f\nwstring<=2 g\n\
                   Inner[2] h\nNothing i\nint64[] j";
        add(SourceKind::Message, "All", all);
        add(SourceKind::Service, "Call", "Inner in\n---\n");
        for name in ["demo/msg/All", "demo/msg/Nothing", "demo/srv/Call_Request", "demo/srv/Call_Response"] {
            let json = interfaces.canonical_json(name).unwrap();
            let mut again = Interfaces::default();
            let (found, hash) = again.add_description(&json).unwrap();
            assert_eq!((&*found, hash), (name, interfaces.type_hash(name).unwrap()));
            assert_eq!(again.canonical_json(name).unwrap(), json);
        }
    }

    #[test]
    fn defaults_can_be_read_from_a_description_and_do_not_change_the_hash() {
        let mut interfaces = Interfaces::default();
        let text = "bool a true\nint8 b -3\nuint64 c 18446744073709551615\nfloat64 d 0.1\nfloat32 e inf\nfloat64 f nan\n\
                    string g \"say \\\"hi\\\" C:\\\"\nwstring h 'é'\nint32[2] i [1, -2]\nstring[] j ['a, b', c]\nbyte[] k []";
        interfaces.add("demo", SourceKind::Message, "Defaults", text).unwrap();
        let name = "demo/msg/Defaults";
        let mut again = Interfaces::default();
        let (_, hash) = again.add_description(&interfaces.description_json(name).unwrap()).unwrap();
        assert_eq!(hash, interfaces.type_hash(name).unwrap());
        let defaults = |interfaces: &Interfaces| {
            let fields = &interfaces.message(name).unwrap().fields;
            fields.iter().map(|field| format!("{:?}", field.default)).collect::<Vec<_>>()
        };
        assert_eq!(defaults(&again), defaults(&interfaces));
        assert!(!interfaces.canonical_json(name).unwrap().contains("default"));
    }

    #[test]
    fn a_default_that_does_not_fit_is_an_error() {
        let mut interfaces = Interfaces::default();
        let with_default = |id: u8, capacity: u8, default: &str| {
            format!(
                r#"{{"type_description": {{"type_name": "a/msg/B", "fields": [{{"name": "a", "type": {{"type_id": {id}, "capacity": {capacity}, "string_capacity": {capacity}, "nested_type_name": ""}}, "default_value": {default}}}]}}, "referenced_type_descriptions": []}}"#
            )
        };
        assert!(interfaces.add_description(&with_default(2, 0, "5")).is_ok());
        // An int8 that is too large, a bool as int8, a number as string, a string that is too long, an array of two
        // with one value, and a fraction as int8.
        for (id, capacity, default) in
            [(2, 0, "200"), (2, 0, "true"), (17, 0, "5"), (21, 2, "\"abc\""), (50, 2, "[1]"), (2, 0, "1.5")]
        {
            let error =
                interfaces.add_description(&with_default(id, capacity, default)).unwrap_err().to_string();
            assert!(error.contains("expected a default that fits its field"), "{default}: {error}");
        }
    }

    #[test]
    fn an_invalid_description_is_an_error() {
        let mut interfaces = Interfaces::default();
        let description = |name: &str, id: u8, nested: &str| {
            format!(
                r#"{{"type_description": {{"type_name": "{name}", "fields": [{{"name": "a", "type": {{"type_id": {id}, "capacity": 0, "string_capacity": 0, "nested_type_name": "{nested}"}}}}]}}, "referenced_type_descriptions": []}}"#
            )
        };
        let field = r#"{"name": "a", "type": {"type_id": 2, "capacity": 0, "string_capacity": 0, "nested_type_name": ""}}"#;
        let twice = format!(
            r#"{{"type_description": {{"type_name": "a/msg/B", "fields": [{field}, {field}]}}, "referenced_type_descriptions": []}}"#
        );
        for (json, want) in [
            ("[]".to_owned(), "not a type description: "),
            (description("a/b", 2, ""), "expected a type's name, found `a/b`"),
            (description("a/msg/../B", 2, ""), "expected a type's name"),
            (description("a/dmsg/B", 2, ""), "expected a type's name"),
            (twice, "expected fields of different names, found `a`"),
            (description("a/msg/B", 0, ""), "expected the number of a type, found `0`"),
            (description("a/msg/B", 1, "a/msg/B"), "`a/msg/B` contains itself"),
            (description("a/msg/B", 1, "a/msg/C"), "unknown type `a/msg/C`"),
        ] {
            let error = interfaces.add_description(&json).unwrap_err().to_string();
            assert!(error.contains(want), "{json}: {error}");
        }
    }
}
