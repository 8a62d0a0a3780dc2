//! Sets of interfaces that refer to each other.

use std::collections::BTreeMap;

use saltus_types::TypeHash;

use crate::{
    Action, Field, Message, ParseError, Service, SourceKind, SourceLocation, TypeName, describe,
    idl::{self, Definition},
    parse,
};

/// Why a type can't be resolved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// No type with this name was added.
    #[error("{}unknown type `{name}`", prefix(.location))]
    Unknown {
        /// The missing type.
        name: String,
        /// The location of the field that refers to it, if there is one.
        location: Option<SourceLocation>,
    },
    /// A type contains itself, directly or through other types.
    #[error("{}`{name}` contains itself", prefix(.location))]
    Recursive {
        /// The type.
        name: String,
        /// The location of the field that closes the cycle.
        location: Option<SourceLocation>,
    },
    /// The types are nested too deep. An untrusted definition could otherwise overflow the stack.
    #[error("{}types nested more than {MAX_NESTING} levels deep, at `{name}`", prefix(.location))]
    TooDeep {
        /// The type that is nested too deep.
        name: String,
        /// The location of the field that refers to it.
        location: Option<SourceLocation>,
    },
}

fn prefix(location: &Option<SourceLocation>) -> String {
    location.as_ref().map(|location| format!("{location}: ")).unwrap_or_default()
}

/// A type that another type refers to, and the number of levels below it.
type Known<'a> = (&'a Message, usize);

/// The largest depth of nested types. In the types of ROS 2, it is 7.
const MAX_NESTING: usize = 64;

/// A set of interfaces, including the types that services and actions imply.
#[derive(Clone, Debug, Default)]
pub struct Interfaces {
    messages: BTreeMap<String, Message>,
    services: BTreeMap<String, Service>,
    actions: BTreeMap<String, Action>,
}

impl Interfaces {
    /// Parses a definition. Adds it and the types that it implies. Replaces a definition with the same name.
    pub fn add(&mut self, package: &str, kind: SourceKind, name: &str, text: &str) -> Result<(), ParseError> {
        let file = format!("{package}/{0}/{name}.{0}", kind.extension());
        self.add_file(TypeName::new(package, kind.extension(), name), kind, &file, text)
    }

    /// Parses and adds a definition like [`Self::add`]. Errors contain the name of the file.
    pub fn add_file(
        &mut self,
        name: TypeName,
        kind: SourceKind,
        file: &str,
        text: &str,
    ) -> Result<(), ParseError> {
        match kind {
            SourceKind::Message => self.add_message(parse::parse_message(name, file, text)?),
            SourceKind::Service => self.add_service(parse::parse_service(name, file, text)?),
            SourceKind::Action => self.add_action(parse::parse_action(name, file, text)?),
        }
        Ok(())
    }

    /// Parses a definition in OMG IDL, as in an `.idl` file. Adds it and the types that it implies. Replaces a definition
    /// with the same name. Errors contain the name of the file.
    ///
    /// ```
    /// # use saltus_idl::{Interfaces, SourceKind, TypeName};
    /// let text = "module demo { module msg { struct Point { double x; @default (value=1.5) double y; }; }; };";
    /// let mut interfaces = Interfaces::default();
    /// let name = TypeName::new("demo", "msg", "Point");
    /// interfaces.add_idl(name, SourceKind::Message, "Point.idl", text)?;
    /// assert_eq!(interfaces.definition_text("demo/msg/Point").unwrap(), "float64 x\nfloat64 y 1.5\n");
    /// # Ok::<(), saltus_idl::ParseError>(())
    /// ```
    pub fn add_idl(
        &mut self,
        name: TypeName,
        kind: SourceKind,
        file: &str,
        text: &str,
    ) -> Result<(), ParseError> {
        match idl::parse(name, kind, file, text)? {
            Definition::Message(message) => self.add_message(message),
            Definition::Service(service) => self.add_service(service),
            Definition::Action(action) => self.add_action(action),
        }
        Ok(())
    }

    pub(crate) fn add_message(&mut self, message: Message) {
        self.messages.insert(message.name.to_string(), message);
    }

