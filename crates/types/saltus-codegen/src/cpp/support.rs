//! The type support of messages, services and actions: the header that declares it, and the source file.

use std::fmt::Write as _;

use saltus_idl::{Base, Field, Message, Shape, TypeName};

use super::{
    definition::Definition,
    file::{CppFile, Input, head, header as header_file},
    literal::quoted,
    names::{close_namespace, detail, full, open_namespace},
};
use crate::{CodegenError, keywords::field_name};

/// The kinds of types that have a support, as the names of functions have them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Message,
    Service,
    Action,
}

impl Kind {
    /// Returns how the names of functions have it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Service => "service",
            Self::Action => "action",
        }
    }
}

/// Returns every type of a definition that has a support.
pub(crate) fn supported(definition: &Definition<'_>) -> Vec<(TypeName, Kind)> {
    let messages = definition.messages.iter().map(|(message, _)| (message.name.clone(), Kind::Message));
    let services = definition.services.iter().map(|service| (service.clone(), Kind::Service));
    let action = definition.is_action().then(|| (definition.name.clone(), Kind::Action));
    messages.chain(services).chain(action).collect()
}

/// Returns the header that declares the functions which return type supports.
pub(super) fn header(definition: &Definition<'_>) -> CppFile {
    let name = &definition.name;
    let mut text = String::new();
    for kind in [Kind::Message, Kind::Service, Kind::Action] {
        if supported(definition).iter().any(|(_, other)| *other == kind) {
            let _ = writeln!(text, "#include \"rosidl_typesupport_cpp/{}_type_support.hpp\"", kind.word());
        }
    }
    let _ = writeln!(text, "#include \"{}\"", detail(name, "struct", "hpp"));
    for (ty, kind) in supported(definition) {
        let word = kind.word();
        let _ = write!(
            text,
            "\nnamespace rosidl_typesupport_cpp\n{{\ntemplate<>\nconst rosidl_{word}_type_support_t *\n\
             get_{word}_type_support_handle<{}>();\n}}  // namespace rosidl_typesupport_cpp\n\n\
             extern \"C\" const rosidl_{word}_type_support_t * {}();\n",
            full(&ty),
            symbol(&ty, kind)
        );
    }
    header_file("cpp", name, detail(name, "type_support", "hpp"), &text)
}

/// Returns the name of the function with which a program that loads the library finds the support.
fn symbol(ty: &TypeName, kind: Kind) -> String {
    format!(
        "rosidl_typesupport_cpp__get_{}_type_support_handle__{}__{}__{}",
        kind.word(),
        ty.package,
        ty.kind,
        ty.name
    )
}

/// Returns the source file of a definition.
pub(super) fn source(input: &Input<'_>, definition: &Definition<'_>) -> Result<CppFile, CodegenError> {
    let name = &definition.name;
    let mut text = head("cpp", name);
    for part in ["codec", "traits", "type_support"] {
        let _ = writeln!(text, "#include \"{}\"", detail(name, part, "hpp"));
    }
    if definition.is_action() {
        text += "#include \"action_msgs/msg/detail/goal_status_array__type_support.hpp\"\n";
        text += "#include \"action_msgs/srv/detail/cancel_goal__type_support.hpp\"\n";
    }
    text += "#include \"saltus/message_support.hpp\"\n#include \"saltus/yaml.hpp\"\n";
    let _ = write!(text, "\n{}", open_namespace(name));
    for (message, _) in &definition.messages {
        text += &yaml(message);
    }
    let _ = write!(text, "{}\nnamespace\n{{\n", close_namespace(name));
    for (message, _) in &definition.messages {
        text += &message_support(input, message)?;
    }
    for service in &definition.services {
        text += &service_support(input, service)?;
    }
    if definition.is_action() {
        text += &action_support(input, name)?;
    }
    text += "}  // namespace\n";
    for (ty, kind) in supported(definition) {
        let (word, own) = (kind.word(), constant(&ty));
        let _ = write!(
            text,
            "\nnamespace rosidl_typesupport_cpp\n{{\ntemplate<>\nconst rosidl_{word}_type_support_t *\n\
             get_{word}_type_support_handle<{}>()\n{{\n  return &{own}_handle;\n}}\n}}  // namespace rosidl_typesupport_cpp\n\n\
             const rosidl_{word}_type_support_t * {}()\n{{\n  return &{own}_handle;\n}}\n",
            full(&ty),
            symbol(&ty, kind),
        );
    }
    Ok(CppFile { path: detail(name, "type_support", "cpp"), text })
}

/// Returns how the constants of a type begin. Several source files may be compiled as one.
fn constant(name: &TypeName) -> String {
    format!("{}__{}__{}", name.package, name.kind, name.name)
}

/// Returns what identifies a type: its name, its hash, and its description.
pub(crate) fn identity(input: &Input<'_>, name: &TypeName) -> Result<String, CodegenError> {
    let hash = input.interfaces.type_hash(&name.to_string())?;
    let bytes: Vec<_> = hash.digest().iter().map(|byte| format!("{byte:#04x}")).collect();
    let description = quoted(&input.interfaces.description_json(&name.to_string())?, false);
    Ok(format!("\"{name}\",\n  {{1, {{{}}}}},\n  {description}", bytes.join(", ")))
}

