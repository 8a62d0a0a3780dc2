//! The types that this command knows: bundled ones, and those of folders that the user names.

use std::{
    collections::BTreeSet,
    env, fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use saltus::{Graph, TypeHash, TypeId, msgs::DEFINITIONS};
use saltus_dynamic::{Schema, SchemaError};
use saltus_idl::{Interfaces, ResolveError, SourceKind, TypeName};

use crate::Error;

const KINDS: [SourceKind; 3] = [SourceKind::Message, SourceKind::Service, SourceKind::Action];

/// All definitions at hand.
///
/// Folders of `SALTUS_INTERFACE_PATH` come first, then `share/` of each prefix of
/// `AMENT_PREFIX_PATH`, then the bundled ones; the first that has a package's file wins.
pub(crate) struct Catalog {
    interfaces: Interfaces,
    folders: Vec<PathBuf>,
}

/// A service type.
pub(crate) struct ServiceSchema {
    pub(crate) request: Schema,
    pub(crate) response: Schema,
    pub(crate) ty: TypeId,
}

/// The name of a definition, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Listed {
    pub(crate) kind: &'static str,
    pub(crate) package: String,
    pub(crate) name: String,
}

impl Listed {
    pub(crate) fn full_name(&self) -> String {
        format!("{}/{}/{}", self.package, self.kind, self.name)
    }
}

impl Catalog {
    pub(crate) fn new() -> Self {
        let paths = |name: &str| env::var_os(name).map(|value| env::split_paths(&value).collect::<Vec<_>>());
        let own = paths("SALTUS_INTERFACE_PATH").unwrap_or_default();
        for missing in own.iter().filter(|folder| !folder.is_dir()) {
            // Nothing in it is found: that must not look like a missing definition.
            let _ = writeln!(io::stderr(), "WARNING: SALTUS_INTERFACE_PATH: no folder {}", missing.display());
        }
        let ament = paths("AMENT_PREFIX_PATH").unwrap_or_default();
        let shares = ament.into_iter().map(|prefix| prefix.join("share"));
        Self { interfaces: Interfaces::default(), folders: own.into_iter().chain(shares).collect() }
    }

    /// Every definition there is, sorted by kind, package and name.
    pub(crate) fn list(&self) -> BTreeSet<Listed> {
        let bundled = DEFINITIONS.iter().map(|d| Listed {
            kind: d.kind,
            package: d.package.into(),
            name: d.name.into(),
        });
        self.folders.iter().flat_map(|folder| list_folder(folder)).chain(bundled).collect()
    }

