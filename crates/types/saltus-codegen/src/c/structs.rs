//! The structs of messages in C, with their constants.

use std::fmt::Write as _;

use saltus_idl::{Base, Constant, Field, Literal, Message, Primitive, Shape};

use super::names::{declaration, full};
use crate::{
    cpp::{CppFile, Definition, detail, header, primitive, quoted},
    keywords::field_name,
};

/// Returns the file with the structs of a definition.
pub(super) fn file(definition: &Definition<'_>) -> CppFile {
    let name = &definition.name;
    let mut text = includes(definition);
    text += "\n#ifdef __cplusplus\nextern \"C\"\n{\n#endif\n";
    for (message, _) in &definition.messages {
        text += &message_struct(message);
    }
    text += "\n#ifdef __cplusplus\n}\n#endif\n";
    header("c", name, detail(name, "struct", "h"), &text)
}

/// Returns the lines that include what the structs need.
fn includes(definition: &Definition<'_>) -> String {
    let mut text = String::from("#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n");
    let is_sequence = |shape: Shape| matches!(shape, Shape::Bounded(_) | Shape::Unbounded);
    let needed = [
        (
            definition.has_field(|ty| is_sequence(ty.shape) && matches!(ty.base, Base::Primitive(_))),
            "primitives_sequence",
        ),
        (definition.has_field(|ty| matches!(ty.base, Base::String(_))), "string"),
        (definition.has_field(|ty| matches!(ty.base, Base::WString(_))), "u16string"),
    ];
    for (is_needed, header) in needed {
        if is_needed {
            let _ = writeln!(text, "#include \"rosidl_runtime_c/{header}.h\"");
        }
    }
    for included in definition.included() {
        let _ = writeln!(text, "#include \"{}\"", detail(&included, "struct", "h"));
    }
    text
}

/// Returns the constants of a message, its struct, and the struct of a sequence of such messages.
fn message_struct(message: &Message) -> String {
    let own = full(&message.name);
    let mut text = String::new();
    text += &message.constants.iter().map(|one| constant(message, one)).collect::<String>();
    text += &message.fields.iter().map(|field| bounds(message, field)).collect::<String>();
    let fields: String = message
        .wire_fields()
        .iter()
        .map(|field| format!("  {};\n", declaration(&field.ty, &field_name(&field.name))))
        .collect();
    let _ = write!(
        text,
        "\n/** `{}` */\ntypedef struct {own}\n{{\n{fields}}} {own};\n\n\
         /** A sequence: `size` of `capacity` elements are in use. All of them are initialized. */\n\
         typedef struct {own}__Sequence\n{{\n  {own} * data;\n  size_t size;\n  size_t capacity;\n}} {own}__Sequence;\n",
        message.name
    );
    text
}

/// Returns a constant. What an `int` can have is an enumerator, so that it can be a `case` and the size of an array.
fn constant(message: &Message, constant: &Constant) -> String {
    let name = format!("{}__{}", full(&message.name), constant.name);
    let comment = format!("\n/** A constant of `{}`. */\n", message.name);
    match (&constant.ty, &constant.value) {
        (Base::Primitive(ty), value) if is_enumerator(value, *ty) => {
            format!("{comment}enum {{{name} = {}}};\n", enumerator(value))
        }
        (Base::Primitive(ty), value) => {
            format!("{comment}static const {} {name} = {};\n", primitive(*ty), literal(value, *ty))
        }
        (Base::WString(_), Literal::Text(text)) => {
            let units: Vec<_> = text.encode_utf16().chain([0]).map(|unit| unit.to_string()).collect();
            format!("{comment}static const uint16_t {name}[] = {{{}}};\n", units.join(", "))
        }
        (_, Literal::Text(text)) => {
            format!("{comment}static const char * const {name} = {};\n", quoted(text, false))
        }
        // The parser gives texts to constants of these types.
        _ => String::new(),
    }
}

/// Whether a constant is an integer that an `int` can have. The smallest one has no literal.
fn is_enumerator(value: &Literal, ty: Primitive) -> bool {
    match value {
        _ if matches!(ty, Primitive::Float32 | Primitive::Float64) => false,
        Literal::Bool(_) => true,
        Literal::Integer(value) => i32::try_from(*value).is_ok_and(|value| value > i32::MIN),
        _ => false,
    }
}

fn enumerator(value: &Literal) -> String {
    match value {
        Literal::Integer(value) => value.to_string(),
        value => u8::from(*value == Literal::Bool(true)).to_string(),
    }
}

/// Returns the value of a constant in C.
fn literal(value: &Literal, ty: Primitive) -> String {
    match (value, ty) {
        (Literal::Bool(value), _) => u8::from(*value).to_string(),
        (Literal::Integer(value), Primitive::Int64) if *value == i128::from(i64::MIN) => "INT64_MIN".into(),
        (Literal::Integer(value), Primitive::Int32) if *value == i128::from(i32::MIN) => "INT32_MIN".into(),
        (Literal::Integer(value), Primitive::Int64) => format!("INT64_C({value})"),
        (Literal::Integer(value), Primitive::Uint64) => format!("UINT64_C({value})"),
        (Literal::Integer(value), Primitive::Uint32) => format!("{value}u"),
        (Literal::Integer(value), Primitive::Float32) => float(*value as f64, "f"),
        (Literal::Integer(value), Primitive::Float64) => float(*value as f64, ""),
        (Literal::Integer(value), _) => value.to_string(),
        // The value is converted here, because a literal outside the range of `float` does not compile.
        (Literal::Float(value), Primitive::Float32) => float(f64::from(*value as f32), "f"),
        (Literal::Float(value), _) => float(*value, ""),
        (Literal::Text(text), _) => quoted(text, false),
        (Literal::List(_), _) => "0".into(),
    }
}

/// Returns a number. What has no literal is a quotient that compilers evaluate.
fn float(value: f64, suffix: &str) -> String {
    match value {
        _ if value.is_nan() => format!("(0.0{suffix} / 0.0{suffix})"),
        _ if value.is_infinite() && value < 0.0 => format!("(-1.0{suffix} / 0.0{suffix})"),
        _ if value.is_infinite() => format!("(1.0{suffix} / 0.0{suffix})"),
        _ if suffix == "f" => format!("{:?}f", value as f32),
        _ => format!("{value:?}"),
    }
}

/// Returns the bounds of a field as constants.
fn bounds(message: &Message, field: &Field) -> String {
    let constant = |what: &str, end: &str, bound: u32| {
        let name = format!("{}__{}__{end}", full(&message.name), field.name);
        let comment = format!("\n/** The most {what} of `{}`. */\n", field.name);
        match i32::try_from(bound) {
            Ok(bound) => format!("{comment}enum {{{name} = {bound}}};\n"),
            Err(_) => format!("{comment}static const size_t {name} = {bound}u;\n"),
        }
    };
    let mut text = String::new();
    if let Shape::Bounded(bound) = field.ty.shape {
        text += &constant("elements", "MAX_SIZE", bound);
    }
    if let Base::String(Some(bound)) | Base::WString(Some(bound)) = field.ty.base {
        text += &constant("letters", "MAX_STRING_SIZE", bound);
    }
    text
}
