//! A set of interfaces that refer to each other.

use std::collections::{BTreeMap, BTreeSet};

use saltus_types::TypeHash;

use crate::{Action, Message, ParseError, Service, TypeName, describe, parse};

/// Which of the three kinds of file a text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// `.msg`
    Message,
    /// `.srv`
    Service,
    /// `.action`
    Action,
}

impl SourceKind {
    /// The ending of its files, which is also the name of their folder: `msg`, `srv` or `action`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Message => "msg",
            Self::Service => "srv",
            Self::Action => "action",
        }
    }
}

/// Why a type can't be resolved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// Nothing of that name was added.
    #[error("unknown type `{name}`{}", .user.as_ref().map(|u| format!(", which `{u}` uses")).unwrap_or_default())]
    Unknown {
        /// The missing type.
        name: String,
        /// The type that has a field of it.
        user: Option<String>,
    },
    /// A type contains itself, directly or through others.
    #[error("`{0}` contains itself")]
    Recursive(String),
    /// Types are nested deeper than any real message, which a stranger's definition might do to
    /// exhaust the stack.
    #[error("types nested more than {MAX_NESTING} deep, at `{0}`")]
    TooDeep(String),
}

/// The deepest nesting of types. The deepest of ROS 2's own is 7.
const MAX_NESTING: usize = 64;

/// All interfaces that are known together, implied ones included.
#[derive(Clone, Debug, Default)]
pub struct Interfaces {
    messages: BTreeMap<String, Message>,
    services: BTreeMap<String, Service>,
    actions: BTreeMap<String, Action>,
    /// What was added as a `.msg`, as opposed to implied by a service or an action.
    plain: BTreeSet<String>,
}

impl Interfaces {
    /// Reads a definition and adds it with the types it implies. One of the same name is replaced.
    pub fn add(&mut self, package: &str, kind: SourceKind, name: &str, text: &str) -> Result<(), ParseError> {
        let file = format!("{package}/{0}/{name}.{0}", kind.word());
        let name = TypeName::new(package, kind.word(), name);
        match kind {
            SourceKind::Message => {
                self.plain.insert(name.to_string());
                self.add_message(parse::parse_message(name, &file, text)?);
            }
            SourceKind::Service => self.add_service(parse::parse_service(name, &file, text)?),
            SourceKind::Action => self.add_action(parse::parse_action(name, &file, text)?),
        }
        Ok(())
    }

    fn add_message(&mut self, message: Message) {
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

    /// The message, request, response, event, goal… of that full name.
    pub fn message(&self, name: &str) -> Option<&Message> {
        self.messages.get(name)
    }

    /// Every message, implied ones and the types of whole services and actions included, by name.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.messages.values()
    }

    /// Whether a message has a `.msg` file of its own.
    pub fn is_plain(&self, name: &str) -> bool {
        self.plain.contains(name)
    }

    /// Every service, those that actions imply included, by name.
    pub fn services(&self) -> impl Iterator<Item = &Service> {
        self.services.values()
    }

    /// Every action, by name.
    pub fn actions(&self) -> impl Iterator<Item = &Action> {
        self.actions.values()
    }

    /// The RIHS01 hash of a message, service or action.
    pub fn type_hash(&self, name: &str) -> Result<TypeHash, ResolveError> {
        Ok(describe::hash(&self.canonical_json(name)?))
    }

    /// The canonical JSON text that the hash is taken of (REP 2016).
    pub fn canonical_json(&self, name: &str) -> Result<String, ResolveError> {
        let top = self.find(name, None)?;
        Ok(describe::canonical_json(top, &self.referenced(top)?))
    }

    /// The types that a message refers to, directly or through others: sorted by name, each once.
    pub fn referenced(&self, top: &Message) -> Result<Vec<&Message>, ResolveError> {
        let mut closure = BTreeMap::new();
        let mut path = vec![top.name.to_string()];
        self.collect(top, &mut path, &mut closure)?;
        Ok(closure.into_values().collect())
    }

    fn collect<'a>(
        &'a self,
        message: &Message,
        path: &mut Vec<String>,
        closure: &mut BTreeMap<String, &'a Message>,
    ) -> Result<(), ResolveError> {
        for name in message.nested() {
            let key = name.to_string();
            if path.contains(&key) {
                return Err(ResolveError::Recursive(key));
            }
            if path.len() > MAX_NESTING {
                return Err(ResolveError::TooDeep(key));
            }
            let nested = self.find(&key, Some(&message.name))?;
            if closure.insert(key.clone(), nested).is_none() {
                path.push(key);
                self.collect(nested, path, closure)?;
                path.pop();
            }
        }
        Ok(())
    }

    fn find(&self, name: &str, user: Option<&TypeName>) -> Result<&Message, ResolveError> {
        self.messages
            .get(name)
            .ok_or_else(|| ResolveError::Unknown { name: name.into(), user: user.map(ToString::to_string) })
    }
}
