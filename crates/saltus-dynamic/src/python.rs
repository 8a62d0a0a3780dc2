//! A message as Python shows it, which is what `ros2 topic pub` prints.

use crate::{
    Element, Schema, Type, Value,
    to_yaml::{YamlStyle, python_repr},
};

/// Returns a message as the `repr` of its Python class: `std_msgs.msg.String(data='hi')`.
pub fn to_python(schema: &Schema, value: &Value) -> String {
    let Value::Message(values) = value else { return String::new() };
    let fields = schema.fields().iter().zip(values);
    let fields: Vec<String> =
        fields.map(|(field, value)| format!("{}={}", field.name, of_type(&field.ty, value))).collect();
    format!("{}({})", schema.name().replace('/', "."), fields.join(", "))
}

/// Returns all values of a message in one line with commas between them, which is what `ros2 topic echo --csv`
/// prints. The style says where arrays and texts are cut, and whether they are left out.
pub fn csv_of(value: &Value, style: &YamlStyle) -> String {
    let cut = |items: Vec<String>| {
        let most = style.truncate.unwrap_or(usize::MAX);
        let more = (items.len() > most).then(|| "...".to_owned());
        items.into_iter().take(most).chain(more).collect::<Vec<_>>().join(",")
    };
    match value {
        Value::Message(values) => {
            values.iter().map(|value| csv_of(value, style)).collect::<Vec<_>>().join(",")
        }
        Value::List(_) | Value::Bytes(_) if style.no_arr => "<array>".into(),
        Value::Text(_) | Value::Wide(_) if style.no_str => "<string>".into(),
        Value::List(values) => cut(values.iter().map(|value| csv_of(value, style)).collect()),
        Value::Bytes(bytes) => cut(bytes.iter().map(u8::to_string).collect()),
        Value::Bool(value) => if *value { "True" } else { "False" }.into(),
        Value::Signed(value) => value.to_string(),
        Value::Unsigned(value) => value.to_string(),
        Value::Float32(value) => python_float(f64::from(*value)),
        Value::Float64(value) => python_float(*value),
        Value::Text(text) => text.clone(),
        Value::Wide(text) => text.to_string(),
    }
}

fn of_type(ty: &Type, value: &Value) -> String {
    let list = |items: Vec<String>| format!("[{}]", items.join(", "));
    match value {
        Value::Bytes(bytes) => list(bytes.iter().map(u8::to_string).collect()),
        Value::List(values) => list(values.iter().map(|value| of_type(ty, value)).collect()),
        Value::Bool(value) => if *value { "True" } else { "False" }.into(),
        Value::Signed(value) => value.to_string(),
        Value::Unsigned(value) => value.to_string(),
        Value::Float32(value) => python_float(f64::from(*value)),
        Value::Float64(value) => python_float(*value),
        Value::Text(text) => quoted(text),
        Value::Wide(text) => quoted(&text.to_string()),
        Value::Message(_) => match &ty.element {
            Element::Message(schema) => to_python(schema, value),
            _ => String::new(),
        },
    }
}

/// Returns a number as Python prints it.
pub fn python_float(value: f64) -> String {
    match value {
        value if value.is_nan() => "nan".into(),
        value if value.is_infinite() => if value > 0.0 { "inf" } else { "-inf" }.into(),
        value => python_repr(value),
    }
}

/// Returns a text in single quotes, or in double quotes if it contains single quotes and no double quotes.
fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            '\r' => out += "\\r",
            '\t' => out += "\\t",
            c if c == quote => out.extend(['\\', c]),
            c if c.is_control() => out += &format!("\\x{:02x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_as_python_quotes_them() {
        for (text, want) in [
            ("hi", "'hi'"),
            ("it's", "\"it's\""),
            ("'\"", "'\\'\"'"),
            ("a\nb\\", "'a\\nb\\\\'"),
            ("\u{1}é", "'\\x01é'"),
        ] {
            assert_eq!(quoted(text), want);
        }
    }
}