fn message_support(input: &Input<'_>, message: &Message) -> Result<String, CodegenError> {
    let (own, name) = (full(&message.name), constant(&message.name));
    Ok(format!(
        "constexpr saltus::MessageSupport {name}_support = saltus::message_support<{own}>(\n  {});\n\
         constexpr rosidl_message_type_support_t {name}_handle = saltus::message_handle(&{name}_support);\n\n",
        identity(input, &message.name)?
    ))
}

fn service_support(input: &Input<'_>, service: &TypeName) -> Result<String, CodegenError> {
    let name = constant(service);
    Ok(format!(
        "constexpr saltus::ServiceSupport {name}_support = saltus::service_support<{}>(\n  {},\n  \
         &{name}_Request_handle, &{name}_Response_handle, &{name}_Event_handle);\n\
         constexpr rosidl_service_type_support_t {name}_handle = saltus::service_handle(&{name}_support);\n\n",
        full(service),
        identity(input, service)?
    ))
}

fn action_support(input: &Input<'_>, action: &TypeName) -> Result<String, CodegenError> {
    let name = constant(action);
    Ok(format!(
        "const saltus::ActionSupport {name}_support = saltus::action_support(\n  {});\n\
         const rosidl_action_type_support_t {name}_handle = saltus::action_handle(\n  \
         &{name}_support, &{name}_SendGoal_handle, &{name}_GetResult_handle,\n  \
         rosidl_typesupport_cpp::get_service_type_support_handle<action_msgs::srv::CancelGoal>(),\n  \
         &{name}_FeedbackMessage_handle,\n  \
         rosidl_typesupport_cpp::get_message_type_support_handle<action_msgs::msg::GoalStatusArray>());\n\n",
        identity(input, action)?
    ))
}

/// Returns the functions that show a message in YAML.
fn yaml(message: &Message) -> String {
    let own = &message.name.name;
    let fields = &message.fields;
    let flow: Vec<_> = fields.iter().map(flow_field).collect();
    let flow = match flow.is_empty() {
        true => "  (void)msg;\n  out << \"null\";\n".to_owned(),
        false => format!("  out << \"{{\";\n{}  out << \"}}\";\n", flow.join("  out << \", \";\n")),
    };
    let block: String = match fields.is_empty() {
        true => "  (void)msg;\n  (void)indentation;\n  out << \"null\\n\";\n".to_owned(),
        false => fields.iter().map(block_field).collect(),
    };
    format!(
        "void to_flow_style_yaml(const {own} & msg, std::ostream & out)\n{{\n{flow}}}\n\n\
         void to_block_style_yaml(const {own} & msg, std::ostream & out, size_t indentation)\n{{\n{block}}}\n\n\
         std::string to_yaml(const {own} & msg, bool use_flow_style)\n{{\n  return saltus::yaml::to_text(msg, use_flow_style);\n}}\n\n"
    )
}

fn flow_field(field: &Field) -> String {
    let name = field_name(&field.name);
    let is_nested = matches!(field.ty.base, Base::Nested(_));
    match (field.ty.shape, is_nested) {
        (Shape::Scalar, false) => format!("  saltus::yaml::field(out, \"{}\", msg.{name});\n", field.name),
        (Shape::Scalar, true) => {
            format!("  out << \"{}: \";\n  to_flow_style_yaml(msg.{name}, out);\n", field.name)
        }
        (_, false) => format!("  saltus::yaml::flow_list(out, \"{}\", msg.{name});\n", field.name),
        (_, true) => format!(
            "  saltus::yaml::flow_nested_list(out, \"{}\", msg.{name},\n    [](const auto & one, std::ostream & to) {{to_flow_style_yaml(one, to);}});\n",
            field.name
        ),
    }
}

fn block_field(field: &Field) -> String {
    let name = field_name(&field.name);
    let is_nested = matches!(field.ty.base, Base::Nested(_));
    match (field.ty.shape, is_nested) {
        (Shape::Scalar, false) => {
            format!("  saltus::yaml::block_field(out, \"{}\", msg.{name}, indentation);\n", field.name)
        }
        (Shape::Scalar, true) => format!(
            "  saltus::yaml::indent(out, indentation);\n  out << \"{}:\\n\";\n  to_block_style_yaml(msg.{name}, out, indentation + 2);\n",
            field.name
        ),
        (_, false) => {
            format!("  saltus::yaml::block_list(out, \"{}\", msg.{name}, indentation);\n", field.name)
        }
        (_, true) => format!(
            "  saltus::yaml::block_nested_list(out, \"{}\", msg.{name}, indentation,\n    \
             [](const auto & one, std::ostream & to, size_t by) {{to_block_style_yaml(one, to, by);}});\n",
            field.name
        ),
    }
}
