//! The types that services and actions imply (REP 2016 and the generators of `rosidl`).

use crate::{Action, Base, Field, FieldType, Message, Primitive, Service, Shape, TypeName};

fn field(name: &str, ty: FieldType) -> Field {
    Field { name: name.into(), ty, default: None, location: None }
}

fn message(name: TypeName, fields: Vec<Field>) -> Message {
    Message { name, fields, constants: Vec::new() }
}

impl Service {
    /// Returns the event of the service, `…_Event`. Introspection publishes it.
    pub fn event(&self) -> Message {
        let at_most_one =
            |m: &Message| FieldType { base: Base::Nested(m.name.clone()), shape: Shape::Bounded(1) };
        message(
            self.name.with_suffix("_Event"),
            vec![
                field("info", FieldType::nested(TypeName::new("service_msgs", "msg", "ServiceEventInfo"))),
                field("request", at_most_one(&self.request)),
                field("response", at_most_one(&self.response)),
            ],
        )
    }

    /// Returns the whole service as one type. Only its hash is sent, never a value of it.
    pub fn as_message(&self) -> Message {
        message(
            self.name.clone(),
            vec![
                field("request_message", FieldType::nested(self.request.name.clone())),
                field("response_message", FieldType::nested(self.response.name.clone())),
                field("event_message", FieldType::nested(self.name.with_suffix("_Event"))),
            ],
        )
    }
}

impl Action {
    /// Returns the service that sends a goal, `…_SendGoal`.
    pub(crate) fn send_goal(&self) -> Service {
        let name = self.name.with_suffix("_SendGoal");
        Service {
            request: message(
                name.with_suffix("_Request"),
                vec![goal_id(), field("goal", FieldType::nested(self.goal.name.clone()))],
            ),
            response: message(
                name.with_suffix("_Response"),
                vec![
                    field("accepted", FieldType::primitive(Primitive::Bool)),
                    field("stamp", FieldType::nested(TypeName::new("builtin_interfaces", "msg", "Time"))),
                ],
            ),
            name,
        }
    }

    /// Returns the service that requests a result, `…_GetResult`.
    pub(crate) fn get_result(&self) -> Service {
        let name = self.name.with_suffix("_GetResult");
        Service {
            request: message(name.with_suffix("_Request"), vec![goal_id()]),
            response: message(
                name.with_suffix("_Response"),
                vec![
                    field("status", FieldType::primitive(Primitive::Int8)),
                    field("result", FieldType::nested(self.result.name.clone())),
                ],
            ),
            name,
        }
    }

    /// Returns the message of the feedback topic, `…_FeedbackMessage`.
    pub(crate) fn feedback_message(&self) -> Message {
        message(
            self.name.with_suffix("_FeedbackMessage"),
            vec![goal_id(), field("feedback", FieldType::nested(self.feedback.name.clone()))],
        )
    }

    /// Returns the whole action as one type. Only the hash of this type is used.
    pub(crate) fn as_message(&self) -> Message {
        let part = |name: &str, suffix: &str| field(name, FieldType::nested(self.name.with_suffix(suffix)));
        message(
            self.name.clone(),
            vec![
                part("goal", "_Goal"),
                part("result", "_Result"),
                part("feedback", "_Feedback"),
                part("send_goal_service", "_SendGoal"),
                part("get_result_service", "_GetResult"),
                part("feedback_message", "_FeedbackMessage"),
            ],
        )
    }
}

fn goal_id() -> Field {
    field("goal_id", FieldType::nested(TypeName::new("unique_identifier_msgs", "msg", "UUID")))
}
