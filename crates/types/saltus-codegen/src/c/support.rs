//! The type support of messages, services and actions in C.

use std::fmt::Write as _;

use saltus_idl::TypeName;

use super::names::full;
use crate::{
    CodegenError,
    cpp::{CppFile, Definition, Input, Kind, detail, header as header_file, identity, supported},
};

/// Returns the header that declares the functions which return type supports.
pub(super) fn header(definition: &Definition<'_>) -> CppFile {
    let name = &definition.name;
    let mut text = String::new();
    for kind in [Kind::Message, Kind::Service, Kind::Action] {
        if supported(definition).iter().any(|(_, other)| *other == kind) {
            let _ = writeln!(text, "#include \"rosidl_runtime_c/{}_type_support_struct.h\"", kind.word());
        }
    }
    text += "\n#ifdef __cplusplus\nextern \"C\"\n{\n#endif\n";
    for (ty, kind) in supported(definition) {
        let _ = write!(
            text,
            "\n/** Returns the type support of `{ty}`. */\nconst rosidl_{}_type_support_t * {}(void);\n",
            kind.word(),
            symbol(&ty, kind)
        );
    }
    text += "\n#ifdef __cplusplus\n}\n#endif\n";
    header_file("c", name, detail(name, "type_support", "h"), &text)
}

/// Returns the name of the function that returns a type support. The macros `ROSIDL_GET_MSG_TYPE_SUPPORT` and others make it.
fn symbol(ty: &TypeName, kind: Kind) -> String {
    format!("rosidl_typesupport_c__get_{}_type_support_handle__{}", kind.word(), full(ty))
}

/// Returns the lines that include what the source needs of other definitions.
pub(super) fn source_includes(definition: &Definition<'_>) -> String {
    if !definition.is_action() {
        return String::new();
    }
    "#include \"action_msgs/msg/detail/goal_status_array__type_support.h\"\n\
     #include \"action_msgs/srv/detail/cancel_goal__type_support.h\"\n"
        .to_owned()
}

/// Returns the definitions of the functions that return type supports.
pub(super) fn source(input: &Input<'_>, definition: &Definition<'_>) -> Result<String, CodegenError> {
    let mut text = String::from("\nnamespace\n{\n");
    for (ty, kind) in supported(definition) {
        text += &handle(&ty, kind, &identity(input, &ty)?);
    }
    text += "}  // namespace\n\nextern \"C\"\n{\n";
    for (ty, kind) in supported(definition) {
        let _ = writeln!(
            text,
            "const rosidl_{}_type_support_t * {}(void) {{return &{}_c_handle;}}",
            kind.word(),
            symbol(&ty, kind),
            full(&ty)
        );
    }
    text += "}  // extern \"C\"\n";
    Ok(text)
}

/// Returns the constants of a type support. `identity` is what identifies the type.
fn handle(ty: &TypeName, kind: Kind, identity: &str) -> String {
    let own = full(ty);
    match kind {
        Kind::Message => format!(
            "constexpr saltus::MessageSupport {own}_c_support = saltus::c::message_support<{own}>(\n  {identity});\n\
             constexpr rosidl_message_type_support_t {own}_c_handle = saltus::c::message_handle(&{own}_c_support);\n\n"
        ),
        Kind::Service => format!(
            "constexpr saltus::ServiceSupport {own}_c_support = saltus::service_support<void>(\n  {identity},\n  \
             &{own}_Request_c_handle, &{own}_Response_c_handle, &{own}_Event_c_handle);\n\
             constexpr rosidl_service_type_support_t {own}_c_handle = saltus::c::service_handle(&{own}_c_support);\n\n"
        ),
        Kind::Action => format!(
            "const saltus::ActionSupport {own}_c_support = saltus::action_support(\n  {identity});\n\
             const rosidl_action_type_support_t {own}_c_handle = saltus::action_handle(\n  \
             &{own}_c_support, &{own}_SendGoal_c_handle, &{own}_GetResult_c_handle,\n  \
             rosidl_typesupport_c__get_service_type_support_handle__action_msgs__srv__CancelGoal(),\n  \
             &{own}_FeedbackMessage_c_handle,\n  \
             rosidl_typesupport_c__get_message_type_support_handle__action_msgs__msg__GoalStatusArray());\n\n"
        ),
    }
}
