//! A definition: its messages, services and actions.

use saltus_idl::{Base, Interfaces, Message, ResolveError, TypeName};

use crate::{CodegenError, files::definition_of};

/// What a message is, for the traits of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Message,
    Request,
    Response,
    Event,
    Goal,
    Result,
    Feedback,
}

/// A definition: its messages, in the order in which C++ needs them, and its services and actions.
pub(crate) struct Definition<'a> {
    pub(crate) name: TypeName,
    pub(crate) messages: Vec<(&'a Message, Role)>,
    /// The services, without the suffixes of their messages.
    pub(crate) services: Vec<TypeName>,
}

const SERVICE: [(&str, Role); 3] =
    [("_Request", Role::Request), ("_Response", Role::Response), ("_Event", Role::Event)];

impl<'a> Definition<'a> {
    /// Finds a definition and what it implies.
    pub(crate) fn find(interfaces: &'a Interfaces, name: &TypeName) -> Result<Self, CodegenError> {
        let parts_of = |service: &TypeName| SERVICE.map(|(suffix, role)| (service.with_suffix(suffix), role));
        let mut parts = Vec::new();
        let services = match &*name.kind {
            "srv" => vec![name.clone()],
            "action" => {
                let own = [("_Goal", Role::Goal), ("_Result", Role::Result), ("_Feedback", Role::Feedback)];
                parts.extend(own.map(|(suffix, role)| (name.with_suffix(suffix), role)));
                vec![name.with_suffix("_SendGoal"), name.with_suffix("_GetResult")]
            }
            _ => {
                parts.push((name.clone(), Role::Message));
                Vec::new()
            }
        };
        parts.extend(services.iter().flat_map(parts_of));
        if name.kind == "action" {
            parts.push((name.with_suffix("_FeedbackMessage"), Role::Message));
        }
        let found = |(part, role): (TypeName, Role)| {
            let unknown = || ResolveError::Unknown { name: part.to_string(), location: None };
            let message = interfaces.message(&part.to_string()).ok_or_else(unknown)?;
            // This finds types that contain themselves.
            interfaces.referenced(message)?;
            Ok::<_, CodegenError>((message, role))
        };
        let messages = parts.into_iter().map(found).collect::<Result<_, _>>()?;
        Ok(Self { name: name.clone(), messages, services })
    }

    /// Whether it is an action.
    pub(crate) fn is_action(&self) -> bool {
        self.name.kind == "action"
    }

    /// Returns the definitions whose messages it contains, without itself.
    pub(crate) fn included(&self) -> Vec<TypeName> {
        let fields = self.messages.iter().flat_map(|(message, _)| &message.fields);
        let mut included: Vec<TypeName> = fields
            .filter_map(|field| match &field.ty.base {
                Base::Nested(name) => Some(definition_of(name)),
                _ => None,
            })
            .filter(|name| *name != self.name)
            .collect();
        included.sort();
        included.dedup();
        included
    }

    /// Whether the type of a field is one of these.
    pub(crate) fn has_field(&self, mut is_it: impl FnMut(&saltus_idl::FieldType) -> bool) -> bool {
        self.messages.iter().flat_map(|(message, _)| &message.fields).any(|field| is_it(&field.ty))
    }
}
