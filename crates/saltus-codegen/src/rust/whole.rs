//! The marker types of services and actions: what their parts are, and what the graph calls them.

use saltus_idl::{Action, Interfaces, Message, Service, individual_json};

use super::names::type_path;
use crate::CodegenError;

/// The text of each service and action of a package, with the kind of module that it belongs to.
pub(super) fn services_and_actions<'a>(
    interfaces: &'a Interfaces,
    package: &str,
) -> Result<Vec<(&'a str, String)>, CodegenError> {
    let services = interfaces.services().filter(|service| service.name.package == package);
    let services = services.map(|one| Ok((&*one.name.kind, service(interfaces, one)?)));
    let actions = interfaces.actions().filter(|action| action.name.package == package);
    services.chain(actions.map(|one| Ok((&*one.name.kind, action(one))))).collect()
}

fn service(interfaces: &Interfaces, service: &Service) -> Result<String, CodegenError> {
    let name = &service.name;
    Ok(format!(
        "    /// `{name}`\n    #[derive(Clone, Copy, Debug)]\n    pub struct {short};\n\n    \
         impl saltus_cdr::Service for {short} {{\n        \
         type Request = {request};\n        type Response = {response};\n        \
         const TYPE: saltus_cdr::TypeIdentity = {ty};\n        \
         const EVENT: saltus_cdr::TypeIdentity = {event};\n    }}\n\n",
        short = name.name,
        request = type_path(&service.request.name),
        response = type_path(&service.response.name),
        ty = identity(interfaces, &service.as_message())?,
        event = identity(interfaces, &service.event())?,
    ))
}

fn action(action: &Action) -> String {
    let name = &action.name;
    let part = |suffix: &str| type_path(&name.with_suffix(suffix));
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

/// What the graph is told of a type that has no struct.
fn identity(interfaces: &Interfaces, message: &Message) -> Result<String, CodegenError> {
    let name = &message.name;
    let hash = interfaces.type_hash(&name.to_string())?;
    let referenced = interfaces.referenced(message)?;
    let referenced: Vec<String> =
        referenced.into_iter().map(|other| description(interfaces, other)).collect();
    Ok(format!(
        "saltus_cdr::TypeIdentity {{ name: \"{name}\", \
         hash: saltus_cdr::TypeHash::from_digest({digest:?}), \
         description: saltus_cdr::Description {{ own: {own:?}, referenced: &[{referenced}] }} }}",
        digest = hash.digest(),
        own = individual_json(message),
        referenced = referenced.join(", "),
    ))
}

/// The piece of a description that stands for one type: its struct's, if it has one.
fn description(interfaces: &Interfaces, message: &Message) -> String {
    if is_exchanged(interfaces, message) {
        return format!("<{} as saltus_cdr::Message>::DESCRIPTION.own", type_path(&message.name));
    }
    format!("{:?}", individual_json(message))
}

/// The types of whole services, actions and introspection events never become bytes of a topic.
pub(super) fn is_exchanged(interfaces: &Interfaces, message: &Message) -> bool {
    let name = message.name.to_string();
    let whole = interfaces.services().any(|service| service.name == message.name)
        || interfaces.actions().any(|action| action.name == message.name);
    message.name.kind == "msg" || !(whole || name.ends_with("_Event"))
}
