//! The YAML form of messages in flow style, on one line, as `ros2 topic echo --flow-style` prints it.

use saltus_idl::{Primitive, Shape};

use crate::{
    Element, Schema, Type, Value,
    to_yaml::{YamlStyle, array_left_out, cut_text, double_quoted, is_plain, yaml_float},
};

/// Returns a message on one line, without a line break at the end: `{sec: 1, nanosec: 0}`.
pub fn to_flow(schema: &Schema, value: &Value, style: &YamlStyle) -> String {
    let Value::Message(values) = value else { return "{}".into() };
    let fields = schema.fields().iter().zip(values);
    let fields: Vec<String> = fields
        .map(|(field, value)| format!("{}: {}", field.name, flow_of(&field.ty, value, style)))
        .collect();
    format!("{{{}}}", fields.join(", "))
}

/// Returns the value of a field, like [`to_flow`].
pub fn flow_of(ty: &Type, value: &Value, style: &YamlStyle) -> String {
    match value {
        Value::Message(_) => match &ty.element {
            Element::Message(schema) => to_flow(schema, value, style),
            _ => "{}".into(),
        },
        Value::List(values) => {
            let one = Type { shape: Shape::Scalar, ..ty.clone() };
            list(ty, values.len(), &mut values.iter().map(|value| flow_of(&one, value, style)), style)
        }
        Value::Numbers(numbers) => {
            let one = Type { shape: Shape::Scalar, ..ty.clone() };
            list(ty, numbers.len(), &mut numbers.iter().map(|value| flow_of(&one, &value, style)), style)
        }
        Value::Bool(value) => value.to_string(),
        Value::Signed(value) => value.to_string(),
        // In Python a single byte has the type `bytes`. It is printed as the character with this number.
        Value::Unsigned(value) if matches!(ty.element, Element::Primitive(Primitive::Byte)) => {
            quoted(&char::from(*value as u8).to_string())
        }
        Value::Unsigned(value) => value.to_string(),
        Value::Float32(value) => yaml_float(f64::from(*value)),
        Value::Float64(value) => yaml_float(*value),
        Value::Text(text) => quoted(&cut_text(text, style)),
        Value::Wide(text) => quoted(&cut_text(&text.to_string(), style)),
    }
}

/// Returns a list in brackets. Elements after the cut are not formatted.
fn list(ty: &Type, len: usize, items: &mut dyn Iterator<Item = String>, style: &YamlStyle) -> String {
    if style.no_arr {
        return format!("'{}'", array_left_out(ty, len));
    }
    let most = style.truncate.unwrap_or(usize::MAX);
    let more = (len > most).then(|| "'...'".to_owned());
    format!("[{}]", items.take(most).chain(more).collect::<Vec<_>>().join(", "))
}

/// Returns a text as a scalar in brackets or braces, where PyYAML quotes more texts than in block style.
fn quoted(text: &str) -> String {
    let has_indicator = text.contains([',', '?', '[', ']', '{', '}', ':']);
    if is_plain(text) && !has_indicator {
        return text.to_owned();
    }
    let is_printable = text.chars().all(|c| !c.is_control() && c != '\u{feff}');
    if is_printable { format!("'{}'", text.replace('\'', "''")) } else { double_quoted(text) }
}

#[cfg(test)]
mod tests {
    use saltus_idl::{Interfaces, SourceKind};

    use super::*;

    fn schema() -> Schema {
        let mut interfaces = Interfaces::default();
        interfaces.add("a", SourceKind::Message, "Inner", "string name\nfloat64 x").unwrap();
        let text = "Inner one\nInner[] many\nuint8[] bytes\nbyte b\nbool[2] on\nstring[] texts";
        interfaces.add("a", SourceKind::Message, "All", text).unwrap();
        Schema::of(&interfaces, "a/msg/All").unwrap()
    }

    /// The expected text is the one that PyYAML 6 prints with `default_flow_style=True`.
    #[test]
    fn a_message_is_one_line_as_pyyaml_prints_it() {
        let schema = schema();
        let yaml = "{one: {name: 'a:b', x: 1}, many: [{name: 'it''s'}, {}], bytes: [1, 2, 3], b: 65, on: [true, false], \
                    texts: ['', 'a, b', '1', plain, \"line\\nbreak\"]}";
        let value = crate::from_yaml(&schema, yaml).unwrap();
        let style = YamlStyle { truncate: None, ..YamlStyle::default() };
        let want = "{one: {name: 'a:b', x: 1.0}, many: [{name: it's, x: 0.0}, {name: '', x: 0.0}], bytes: [1, 2, 3], \
                    b: A, on: [true, false], texts: ['', 'a, b', '1', plain, \"line\\nbreak\"]}";
        let flow = to_flow(&schema, &value, &style);
        assert_eq!(flow, want);
        assert_eq!(crate::from_yaml(&schema, &flow).unwrap(), value);
    }

    #[test]
    fn arrays_and_texts_are_cut_or_left_out() {
        let schema = schema();
        let value = crate::from_yaml(&schema, "{bytes: [1, 2, 3], texts: [abcd]}").unwrap();
        let cut = YamlStyle { truncate: Some(2), ..YamlStyle::default() };
        let flow = to_flow(&schema, &value, &cut);
        assert!(flow.contains("bytes: [1, 2, '...']") && flow.contains("texts: [ab...]"), "{flow}");
        let none = YamlStyle { truncate: None, no_arr: true, no_str: true };
        let flow = to_flow(&schema, &value, &none);
        assert!(flow.contains("bytes: '<sequence type: uint8, length: 3>'"), "{flow}");
        assert!(flow.contains("on: '<array type: boolean[2]>'"), "{flow}");
        assert!(flow.contains("one: {name: '<string length: <0>>', x: 0.0}"), "{flow}");
    }
}
