//! What templates ask about a type, and the functions that show a message in YAML.

use std::fmt::Write as _;

use saltus_idl::{Base, Message, Shape};

use super::{
    definition::{Definition, Role},
    file::{CppFile, Input, header},
    names::{close_namespace, detail, full, open_namespace},
};

/// Returns the file with the traits of a definition.
pub(super) fn file(input: &Input<'_>, definition: &Definition<'_>) -> CppFile {
    let name = &definition.name;
    let mut text = format!(
        "#include <cstddef>\n#include <iosfwd>\n#include <string>\n#include <type_traits>\n\n#include \"{}\"\n\
         #include \"rosidl_runtime_cpp/traits.hpp\"\n",
        detail(name, "struct", "hpp"),
    );
    // Programs include only the header of a message, and also use the types of its fields.
    for included in definition.included() {
        let _ = writeln!(text, "#include \"{}\"", detail(&included, "traits", "hpp"));
    }
    let _ = write!(text, "\n{}", open_namespace(name));
    for (message, _) in &definition.messages {
        let own = &message.name.name;
        let _ = write!(
            text,
            "/// Writes a message as YAML in one line.\nvoid to_flow_style_yaml(const {own} & msg, std::ostream & out);\n\
             /// Writes a message as YAML, a line for each field.\n\
             void to_block_style_yaml(const {own} & msg, std::ostream & out, size_t indentation = 0);\n\
             /// Returns a message as YAML.\nstd::string to_yaml(const {own} & msg, bool use_flow_style = false);\n"
        );
    }
    let _ = write!(text, "{}\nnamespace rosidl_generator_traits\n{{\n", close_namespace(name));
    for (message, role) in &definition.messages {
        text += &message_traits(input, message, *role);
    }
    for service in &definition.services {
        let own = full(service);
        text += &named(&own, &service.to_string());
        let part = |trait_name: &str| {
            let of = |suffix: &str| {
                let message = input.interfaces.message(&service.with_suffix(suffix).to_string());
                message.is_some_and(|message| is_sized(input, message, trait_name == "has_fixed_size"))
            };
            boolean(&own, trait_name, of("_Request") && of("_Response"))
        };
        text += &part("has_fixed_size");
        text += &part("has_bounded_size");
        text += &boolean(&own, "is_service", true);
        text += &boolean(&format!("{own}_Request"), "is_service_request", true);
        text += &boolean(&format!("{own}_Response"), "is_service_response", true);
    }
    if definition.is_action() {
        let own = full(name);
        text += &named(&own, &name.to_string());
        text += &boolean(&own, "is_action", true);
        for (part, trait_name) in [("Goal", "goal"), ("Result", "result"), ("Feedback", "feedback")] {
            text += &boolean(&format!("{own}_{part}"), &format!("is_action_{trait_name}"), true);
        }
    }
    text += "}  // namespace rosidl_generator_traits\n";
    header("cpp", name, detail(name, "traits", "hpp"), &text)
}

fn message_traits(input: &Input<'_>, message: &Message, role: Role) -> String {
    let own = full(&message.name);
    let mut text = named(&own, &message.name.to_string());
    text += &boolean(&own, "has_fixed_size", is_sized(input, message, true));
    text += &boolean(&own, "has_bounded_size", is_sized(input, message, false));
    text += &boolean(&own, "is_message", true);
    if role != Role::Event {
        let _ = write!(
            text,
            "[[deprecated(\"use {}::{}::to_block_style_yaml()\")]]\ninline void to_yaml(const {own} & msg, std::ostream & out, size_t indentation = 0)\n{{\n  \
             {}::{}::to_block_style_yaml(msg, out, indentation);\n}}\n\n\
             [[deprecated(\"use {}::{}::to_yaml()\")]]\ninline std::string to_yaml(const {own} & msg)\n{{\n  return {}::{}::to_yaml(msg);\n}}\n\n",
            message.name.package,
            message.name.kind,
            message.name.package,
            message.name.kind,
            message.name.package,
            message.name.kind,
            message.name.package,
            message.name.kind,
        );
    }
    text
}

/// Returns the functions that name a type.
fn named(own: &str, name: &str) -> String {
    format!(
        "template<>\ninline const char * data_type<{own}>()\n{{\n  return \"{own}\";\n}}\n\n\
         template<>\ninline const char * name<{own}>()\n{{\n  return \"{name}\";\n}}\n\n"
    )
}

/// Returns a trait that is true or false.
fn boolean(own: &str, trait_name: &str, value: bool) -> String {
    format!("template<>\nstruct {trait_name}<{own}> : std::{value}_type {{}};\n\n")
}

/// Whether all messages of a type have one size, or at most one size.
fn is_sized(input: &Input<'_>, message: &Message, is_fixed: bool) -> bool {
    message.fields.iter().all(|field| {
        let element = match &field.ty.base {
            Base::Primitive(_) => true,
            Base::String(bound) | Base::WString(bound) => !is_fixed && bound.is_some(),
            Base::Nested(name) => input
                .interfaces
                .message(&name.to_string())
                .is_some_and(|nested| is_sized(input, nested, is_fixed)),
        };
        let shape = match field.ty.shape {
            Shape::Scalar | Shape::Array(_) => true,
            Shape::Bounded(_) => !is_fixed,
            Shape::Unbounded => false,
        };
        element && shape
    })
}
