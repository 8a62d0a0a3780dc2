//! The functions that write and read a message.

use std::fmt::Write as _;

use saltus_idl::{Base, Field, Message, Primitive, Shape};

use super::names::c_name;
use crate::keywords::field_name;

/// Returns the two functions of a message.
pub(super) fn functions(message: &Message) -> String {
    let name = c_name(&message.name);
    let fields = message.wire_fields();
    let write: String = fields.iter().map(write_field).collect();
    let read: String = fields.iter().map(read_field).collect();
    format!(
        "\nvoid {name}__write(saltus_cdr_t *cdr, const void *message) {{\n    const {name} *self = message;\n{write}}}\n\
         \nvoid {name}__read(saltus_cdr_t *cdr, void *message) {{\n    {name} *self = message;\n{read}}}\n"
    )
}

fn bound(bound: Option<u32>) -> String {
    format!("{}U", bound.unwrap_or(0))
}

/// Returns the statement that writes (`verb` is `write`) or reads `count` elements, which begin at `expression`. Strings and
/// messages need a loop if there is more than one.
fn elements(verb: &str, base: &Base, expression: &str, count: &str) -> String {
    match base {
        Base::Primitive(Primitive::Bool) => format!("saltus_cdr_{verb}_bools(cdr, {expression}, {count});"),
        Base::Primitive(primitive) => {
            format!("saltus_cdr_{verb}_numbers(cdr, {expression}, {}U, {count});", primitive.size())
        }
        Base::String(limit) => format!("saltus_cdr_{verb}_string(cdr, {expression}, {});", bound(*limit)),
        Base::WString(limit) => format!("saltus_cdr_{verb}_wstring(cdr, {expression}, {});", bound(*limit)),
        Base::Nested(name) => format!("{}__{verb}(cdr, {expression});", c_name(name)),
    }
}

/// Returns the statements for several elements of a field; `data` is the array.
fn many(verb: &str, base: &Base, data: &str, count: &str) -> String {
    if matches!(base, Base::Primitive(_)) {
        return format!("    {}\n", elements(verb, base, data, count));
    }
    let statement = elements(verb, base, &format!("&{data}[i]"), "1U");
    format!("    for (uint32_t i = 0U; i < {count}; i++) {{\n        {statement}\n    }}\n")
}

fn write_field(field: &Field) -> String {
    let name = field_name(&field.name);
    let base = &field.ty.base;
    match field.ty.shape {
        Shape::Scalar => format!("    {}\n", elements("write", base, &format!("&self->{name}"), "1U")),
        Shape::Array(n) => many("write", base, &format!("self->{name}"), &format!("{n}U")),
        Shape::Bounded(_) | Shape::Unbounded => {
            let limit = limit_of(field.ty.shape);
            let mut text = format!("    saltus_cdr_write_count(cdr, self->{name}.size, {limit});\n");
            text += &many("write", base, &format!("self->{name}.data"), &format!("self->{name}.size"));
            text
        }
    }
}

fn read_field(field: &Field) -> String {
    let name = field_name(&field.name);
    let base = &field.ty.base;
    match field.ty.shape {
        Shape::Scalar => format!("    {}\n", elements("read", base, &format!("&self->{name}"), "1U")),
        Shape::Array(n) => many("read", base, &format!("self->{name}"), &format!("{n}U")),
        Shape::Bounded(_) | Shape::Unbounded => {
            let mut text = String::new();
            // Writing to a string can't fail.
            let _ = writeln!(
                text,
                "    self->{name}.size = saltus_cdr_read_count(cdr, self->{name}.capacity, {});",
                limit_of(field.ty.shape)
            );
            text += &many("read", base, &format!("self->{name}.data"), &format!("self->{name}.size"));
            text
        }
    }
}

/// Returns the largest number of elements, or 0 if there is none.
fn limit_of(shape: Shape) -> String {
    match shape {
        Shape::Bounded(n) => bound(Some(n)),
        _ => bound(None),
    }
}
