//! The functions that build a message field by field.

use std::fmt::Write as _;

use saltus_idl::{Field, Message};

use super::{
    definition::Definition,
    file::{CppFile, header},
    names::{close_namespace, detail, full, open_namespace},
};
use crate::keywords::field_name;

/// Returns the file with the builders of a definition.
pub(super) fn file(definition: &Definition<'_>) -> CppFile {
    let name = &definition.name;
    let mut text = format!(
        "#include <utility>\n\n#include \"{}\"\n#include \"rosidl_runtime_cpp/message_initialization.hpp\"\n",
        detail(name, "struct", "hpp")
    );
    for (message, _) in &definition.messages {
        let _ = write!(
            text,
            "\n{}namespace builder\n{{\n{}}}  // namespace builder\n{}\n{}",
            open_namespace(name),
            steps(message),
            close_namespace(name),
            build(message),
        );
    }
    header("cpp", name, detail(name, "builder", "hpp"), &text)
}

/// Returns the class of each step, the last one first. Each one sets a field, and returns the next one.
fn steps(message: &Message) -> String {
    let own = full(&message.name);
    let fields = &message.fields;
    let mut text = String::new();
    for (index, field) in fields.iter().enumerate().rev() {
        let class = class(message, field);
        let name = field_name(&field.name);
        let constructor = match index {
            0 => format!("  {class}()\n  : msg_(rosidl_runtime_cpp::MessageInitialization::SKIP)\n  {{}}\n"),
            _ => format!("  explicit {class}({own} & msg)\n  : msg_(msg)\n  {{}}\n"),
        };
        let (result, end) = match fields.get(index + 1) {
            Some(next) => (self::class(message, next), format!("{}(msg_)", self::class(message, next))),
            None => (own.clone(), "std::move(msg_)".to_owned()),
        };
        // The first step has the message. The others refer to it: all of them live until the end of one expression.
        let held = if index == 0 || fields.len() == 1 { own.clone() } else { format!("{own} &") };
        let _ = write!(
            text,
            "class {class}\n{{\npublic:\n{constructor}  {result} {name}({own}::_{name}_type arg)\n  {{\n    \
             msg_.{name} = std::move(arg);\n    return {end};\n  }}\n\nprivate:\n  {held} msg_;\n}};\n\n"
        );
    }
    text
}

fn class(message: &Message, field: &Field) -> String {
    format!("Init_{}_{}", message.name.name, field_name(&field.name))
}

/// Returns the function with which building begins. It is in the namespace of the package, as in ROS 2.
fn build(message: &Message) -> String {
    let own = full(&message.name);
    let package = &message.name.package;
    let begin = match message.fields.first() {
        Some(first) => format!("{}::builder::{}()", namespace(message), class(message, first)),
        None => format!("{own}(rosidl_runtime_cpp::MessageInitialization::ZERO)"),
    };
    format!(
        "namespace {package}\n{{\ntemplate<typename MessageType>\nauto build();\n\ntemplate<>\n\
         inline auto build<{own}>()\n{{\n  return {begin};\n}}\n}}  // namespace {package}\n"
    )
}

fn namespace(message: &Message) -> String {
    format!("{}::{}", message.name.package, message.name.kind)
}
