//! What a program reads and writes in shared memory: a view of a message, and a builder that writes its fields in place, in order.

use std::fmt::Write as _;

use saltus_idl::{Base, Field, Message, Primitive, Shape};

use super::{
    codec::{is_block, least_of},
    definition::Definition,
    file::{CppFile, Input, header},
    names::{detail, file as file_name, full, primitive},
};
use crate::keywords::field_name;

/// Returns the path of the file of a definition. No other file of a package has two underscores there.
pub(super) fn path(name: &saltus_idl::TypeName) -> String {
    file_name(name, "hpp").replace(".hpp", "__view.hpp")
}

/// Returns the file with the views and builders of a definition.
pub(super) fn file(input: &Input<'_>, definition: &Definition<'_>) -> CppFile {
    let name = &definition.name;
    let mut text = format!("#include \"{}\"\n", detail(name, "codec", "hpp"));
    for included in definition.included() {
        let _ = writeln!(text, "#include \"{}\"", path(&included));
    }
    text += "#include \"saltus/view.hpp\"\n\nnamespace saltus\n{\n";
    for (message, _) in &definition.messages {
        text += &view(input, message);
        text += &builder(message);
    }
    text += "}  // namespace saltus\n";
    header("cpp", name, path(name), &text)
}

/// Returns the view of a message, and the function that reads it.
fn view(input: &Input<'_>, message: &Message) -> String {
    let own = full(&message.name);
    let fields = message.wire_fields();
    let members: String = fields
        .iter()
        .map(|field| format!("  {} {}{{}};\n", view_type(input, field), field_name(&field.name)))
        .collect();
    let reads: String = fields.iter().map(|field| format!("  reader.{};\n", read(input, field))).collect();
    format!(
        "template<>\nstruct View<{own}>\n{{\n{members}}};\n\n\
         namespace in_place\n{{\ninline void read(Reader & reader, View<{own}> & view)\n{{\n{reads}}}\n}}  // namespace in_place\n\n"
    )
}

/// Returns the type of an element in a view.
fn element(base: &Base) -> String {
    match base {
        Base::Primitive(number) => primitive(*number).into(),
        Base::String(_) => "std::string_view".into(),
        Base::WString(_) => "in_place::WideText".into(),
        Base::Nested(name) => format!("View<{}>", full(name)),
    }
}

/// Returns the type of an owned element.
fn owned(base: &Base) -> String {
    match base {
        Base::Primitive(number) => primitive(*number).into(),
        Base::String(_) => "std::string_view".into(),
        Base::WString(_) => "std::u16string_view".into(),
        Base::Nested(name) => full(name),
    }
}

fn view_type(input: &Input<'_>, field: &Field) -> String {
    let base = &field.ty.base;
    match field.ty.shape {
        Shape::Scalar => element(base),
        _ if is_block(input, base) => format!("in_place::Block<{}>", owned(base)),
        _ => format!("in_place::Sequence<{}>", element(base)),
    }
}

/// Returns the call that reads a field.
fn read(input: &Input<'_>, field: &Field) -> String {
    let member = format!("view.{}", field_name(&field.name));
    let base = &field.ty.base;
    let text_bound = match base {
        Base::String(Some(bound)) | Base::WString(Some(bound)) => format!(", {bound}"),
        _ => String::new(),
    };
    let least = least_of(input, base);
    match field.ty.shape {
        Shape::Scalar => format!("value({member}{text_bound})"),
        Shape::Array(n) if is_block(input, base) => format!("block({member}, {n})"),
        Shape::Array(n) => format!("elements({member}, {n})"),
        Shape::Bounded(n) if is_block(input, base) => format!("blocks({member}, {n})"),
        Shape::Unbounded if is_block(input, base) => format!("blocks({member})"),
        Shape::Bounded(n) => format!("sequence({member}, {least}, {n})"),
        Shape::Unbounded => format!("sequence({member}, {least})"),
    }
}

/// Returns the builder of a message: a class for each field, which writes it and returns the next one. The classes come in the
/// opposite order, because each one needs the next one.
fn builder(message: &Message) -> String {
    let own = full(&message.name);
    let fields = message.wire_fields();
    let mut steps = String::new();
    for (index, field) in fields.iter().enumerate().skip(1).rev() {
        let next = step(index + 1, fields.len());
        let _ = write!(
            steps,
            "  class Step{index}\n  {{\n  public:\n    explicit Step{index}(in_place::Writer & writer)\n    : writer_(writer) {{}}\n\n{}\n  \
             private:\n    in_place::Writer & writer_;\n  }};\n\n",
            setters(field, &next)
        );
    }
    let first = fields.first().map(|field| setters(field, &step(1, fields.len()))).unwrap_or_default();
    // The functions of the steps are one class deeper.
    let first: String =
        first.lines().map(|line| format!("{}\n", line.strip_prefix("  ").unwrap_or(line))).collect();
    format!(
        "template<>\nclass Builder<{own}>\n{{\n{steps}public:\n  explicit Builder(in_place::Writer & writer)\n  : writer_(writer) {{}}\n\n\
         {first}\nprivate:\n  in_place::Writer & writer_;\n}};\n\n"
    )
}

fn step(index: usize, count: usize) -> String {
    if index < count { format!("Step{index}") } else { "in_place::Built".into() }
}

/// Returns the functions that write a field.
fn setters(field: &Field, next: &str) -> String {
    let name = field_name(&field.name);
    let base = &field.ty.base;
    let of = owned(base);
    let is_number = matches!(base, Base::Primitive(_)) && *base != Base::Primitive(Primitive::Bool);
    let limit = match field.ty.shape {
        Shape::Bounded(bound) => format!(", {bound}"),
        _ => String::new(),
    };
    let function = |template: &str, arguments: &str, body: &str| {
        format!(
            "    {template}{next} {name}({arguments})\n    {{\n      writer_.{body};\n      return {next}(writer_);\n    }}\n"
        )
    };
    let value = match base {
        Base::Nested(_) => format!("const {of} & value"),
        _ => format!("{of} value"),
    };
    match field.ty.shape {
        Shape::Scalar => function("", &value, &format!("value(value{})", text_limit(base, &field.name))),
        Shape::Array(n) if is_number => function(
            "",
            &format!("const std::array<{of}, {n}> & values"),
            &format!("block(values.data(), {n})"),
        ),
        Shape::Array(n) => function(
            "template<class Make>\n    ",
            "Make && make",
            &format!("elements<{of}>({n}, make{})", text_limit(base, &field.name)),
        ),
        _ if is_number => {
            let fill = function(
                "template<class Fill>\n    ",
                "size_t count, Fill && fill",
                &format!("fill<{of}>(count, fill{limit})"),
            );
            let copy = function(
                "",
                &format!("const {of} * values, size_t count"),
                &format!("copy(values, count{limit})"),
            );
            format!("{fill}{copy}")
        }
        _ => {
            let bound = if limit.is_empty() { ", SIZE_MAX".to_owned() } else { limit };
            function(
                "template<class Make>\n    ",
                "size_t count, Make && make",
                &format!("sequence<{of}>(count, make{bound}{})", text_limit(base, &field.name)),
            )
        }
    }
}

/// Returns the bound of a text and the name of its field, as more arguments.
fn text_limit(base: &Base, field: &str) -> String {
    match base {
        Base::String(Some(bound)) | Base::WString(Some(bound)) => format!(", {bound}, \"{field}\""),
        _ => String::new(),
    }
}