    /// The text of a definition.
    pub(crate) fn text(&self, name: &TypeName) -> Result<Option<String>, Error> {
        let file = format!("{}/{}/{}.{}", name.package, name.kind, name.name, name.kind);
        for path in self.folders.iter().map(|folder| folder.join(&file)) {
            match fs::read_to_string(&path) {
                Ok(text) => return Ok(Some(text)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(format!("{}: {error}", path.display()).into()),
            }
        }
        let same = |d: &&saltus::msgs::Definition| {
            (d.package, d.kind, d.name) == (&*name.package, &*name.kind, &*name.name)
        };
        Ok(DEFINITIONS.iter().find(same).map(|d| d.text.to_owned()))
    }

    /// A type with everything that it refers to, and its identity in the graph.
    pub(crate) fn schema(&mut self, name: &str) -> Result<(Schema, TypeId), Error> {
        let name = name.parse::<TypeName>()?.to_string();
        loop {
            match Schema::of(&self.interfaces, &name) {
                Ok(schema) => {
                    let hash = self.interfaces.type_hash(&name)?;
                    let description = Some(self.interfaces.canonical_json(&name)?);
                    return Ok((schema, TypeId { name, hash, description }));
                }
                Err(SchemaError::Resolve(ResolveError::Unknown { name: missing, place })) => {
                    if !self.load(&missing)? {
                        return Err(unknown(&missing, place.map(|place| place.to_string())));
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// A message that a topic can carry.
    pub(crate) fn message(&mut self, name: &str) -> Result<(Schema, TypeId), Error> {
        match parts_of(name).map(|(kind, _)| kind) {
            Some(kind) => Err(format!("`{name}` is {kind}, not a message: topics carry messages").into()),
            None => self.schema(name),
        }
    }

    /// The message that a user fills in for a type: of a service the request, of an action the goal.
    pub(crate) fn filled_in(&mut self, name: &str) -> Result<(Schema, TypeId), Error> {
        match parts_of(name) {
            Some((_, part)) => self.schema(&format!("{name}{part}")),
            None => self.schema(name),
        }
    }

    /// The type of a topic: as its publisher has it, if one is there, else as it is known here.
    pub(crate) fn topic(
        &mut self,
        topic: &str,
        name: &str,
        graph: &Graph,
    ) -> Result<(Schema, TypeId), Error> {
        let end = graph.endpoints.iter().find(|end| (&*end.topic, &*end.type_name) == (topic, name));
        match end {
            Some(end) => self.schema_of(name, end.type_hash, graph),
            None => self.schema(name),
        }
    }

    /// A service type, with the schemas of its request and its response: as its server has it, if one is there
    /// under that name, else as it is known here.
    pub(crate) fn service(
        &mut self,
        service: &str,
        name: &str,
        graph: &Graph,
    ) -> Result<ServiceSchema, Error> {
        let server =
            graph.servers.iter().find(|server| (&*server.topic, &*server.type_name) == (service, name));
        let (schema, ty) = match server {
            Some(server) => self.schema_of(name, server.type_hash, graph)?,
            None => self.schema(name)?,
        };
        let part = |place: usize| schema.fields().get(place).and_then(|field| field.ty.message());
        match (part(0), part(1)) {
            (Some(request), Some(response)) => Ok(ServiceSchema { request, response, ty }),
            _ => Err(format!("`{name}` is no service: its name has `srv` in the middle").into()),
        }
    }

    /// A type that somebody in the graph uses: as it is known here, if that is the same, else as the
    /// other describes it.
    pub(crate) fn schema_of(
        &mut self,
        name: &str,
        hash: TypeHash,
        graph: &Graph,
    ) -> Result<(Schema, TypeId), Error> {
        let here = self.schema(name);
        match (here, graph.descriptions.get(&hash)) {
            (Ok((schema, ty)), _) if ty.hash == hash => Ok((schema, ty)),
            (_, Some(text)) => described(name, hash, text),
            (Err(error), None) => Err(error),
            (Ok((_, ty)), None) => Err(format!(
                "the type `{name}` of the topic is not the one that is known here ({hash}, here {}), and its \
                 user does not describe it; put the folder of its definition into SALTUS_INTERFACE_PATH",
                ty.hash
            )
            .into()),
        }
    }

    /// Reads the definition that a type comes from. Whether there is one that was not read before.
    fn load(&mut self, name: &str) -> Result<bool, Error> {
        let name: TypeName = name.parse()?;
        // `AddTwoInts_Request` comes from `AddTwoInts`.
        let source = name.name.split('_').next().unwrap_or(&name.name);
        let source = TypeName { name: source.into(), ..name };
        let Some(kind) = KINDS.into_iter().find(|kind| kind.word() == source.kind) else { return Ok(false) };
        if self.interfaces.message(&source.to_string()).is_some() {
            return Ok(false);
        }
        let Some(text) = self.text(&source)? else { return Ok(false) };
        self.interfaces.add(&source.package, kind, &source.name, &text)?;
        Ok(true)
    }
}

/// What a service or action is, and the ending of the message that a user fills in for it; `None` for a
/// message.
fn parts_of(name: &str) -> Option<(&'static str, &'static str)> {
    match name.parse::<TypeName>() {
        Ok(name) if name.name.contains('_') => None,
        Ok(name) if name.kind == "srv" => Some(("a service", "_Request")),
        Ok(name) if name.kind == "action" => Some(("an action", "_Goal")),
        _ => None,
    }
}

/// A type as a stranger describes it, who may be wrong.
fn described(name: &str, hash: TypeHash, text: &str) -> Result<(Schema, TypeId), Error> {
    let mut interfaces = Interfaces::default();
    let (found, found_hash) = interfaces.add_description(text)?;
    if (&*found, found_hash) != (name, hash) {
        return Err(format!("the user of `{name}` describes another type: `{found}`").into());
    }
    let schema = Schema::of(&interfaces, name)?;
    Ok((schema, TypeId { name: found, hash, description: Some(text.into()) }))
}

fn unknown(name: &str, place: Option<String>) -> Error {
    let user = place.map(|place| format!(" (used at {place})")).unwrap_or_default();
    format!("unknown type `{name}`{user}; put the folder of its package into SALTUS_INTERFACE_PATH").into()
}

/// The definitions below a folder: `<package>/{msg,srv,action}/<Name>.{msg,srv,action}`.
fn list_folder(folder: &Path) -> Vec<Listed> {
    let mut listed = Vec::new();
    for package in names(folder) {
        for kind in KINDS.map(SourceKind::word) {
            for file in names(&folder.join(&package).join(kind)) {
                if let Some(name) = file.strip_suffix(&format!(".{kind}")) {
                    listed.push(Listed { kind, package: package.clone(), name: name.into() });
                }
            }
        }
    }
    listed
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
}
