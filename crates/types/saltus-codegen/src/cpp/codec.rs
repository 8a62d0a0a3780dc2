//! The functions that write and read a message. Only the source files of type supports include them.

use std::fmt::Write as _;

use saltus_idl::{Base, Field, Message, Primitive, Shape, TypeName};

use super::{
    definition::Definition,
    file::{CppFile, Input, header},
    names::{detail, full},
};
use crate::keywords::field_name;

/// Returns the file with the functions of a definition.
pub(super) fn file(input: &Input<'_>, definition: &Definition<'_>) -> CppFile {
    let name = &definition.name;
    let mut text = format!("#include \"{}\"\n", detail(name, "struct", "hpp"));
    for included in definition.included() {
        let _ = writeln!(text, "#include \"{}\"", detail(&included, "codec", "hpp"));
    }
    text += "#include \"saltus/cdr.hpp\"\n\nnamespace saltus::cdr\n{\n";
    for (message, _) in &definition.messages {
        text += &functions(input, message);
    }
    text += "}  // namespace saltus::cdr\n";
    header("cpp", name, detail(name, "codec", "hpp"), &text)
}

/// Returns the functions that write and read a message.
fn functions(input: &Input<'_>, message: &Message) -> String {
    let own = full(&message.name);
    let fields = message.wire_fields();
    let mut text = String::new();
    if let Some(layout) = input.layouts.plain_named(&message.name) {
        let _ = write!(
            text,
            "/// The bytes of the message in memory are those of CDR.\ntemplate<>\nstruct Plain<{own}> : std::true_type\n{{\n  \
             static constexpr size_t alignment = {};\n  static_assert(sizeof({own}) == {});\n}};\n\n",
            layout.align, layout.size
        );
    }
    let put: String = fields.iter().map(|field| put(input, field)).collect();
    let get: String = fields.iter().map(|field| get(input, field)).collect();
    let _ = write!(
        text,
        "template<class Sink>\nvoid serialize(Sink & sink, const {own} & message)\n{{\n{put}}}\n\n\
         template<class Source>\nvoid deserialize(Source & source, {own} & message)\n{{\n{get}}}\n\n"
    );
    let _ = write!(
        text,
        "/// The fewest bytes that a message takes.\ntemplate<>\ninline constexpr size_t least_size<{own}> = {};\n\n",
        least_size(input, &message.name).max(1)
    );
    text
}

/// Returns the fewest bytes that a message takes, without the bytes between its fields.
pub(crate) fn least_size(input: &Input<'_>, name: &TypeName) -> usize {
    let Some(message) = input.interfaces.message(&name.to_string()) else { return 1 };
    let of_field = |field: Field| {
        let element = match &field.ty.base {
            Base::Primitive(primitive) => primitive.size(),
            Base::String(_) | Base::WString(_) => 4,
            Base::Nested(name) => least_size(input, name),
        };
        match field.ty.shape {
            Shape::Scalar => element,
            Shape::Array(n) => element.saturating_mul(n as usize),
            Shape::Bounded(_) | Shape::Unbounded => 4,
        }
    };
    message.wire_fields().into_iter().map(of_field).fold(0, usize::saturating_add)
}

/// Returns the fewest bytes that an element takes, as an expression of C++.
pub(super) fn least_of(input: &Input<'_>, base: &Base) -> String {
    match base {
        Base::Primitive(primitive) => primitive.size().to_string(),
        Base::String(_) | Base::WString(_) => "4".to_owned(),
        Base::Nested(name) => least_size(input, name).max(1).to_string(),
    }
}

/// Returns the statements that write a field.
fn put(input: &Input<'_>, field: &Field) -> String {
    let name = field_name(&field.name);
    let member = format!("message.{name}");
    let length = match field.ty.shape {
        Shape::Bounded(_) | Shape::Unbounded => format!("  sink.length({member}.size());\n"),
        Shape::Scalar | Shape::Array(_) => String::new(),
    };
    let is_scalar = field.ty.shape == Shape::Scalar;
    let element = |one: &str| match &field.ty.base {
        Base::Primitive(Primitive::Bool) => format!("sink.flag({one});"),
        Base::Primitive(_) => format!("sink.number({one});"),
        Base::String(None) => format!("sink.text({one});"),
        Base::String(Some(bound)) => format!("sink.text({one}, {bound}, \"{}\");", field.name),
        Base::WString(None) => format!("sink.wide_text({one});"),
        Base::WString(Some(bound)) => format!("sink.wide_text({one}, {bound}, \"{}\");", field.name),
        Base::Nested(_) => format!("serialize(sink, {one});"),
    };
    if is_scalar {
        return format!("  {}\n", element(&member));
    }
    if is_block(input, &field.ty.base) {
        return format!("{length}  sink.block({member}.data(), {member}.size());\n");
    }
    let one = if matches!(field.ty.base, Base::Primitive(_)) { "const auto" } else { "const auto &" };
    format!("{length}  for ({one} element : {member}) {{\n    {}\n  }}\n", element("element"))
}

/// Returns the statements that read a field.
fn get(input: &Input<'_>, field: &Field) -> String {
    let name = field_name(&field.name);
    let member = format!("message.{name}");
    let element = |one: &str| match &field.ty.base {
        Base::Primitive(Primitive::Bool) => format!("{one} = source.flag();"),
        Base::Primitive(_) => format!("source.number({one});"),
        Base::String(bound) => format!("source.text({one}{});", limit(*bound)),
        Base::WString(bound) => format!("source.wide_text({one}{});", limit(*bound)),
        Base::Nested(_) => format!("deserialize(source, {one});"),
    };
    let loops = |one: &str| {
        format!(
            "  for ({one} element : {member}) {{\n    if (!source.is_ok()) {{\n      break;\n    }}\n    {}\n  }}\n",
            element("element")
        )
    };
    match field.ty.shape {
        Shape::Scalar => format!("  {}\n", element(&member)),
        Shape::Array(_) if is_block(input, &field.ty.base) => {
            format!("  source.block({member}.data(), {member}.size());\n")
        }
        Shape::Array(_) => loops("auto &"),
        Shape::Bounded(_) | Shape::Unbounded if is_block(input, &field.ty.base) => {
            format!("  source.blocks({member}{});\n", bound(field.ty.shape))
        }
        Shape::Bounded(_) | Shape::Unbounded => {
            let least = match &field.ty.base {
                Base::Primitive(_) => "1".to_owned(),
                Base::String(_) | Base::WString(_) => "4".to_owned(),
                Base::Nested(name) => format!("least_size<{}>", full(name)),
            };
            // A vector of bool has no references to its elements.
            let one = if field.ty.base == Base::Primitive(Primitive::Bool) { "auto &&" } else { "auto &" };
            format!(
                "  {member}.clear();\n  {member}.resize(source.length({least}{}));\n{}",
                bound(field.ty.shape),
                loops(one)
            )
        }
    }
}

fn limit(bound: Option<u32>) -> String {
    bound.map(|bound| format!(", {bound}")).unwrap_or_default()
}

fn bound(shape: Shape) -> String {
    match shape {
        Shape::Bounded(bound) => format!(", {bound}"),
        _ => String::new(),
    }
}

/// Whether several elements in memory are the bytes of CDR.
pub(super) fn is_block(input: &Input<'_>, base: &Base) -> bool {
    match base {
        Base::Primitive(primitive) => *primitive != Primitive::Bool,
        Base::Nested(name) => input.layouts.plain_named(name).is_some(),
        Base::String(_) | Base::WString(_) => false,
    }
}
