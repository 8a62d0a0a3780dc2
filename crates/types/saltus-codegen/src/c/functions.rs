//! The functions of messages in C: the header, and the source file.

use std::fmt::Write as _;

use saltus_idl::{Base, Field, Literal, Message, Primitive, Shape};

use super::{names::full, support};
use crate::{
    CodegenError,
    cpp::{CppFile, Definition, Input, detail, expression, head, header as header_file, least_size},
    keywords::field_name,
};

/// Returns the header of the functions.
pub(super) fn header(definition: &Definition<'_>) -> CppFile {
    let name = &definition.name;
    let mut text = format!(
        "#include <stdbool.h>\n#include <stddef.h>\n\n#include \"{}\"\n\n#ifdef __cplusplus\nextern \"C\"\n{{\n#endif\n",
        detail(name, "struct", "h")
    );
    for (message, _) in &definition.messages {
        text += &declarations(&full(&message.name));
    }
    text += "\n#ifdef __cplusplus\n}\n#endif\n";
    header_file("c", name, detail(name, "functions", "h"), &text)
}

fn declarations(own: &str) -> String {
    format!(
        "\n/** Sets each field to its default or to zero, or makes it empty. Returns false if there is no memory, or `msg` is NULL. */\n\
         bool {own}__init({own} * msg);\n\
         /** Frees what the fields own. */\nvoid {own}__fini({own} * msg);\n\
         /** Returns a new message, or NULL if there is no memory. */\n{own} * {own}__create(void);\n\
         /** Frees a message of `{own}__create`. */\nvoid {own}__destroy({own} * msg);\n\
         /** Whether all fields are equal. */\nbool {own}__are_equal(const {own} * lhs, const {own} * rhs);\n\
         /** Copies all fields into an initialized message. Returns false if there is no memory, or an argument is NULL. */\n\
         bool {own}__copy(const {own} * input, {own} * output);\n\
         /** Makes a sequence of `size` messages. Returns false if there is no memory, or `array` is NULL. */\n\
         bool {own}__Sequence__init({own}__Sequence * array, size_t size);\n\
         /** Frees the messages of a sequence. */\nvoid {own}__Sequence__fini({own}__Sequence * array);\n\
         /** Returns a new sequence, or NULL if there is no memory. */\n{own}__Sequence * {own}__Sequence__create(size_t size);\n\
         /** Frees a sequence of `{own}__Sequence__create`. */\nvoid {own}__Sequence__destroy({own}__Sequence * array);\n\
         /** Whether all messages are equal. */\n\
         bool {own}__Sequence__are_equal(const {own}__Sequence * lhs, const {own}__Sequence * rhs);\n\
         /** Copies all messages into an initialized sequence, as `{own}__copy` does. */\n\
         bool {own}__Sequence__copy(const {own}__Sequence * input, {own}__Sequence * output);\n"
    )
}

/// Returns the source file: the functions and the type supports.
pub(super) fn source(input: &Input<'_>, definition: &Definition<'_>) -> Result<CppFile, CodegenError> {
    let name = &definition.name;
    let mut text = head("c", name);
    for (part, extension) in [("functions", "h"), ("fields", "hpp"), ("type_support", "h")] {
        let _ = writeln!(text, "#include \"{}\"", detail(name, part, extension));
    }
    text += &support::source_includes(definition);
    text += "\n";
    for (message, _) in &definition.messages {
        let _ = writeln!(text, "SALTUS_C_MESSAGE_FUNCTIONS({})", full(&message.name));
    }
    text += &support::source(input, definition)?;
    Ok(CppFile { path: detail(name, "functions", "cpp"), text })
}

/// Returns the header of C++ that lists the fields of each message, for the functions of messages that contain them.
pub(super) fn fields(input: &Input<'_>, definition: &Definition<'_>) -> CppFile {
    let name = &definition.name;
    let mut text = format!("#include \"{}\"\n", detail(name, "struct", "h"));
    for included in definition.included() {
        let _ = writeln!(text, "#include \"{}\"", detail(&included, "fields", "hpp"));
    }
    text += "#include \"saltus/c_message.hpp\"\n\nnamespace saltus\n{\n";
    for (message, _) in &definition.messages {
        text += &fields_of(input, message);
    }
    text += "}  // namespace saltus\n";
    header_file("c", name, detail(name, "fields", "hpp"), &text)
}

fn fields_of(input: &Input<'_>, message: &Message) -> String {
    let own = full(&message.name);
    let wire = message.wire_fields();
    let each: String = wire.iter().map(visit).collect();
    let defaults: String = wire.iter().map(set_default).collect();
    let mut text = String::new();
    if let Some(layout) = input.layouts.plain_named(&message.name) {
        let _ = write!(
            text,
            "/// The bytes of the message in memory are those of CDR.\ntemplate<>\nstruct cdr::Plain<{own}> : std::true_type\n{{\n  \
             static constexpr size_t alignment = {};\n  static_assert(sizeof({own}) == {});\n}};\n\n",
            layout.align, layout.size
        );
    }
    let _ = write!(
        text,
        "template<>\ninline constexpr size_t cdr::least_size<{own}> = {};\n\n\
         template<>\nstruct c::Fields<{own}>\n{{\n  template<typename F, typename... M>\n  \
         static void each(F && f, M &... message)\n  {{\n{each}  }}\n  \
         static bool set_defaults({own} & message)\n  {{\n    (void)message;\n{defaults}    return true;\n  }}\n}};\n\n",
        least_size(input, &message.name).max(1)
    );
    text
}

/// Returns the statement that passes a field and its bounds on.
fn visit(field: &Field) -> String {
    let elements = match field.ty.shape {
        Shape::Bounded(bound) => bound.to_string(),
        _ => "SIZE_MAX".into(),
    };
    let letters = match field.ty.base {
        Base::String(Some(bound)) | Base::WString(Some(bound)) => bound.to_string(),
        _ => "SIZE_MAX".into(),
    };
    let member = field_name(&field.name);
    format!("    f(Bounds{{\"{}\", {elements}, {letters}}}, message.{member}...);\n", field.name)
}

/// Returns the statements that set a field to its default, if it has one.
fn set_default(field: &Field) -> String {
    let member = format!("message.{}", field_name(&field.name));
    match (&field.default, field.ty.shape) {
        (None, _) => String::new(),
        (Some(Literal::List(items)), Shape::Array(_)) => {
            let set = |(index, item)| set(&format!("{member}[{index}]"), item, &field.ty.base);
            items.iter().enumerate().map(set).collect()
        }
        (Some(Literal::List(items)), _) => {
            let resize =
                format!("    if (!resize({member}, {})) {{\n      return false;\n    }}\n", items.len());
            let set = |(index, item)| set(&format!("{member}.data[{index}]"), item, &field.ty.base);
            resize + &items.iter().enumerate().map(set).collect::<String>()
        }
        (Some(value), _) => set(&member, value, &field.ty.base),
    }
}

/// Returns the statement that sets a value.
fn set(place: &str, value: &Literal, base: &Base) -> String {
    let value = expression(value, base);
    match base {
        Base::String(_) | Base::WString(_) => {
            format!("    if (!assign({place}, {value})) {{\n      return false;\n    }}\n")
        }
        Base::Primitive(Primitive::Byte) => {
            format!("    {place} = static_cast<unsigned char>({value});\n")
        }
        _ => format!("    {place} = {value};\n"),
    }
}
