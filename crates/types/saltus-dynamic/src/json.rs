//! The JSON form of messages.

use std::fmt::Write as _;

use crate::{Element, Schema, Type, Value};

/// Returns a message as JSON: an object with its fields in the order of the definition.
///
/// A floating-point number that JSON can't express is a string: `"Infinity"`, `"-Infinity"` or `"NaN"`. Python's
/// `float()` and JavaScript's `Number()` can read these.
pub fn to_json(schema: &Schema, value: &Value) -> String {
    let mut out = String::new();
    message(schema, value, &mut out);
    out
}

/// Returns the value of a field as JSON, like [`to_json`].
pub fn json_of(ty: &Type, value: &Value) -> String {
    let mut out = String::new();
    write(&ty.element, value, &mut out);
    out
}

fn message(schema: &Schema, value: &Value, out: &mut String) {
    let Value::Message(values) = value else { return out.push_str("null") };
    out.push('{');
    for (index, (field, value)) in schema.fields().iter().zip(values).enumerate() {
        if index > 0 {
            out.push(',');
        }
        text(&field.name, out);
        out.push(':');
        write(&field.ty.element, value, out);
    }
    out.push('}');
}

fn write(element: &Element, value: &Value, out: &mut String) {
    match value {
        Value::Numbers(numbers) => list(numbers.iter(), |value, out| write(element, &value, out), out),
        Value::List(values) => list(values.iter(), |value, out| write(element, value, out), out),
        Value::Bool(value) => display(value, out),
        Value::Signed(value) => display(value, out),
        Value::Unsigned(value) => display(value, out),
        Value::Float32(value) => float(f64::from(*value), out),
        Value::Float64(value) => float(*value, out),
        Value::Text(value) => text(value, out),
        Value::Wide(value) => text(&value.to_string(), out),
        Value::Message(_) => match element {
            Element::Message(schema) => message(schema, value, out),
            _ => out.push_str("null"),
        },
    }
}

fn list<T>(items: impl Iterator<Item = T>, mut one: impl FnMut(T, &mut String), out: &mut String) {
    out.push('[');
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(',');
        }
        one(item, out);
    }
    out.push(']');
}

fn display(value: impl std::fmt::Display, out: &mut String) {
    // Writing to a string can't fail.
    let _ = write!(out, "{value}");
}

fn float(value: f64, out: &mut String) {
    match serde_json::Number::from_f64(value) {
        Some(number) => display(number, out),
        None if value.is_nan() => out.push_str("\"NaN\""),
        None if value > 0.0 => out.push_str("\"Infinity\""),
        None => out.push_str("\"-Infinity\""),
    }
}

fn text(text: &str, out: &mut String) {
    display(serde_json::Value::from(text), out);
}

#[cfg(test)]
mod tests {
    use saltus_idl::{Interfaces, SourceKind};

    use super::*;

    #[test]
    fn fields_keep_their_order_and_all_numbers_have_a_form() {
        let mut interfaces = Interfaces::default();
        let text = "string z\nfloat64[] limits\nfloat32 inf -inf\nuint64 big 18446744073709551615\nbool[2] on\nchar a";
        interfaces.add("a", SourceKind::Message, "All", text).unwrap();
        let schema = Schema::of(&interfaces, "a/msg/All").unwrap();
        let yaml = "{z: \"say \\\"hi\\\"\\n\", limits: [.inf, .nan, -.inf, 0.5], on: [true, false]}";
        let value = crate::from_yaml(&schema, yaml).unwrap();
        let json = to_json(&schema, &value);
        let want = r#"{"z":"say \"hi\"\n","limits":["Infinity","NaN","-Infinity",0.5],"inf":"-Infinity","big":18446744073709551615,"on":[true,false],"a":0}"#;
        assert_eq!(json, want);
        assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok());
    }
}
