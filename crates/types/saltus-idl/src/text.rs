//! Definitions as texts in the form of `.msg`, `.srv` and `.action` files.

use std::fmt::Write as _;

use crate::{Constant, Field, FieldType, Interfaces, Literal, Message, Shape, TypeName};

impl Interfaces {
    /// Returns the definition of a message, service or action as a text in the form of `.msg`, `.srv` and `.action`
    /// files. It has no comments. Constants and defaults that
    /// this form can't express are left out. Returns `None` for an unknown name.
    ///
    /// ```
    /// # use saltus_idl::{Interfaces, SourceKind};
    /// let mut interfaces = Interfaces::default();
    /// interfaces.add("demo", SourceKind::Message, "Point", "float64 x 1 # metres").unwrap();
    /// assert_eq!(interfaces.definition_text("demo/msg/Point").unwrap(), "float64 x 1.0\n");
    /// ```
    pub fn definition_text(&self, name: &str) -> Option<String> {
        let is = |of: &TypeName| of.to_string() == name;
        let parts: Vec<&Message> = if let Some(action) = self.actions().find(|action| is(&action.name)) {
            vec![&action.goal, &action.result, &action.feedback]
        } else if let Some(service) = self.services().find(|service| is(&service.name)) {
            vec![&service.request, &service.response]
        } else {
            vec![self.message(name)?]
        };
        let parts: Vec<String> = parts.into_iter().map(message_text).collect();
        Some(parts.join("---\n"))
    }
}

fn message_text(message: &Message) -> String {
    let constants = message.constants.iter().filter_map(constant_line);
    constants.chain(message.fields.iter().map(field_line)).collect()
}

fn constant_line(constant: &Constant) -> Option<String> {
    let ty = FieldType { base: constant.ty.clone(), shape: Shape::Scalar };
    Some(format!("{ty} {}={}\n", constant.name, value_text(&constant.value)?))
}

fn field_line(field: &Field) -> String {
    let mut line = format!("{} {}", field.ty, field.name);
    // In this form, `=` makes a line a constant.
    let default = field.default.as_ref().and_then(value_text).filter(|text| !text.contains('='));
    if let Some(default) = default {
        // Writing to a string can't fail.
        let _ = write!(line, " {default}");
    }
    line + "\n"
}

/// Returns a value as a text, or `None` if the text would be read as another value.
fn value_text(value: &Literal) -> Option<String> {
    match value {
        Literal::Bool(value) => Some(value.to_string()),
        Literal::Integer(value) => Some(value.to_string()),
        Literal::Float(value) => Some(format!("{value:?}")),
        Literal::Text(text) => quoted(text),
        Literal::List(items) => {
            let items = items.iter().map(value_text).collect::<Option<Vec<_>>>()?;
            Some(format!("[{}]", items.join(", ")))
        }
    }
}

/// Puts a text between quotes that it does not contain. A text with both kinds has its double quotes escaped.
fn quoted(text: &str) -> Option<String> {
    // A `#` begins a comment even between quotes, and a value ends with its line.
    if text.contains(['#', '\n', '\r', '\t']) {
        return None;
    }
    Some(match text.contains('"') && !text.contains('\'') {
        true => format!("'{text}'"),
        false => format!("\"{}\"", text.replace('"', "\\\"")),
    })
}
