//! The types that this command knows: the bundled ones, and those in folders that the user names.

use std::io::{self, Write};

use saltus::{advanced::TypeHash, generic::TypeId, graph::Graph};
pub use saltus_catalog::DefinitionName;
use saltus_dynamic::Schema;
use saltus_idl::{Interfaces, TypeName};

use crate::{error::Error, graph::description};

/// All definitions that this command knows. A type that is unknown here, or has another definition in the graph, is
/// read from its description in the graph.
pub struct Catalog(saltus_catalog::Catalog);

/// The packages of Saltus's own tests and benchmarks.
const INTERNAL: [&str; 2] = ["saltus_bench_msgs", "saltus_conformance_msgs"];

/// Whether a definition is for users, and so is listed.
pub fn is_public(definition: &DefinitionName) -> bool {
    !INTERNAL.contains(&&*definition.package)
}

/// A service type.
pub struct ServiceSchema {
    /// The type of the request.
    pub request: Schema,
    /// The type of the response.
    pub response: Schema,
    /// The identity of the service type in the graph.
    pub ty: TypeId,
}

impl Catalog {
    /// Reads the environment for folders of definitions. Prints a warning for each folder that can't be read.
    pub fn from_environment() -> Self {
        let (catalog, wrong) = saltus_catalog::Catalog::from_environment();
        for why in wrong {
            let _ = writeln!(io::stderr(), "WARNING: SALTUS_INTERFACE_PATH: {why}");
        }
        Self(catalog)
    }

    /// Returns every known definition, sorted by kind, package and name.
    pub fn list(&self) -> std::collections::BTreeSet<DefinitionName> {
        self.0.list()
    }

    /// Returns the definitions for users: all but those of Saltus's own tests and benchmarks.
    pub fn public(&self) -> std::collections::BTreeSet<DefinitionName> {
        self.list().into_iter().filter(is_public).collect()
    }

    /// Returns the text of a definition.
    pub fn text(&self, name: &TypeName) -> Result<Option<String>, Error> {
        Ok(self.0.text(name)?)
    }

    /// Returns the error for a type without a definition.
    pub fn unknown(&self, name: &TypeName) -> Error {
        self.0.unknown(name, None).into()
    }

    /// Returns the definitions of a package.
    ///
    /// # Errors
    /// Returns an error, with the name of a similar package, if there are none.
    pub fn of_package(&self, package: &str) -> Result<Vec<DefinitionName>, Error> {
        let (found, others): (Vec<_>, Vec<_>) =
            self.list().into_iter().partition(|one| one.package == package);
        if !found.is_empty() {
            return Ok(found);
        }
        let similar = saltus_catalog::most_similar(package, others.iter().map(|one| &*one.package));
        let meant = similar.map_or_else(String::new, |similar| format!("; did you mean `{similar}`?"));
        Err(format!("Unknown package '{package}'{meant}").into())
    }

    /// Returns the full name of a type that the user gave in two parts: the name of the message, or, if there is no
    /// such message, of the service or the action.
    pub fn full_name(&self, name: &str) -> String {
        let names = ["msg", "srv", "action"].map(|kind| with_kind(name, kind));
        let is_known =
            |name: &&String| name.parse().is_ok_and(|parsed| matches!(self.text(&parsed), Ok(Some(_))));
        names.iter().find(is_known).unwrap_or(&names[0]).clone()
    }

    /// Reads a definition and all definitions that it refers to.
    pub fn load(&mut self, name: &TypeName) -> Result<(), Error> {
        self.0.typed(&name.to_string())?;
        Ok(())
    }

    /// Returns the interfaces whose definitions were read so far.
    pub fn interfaces(&self) -> &Interfaces {
        self.0.interfaces()
    }

    /// Returns a type with all types that it refers to, and its identity in the graph.
    pub fn schema(&mut self, name: &str) -> Result<(Schema, TypeId), Error> {
        let typed = self.0.typed(name)?;
        let name = typed.schema.name().to_owned();
        let ty = TypeId { name, hash: typed.hash, description: Some(typed.description) };
        Ok((typed.schema, ty))
    }

    /// Returns a message type for a topic. Returns an error for a service or an action.
    pub fn message(&mut self, name: &str) -> Result<(Schema, TypeId), Error> {
        match parts_of(name).map(|(kind, _)| kind) {
            Some(kind) => Err(format!("`{name}` is {kind}, not a message: topics carry messages").into()),
            None => self.schema(name),
        }
    }

