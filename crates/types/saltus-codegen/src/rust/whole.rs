//! The generator for services and actions: marker types with the types of their parts, and their identity in the graph.

use saltus_idl::{Action, Interfaces, Message, Service, TypeName, individual_json};

use super::names::RustPaths;
use crate::CodegenError;

/// Returns the text of each service and action of a package, with the name of the module that it belongs to.
pub(super) fn services_and_actions<'a>(
    interfaces: &'a Interfaces,
    paths: &RustPaths<'_>,
    package: &str,
) -> Result<Vec<(&'a str, String)>, CodegenError> {
    let is_own = |name: &TypeName| name.package == package && paths.defines(name);
    let services = interfaces.services().filter(|service| is_own(&service.name));
    let services = services.map(|one| Ok((&*one.name.kind, service(interfaces, paths, one)?)));
    let actions = interfaces.actions().filter(|action| is_own(&action.name));
    services.chain(actions.map(|one| Ok((&*one.name.kind, action(paths, one))))).collect()
}

fn service(
    interfaces: &Interfaces,
    paths: &RustPaths<'_>,
    service: &Service,
) -> Result<String, CodegenError> {
    let name = &service.name;
    Ok(format!(
        "    /// `{name}`\n    #[derive(Clone, Copy, Debug)]\n    pub struct {short};\n\n    \
         impl saltus_cdr::Service for {short} {{\n        \
         type Request = {request};\n        type Response = {response};\n        \
         const TYPE: saltus_cdr::TypeIdentity = {ty};\n        \
         const EVENT: saltus_cdr::TypeIdentity = {event};\n    }}\n\n",
        short = name.name,
        request = paths.message(&service.request.name),
        response = paths.message(&service.response.name),
        ty = identity(interfaces, paths, &service.as_message())?,
        event = identity(interfaces, paths, &service.event())?,
    ))
}

fn action(paths: &RustPaths<'_>, action: &Action) -> String {
    let name = &action.name;
    let part = |suffix: &str| paths.message(&name.with_suffix(suffix));
    format!(
        "    /// `{name}`\n    #[derive(Clone, Copy, Debug)]\n    pub struct {short};\n\n    \
         impl saltus_cdr::Action for {short} {{\n        \
         type Goal = {goal};\n        type Result = {result};\n        type Feedback = {feedback};\n        \
         type SendGoal = {send_goal};\n        type GetResult = {get_result};\n        \
         type FeedbackMessage = {feedback_message};\n    }}\n\n",
        short = name.name,
        goal = part("_Goal"),
        result = part("_Result"),
        feedback = part("_Feedback"),
        send_goal = part("_SendGoal"),
        get_result = part("_GetResult"),
        feedback_message = part("_FeedbackMessage"),
    )
}

/// Returns the identity in the graph of a type that has no struct.
fn identity(
    interfaces: &Interfaces,
    paths: &RustPaths<'_>,
    message: &Message,
) -> Result<String, CodegenError> {
    let name = &message.name;
    let hash = interfaces.type_hash(&name.to_string())?;
    let referenced = interfaces.referenced(message)?;
    let referenced: Vec<String> =
        referenced.into_iter().map(|other| description(interfaces, paths, other)).collect();
    Ok(format!(
        "saltus_cdr::TypeIdentity {{ name: \"{name}\", \
         hash: saltus_cdr::TypeHash::from_digest({digest:?}), \
         description: saltus_cdr::Description {{ own: {own:?}, referenced: &[{referenced}] }} }}",
        digest = hash.digest(),
        own = individual_json(message),
        referenced = referenced.join(", "),
    ))
}

/// Returns the expression for the description of one type. If the type has a struct, it is that of the struct.
fn description(interfaces: &Interfaces, paths: &RustPaths<'_>, message: &Message) -> String {
    if is_exchanged(interfaces, message) {
        return format!("<{} as saltus_cdr::Message>::DESCRIPTION.own", paths.message(&message.name));
    }
    format!("{:?}", individual_json(message))
}

/// Whether a struct is generated for a message. Whole services and actions have no values. Introspection events need no
/// struct, because they are serialized from their parts.
pub(super) fn is_exchanged(interfaces: &Interfaces, message: &Message) -> bool {
    let name = message.name.to_string();
    let whole = interfaces.services().any(|service| service.name == message.name)
        || interfaces.actions().any(|action| action.name == message.name);
    message.name.kind == "msg" || !(whole || name.ends_with("_Event"))
}
