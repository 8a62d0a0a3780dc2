//! The Python form of messages, which `ros2 topic pub` prints, and the CSV form of `ros2 topic echo --csv`.

use crate::{
    Element, Schema, Type, Value,
    to_yaml::{YamlStyle, array_left_out, cut_text, python_repr},
};

/// Returns a message as Python's `repr` shows it: `std_msgs.msg.String(data='hi')`.
pub fn to_python(schema: &Schema, value: &Value) -> String {
    let Value::Message(values) = value else { return String::new() };
    let fields = schema.fields().iter().zip(values);
    let fields: Vec<String> =
        fields.map(|(field, value)| format!("{}={}", field.name, of_type(&field.ty, value))).collect();
    format!("{}({})", schema.name().replace('/', "."), fields.join(", "))
}

/// Returns all values of a message on one line with commas between them, like `ros2 topic echo --csv`. The style
/// defines where arrays and texts are cut, and whether they are left out.
pub fn to_csv(schema: &Schema, value: &Value, style: &YamlStyle) -> String {
    let Value::Message(values) = value else { return String::new() };
    let fields = schema.fields().iter().zip(values);
    fields.map(|(field, value)| csv_of(&field.ty, value, style)).collect::<Vec<_>>().join(",")
}

/// Returns the values of a field, like [`to_csv`].
pub fn csv_of(ty: &Type, value: &Value, style: &YamlStyle) -> String {
    let most = style.truncate.unwrap_or(usize::MAX);
    // `items` is lazy, so values after the cut are not formatted.
    let cut = |len: usize, items: &mut dyn Iterator<Item = String>| {
        let more = (len > most).then(|| "...".to_owned());
        items.take(most).chain(more).collect::<Vec<_>>().join(",")
    };
    match value {
        Value::Message(_) => match &ty.element {
            Element::Message(schema) => to_csv(schema, value, style),
            _ => String::new(),
        },
        Value::List(values) if style.no_arr => array_left_out(ty, values.len()),
        Value::Numbers(numbers) if style.no_arr => array_left_out(ty, numbers.len()),
        Value::List(values) => cut(values.len(), &mut values.iter().map(|value| csv_of(ty, value, style))),
        Value::Numbers(numbers) => {
            cut(numbers.len(), &mut numbers.iter().map(|value| csv_of(ty, &value, style)))
        }
        Value::Bool(value) => if *value { "True" } else { "False" }.into(),
        Value::Signed(value) => value.to_string(),
        Value::Unsigned(value) => value.to_string(),
        Value::Float32(value) => python_float(f64::from(*value)),
        Value::Float64(value) => python_float(*value),
        Value::Text(text) => cut_text(text, style),
        Value::Wide(text) => cut_text(&text.to_string(), style),
    }
}

fn of_type(ty: &Type, value: &Value) -> String {
    let list = |items: Vec<String>| format!("[{}]", items.join(", "));
    match value {
        Value::Numbers(numbers) => list(numbers.iter().map(|value| of_type(ty, &value)).collect()),
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

/// Returns a text in quotes, as Python prints it: in single quotes, or in double quotes if the text contains single
/// quotes and no double quotes.
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