    /// Returns the message that a user fills in for a type: the request of a service, the goal of an action, or the
    /// message itself.
    pub fn filled_in(&mut self, name: &str) -> Result<(Schema, TypeId), Error> {
        match parts_of(name) {
            Some((_, part)) => self.schema(&format!("{name}{part}")),
            None => self.schema(name),
        }
    }

    /// Returns the type of a topic. If the topic has an endpoint, it is the type of the endpoint. Otherwise it is the
    /// type that is known here.
    pub fn topic(&mut self, topic: &str, name: &str, graph: &Graph) -> Result<(Schema, TypeId), Error> {
        let end = graph.endpoints.iter().find(|end| (&*end.topic, &*end.type_name) == (topic, name));
        match end {
            Some(end) => self.schema_of(name, end.type_hash),
            None => self.message(name),
        }
    }

    /// Checks that the name is an action type that is known here or used in the graph. Without this check, an error
    /// would name a type of a part of the action, which the user did not give.
    pub fn check_action(&mut self, name: &str, graph: &Graph) -> Result<(), Error> {
        let goal_service = format!("{name}_SendGoal");
        if graph.servers.iter().chain(&graph.clients).any(|end| end.type_name == goal_service) {
            return Ok(());
        }
        match parts_of(name) {
            Some((_, "_Goal")) => self.schema(name).map(drop),
            _ => {
                Err(format!("`{name}` is not an action type such as example_interfaces/action/Fibonacci")
                    .into())
            }
        }
    }

    /// Returns a service type with the schemas of its request and its response. If the service has a server, it is the
    /// type of the server. Otherwise it is the type that is known here.
    pub fn service(&mut self, service: &str, name: &str, graph: &Graph) -> Result<ServiceSchema, Error> {
        let server =
            graph.servers.iter().find(|server| (&*server.topic, &*server.type_name) == (service, name));
        let (schema, ty) = match server {
            Some(server) => self.schema_of(name, server.type_hash)?,
            None => self.schema(name)?,
        };
        let part = |index: usize| schema.fields().get(index).and_then(|field| field.ty.message());
        match (part(0), part(1)) {
            (Some(request), Some(response)) => Ok(ServiceSchema { request, response, ty }),
            _ => Err(format!("`{name}` is not a service type such as std_srvs/srv/Trigger").into()),
        }
    }

    /// Returns a type that an endpoint in the graph uses. If the type that is known here has the same hash, or if the
    /// hash is unknown, as that of a microcontroller's endpoint is, it is returned. Otherwise the type is read from its description in the graph.
    pub fn schema_of(&mut self, name: &str, hash: TypeHash) -> Result<(Schema, TypeId), Error> {
        let here = self.schema(name);
        if let Ok((_, ty)) = &here
            && (ty.hash == hash || hash == TypeHash::UNKNOWN)
        {
            return here;
        }
        match (here, description(hash)?) {
            (_, Some(text)) => described(name, hash, &text),
            (Err(error), None) => Err(error),
            (Ok((_, ty)), None) => Err(format!(
                "the type `{name}` has another definition in the graph ({hash}) than here ({}), and the graph has \
                 no description of it; put the folder of its definition into SALTUS_INTERFACE_PATH",
                ty.hash
            )
            .into()),
        }
    }
}

/// Returns the full name of a type that the user gave in two parts, such as `std_srvs/SetBool`. Returns a name of any
/// other form unchanged.
pub fn with_kind(name: &str, kind: &str) -> String {
    match name.split_once('/') {
        Some((package, name)) if !name.contains('/') => format!("{package}/{kind}/{name}"),
        _ => name.to_owned(),
    }
}

/// Returns the kind of a service or an action as text, and the suffix of the message that a user fills in. Returns
/// `None` for a message.
fn parts_of(name: &str) -> Option<(&'static str, &'static str)> {
    match name.parse::<TypeName>() {
        Ok(name) if name.name.contains('_') => None,
        Ok(name) if name.kind == "srv" => Some(("a service", "_Request")),
        Ok(name) if name.kind == "action" => Some(("an action", "_Goal")),
        _ => None,
    }
}

/// Reads a type from its description in the graph. The description is not trusted.
fn described(name: &str, hash: TypeHash, text: &str) -> Result<(Schema, TypeId), Error> {
    let mut interfaces = Interfaces::default();
    let (found, found_hash) = interfaces.add_description(text)?;
    if (&*found, found_hash) != (name, hash) {
        return Err(format!("the graph's description of `{name}` describes another type: `{found}`").into());
    }
    let schema = Schema::of(&interfaces, name)?;
    Ok((schema, TypeId { name: found, hash, description: Some(text.into()) }))
}