    fn add_service(&mut self, service: Service) {
        for message in
            [service.request.clone(), service.response.clone(), service.event(), service.as_message()]
        {
            self.add_message(message);
        }
        self.services.insert(service.name.to_string(), service);
    }

    fn add_action(&mut self, action: Action) {
        for message in [
            action.goal.clone(),
            action.result.clone(),
            action.feedback.clone(),
            action.feedback_message(),
            action.as_message(),
        ] {
            self.add_message(message);
        }
        self.add_service(action.send_goal());
        self.add_service(action.get_result());
        self.actions.insert(action.name.to_string(), action);
    }

    /// Returns the message with this full name. It may also be a request, a response, an event, a goal, and so on.
    pub fn message(&self, name: &str) -> Option<&Message> {
        self.messages.get(name)
    }

    /// Returns all messages, sorted by name. This includes implied messages, and the types of whole services and
    /// actions.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.messages.values()
    }

    /// Returns all services, sorted by name. This includes the services that actions imply.
    pub fn services(&self) -> impl Iterator<Item = &Service> {
        self.services.values()
    }

    /// Returns all actions, sorted by name.
    pub fn actions(&self) -> impl Iterator<Item = &Action> {
        self.actions.values()
    }

    /// Returns the RIHS01 hash of a message, service or action.
    pub fn type_hash(&self, name: &str) -> Result<TypeHash, ResolveError> {
        Ok(describe::hash(&self.canonical_json(name)?))
    }

    /// Returns the canonical JSON text of a type, which is hashed (REP 2016).
    pub(crate) fn canonical_json(&self, name: &str) -> Result<String, ResolveError> {
        let top = self.find(name, None)?;
        Ok(describe::canonical_json(top, &self.referenced(top)?))
    }

    /// Returns the description of a type: its canonical JSON, and the defaults of fields. [`Self::add_description`]
    /// parses it.
    pub fn description_json(&self, name: &str) -> Result<String, ResolveError> {
        let top = self.find(name, None)?;
        Ok(describe::description_json(top, &self.referenced(top)?))
    }

    /// Returns the types that a message refers to, directly or through other types. They are sorted by name, and each
    /// type is included once.
    pub fn referenced(&self, top: &Message) -> Result<Vec<&Message>, ResolveError> {
        let mut closure = BTreeMap::new();
        let mut path = vec![top.name.to_string()];
        self.collect(top, &mut path, &mut closure)?;
        Ok(closure.into_values().map(|(message, _)| message).collect())
    }

    /// Adds to `closure` the types that a message refers to. Returns the number of levels below the message.
    fn collect<'a>(
        &'a self,
        message: &Message,
        path: &mut Vec<String>,
        closure: &mut BTreeMap<String, Known<'a>>,
    ) -> Result<usize, ResolveError> {
        let mut height = 0;
        for (field, name) in message.nested_fields() {
            let below = self.collect_field(field, name, path, closure)?;
            height = height.max(below + 1);
        }
        Ok(height)
    }

    fn collect_field<'a>(
        &'a self,
        field: &Field,
        name: &TypeName,
        path: &mut Vec<String>,
        closure: &mut BTreeMap<String, Known<'a>>,
    ) -> Result<usize, ResolveError> {
        let (name, location) = (name.to_string(), field.location.clone());
        if path.contains(&name) {
            return Err(ResolveError::Recursive { name, location });
        }
        // The number of levels below a known type is the same wherever the type is used.
        let known = closure.get(&name).map(|(_, height)| *height);
        if path.len() + known.unwrap_or(0) > MAX_NESTING {
            return Err(ResolveError::TooDeep { name, location });
        }
        if let Some(height) = known {
            return Ok(height);
        }
        let nested = self.find(&name, location)?;
        path.push(name.clone());
        let height = self.collect(nested, path, closure)?;
        path.pop();
        closure.insert(name, (nested, height));
        Ok(height)
    }

    fn find(&self, name: &str, location: Option<SourceLocation>) -> Result<&Message, ResolveError> {
        self.messages.get(name).ok_or_else(|| ResolveError::Unknown { name: name.into(), location })
    }
}
