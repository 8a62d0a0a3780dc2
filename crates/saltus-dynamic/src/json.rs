//! JSON.

use serde_json::{Map, Number, Value as Json};

use crate::{Element, Schema, Type, Value};

/// Returns a message as JSON: an object with its fields in the order of their names. A number that JSON can't
/// express (infinity, not a number) is `null`.
pub fn to_json(schema: &Schema, value: &Value) -> Json {
    let Value::Message(values) = value else { return Json::Null };
    let fields = schema.fields().iter().zip(values);
    let pairs: Map<String, Json> =
        fields.map(|(field, value)| (field.name.clone(), json_of(&field.ty, value))).collect();
    Json::Object(pairs)
}

/// Returns the value of a field as JSON.
pub fn json_of(ty: &Type, value: &Value) -> Json {
    match value {
        Value::Bytes(bytes) => Json::Array(bytes.iter().map(|byte| Json::from(*byte)).collect()),
        Value::List(values) => Json::Array(values.iter().map(|value| json_of(ty, value)).collect()),
        Value::Bool(value) => Json::Bool(*value),
        Value::Signed(value) => Json::from(*value),
        Value::Unsigned(value) => Json::from(*value),
        Value::Float32(value) => float(f64::from(*value)),
        Value::Float64(value) => float(*value),
        Value::Text(text) => Json::from(text.as_str()),
        Value::Wide(text) => Json::from(text.to_string()),
        Value::Message(_) => match &ty.element {
            Element::Message(schema) => to_json(schema, value),
            _ => Json::Null,
        },
    }
}

fn float(value: f64) -> Json {
    Number::from_f64(value).map_or(Json::Null, Json::Number)
}
