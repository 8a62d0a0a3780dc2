//! A catalog of interface definitions: the bundled definitions, and those in the folders of the user.
//!
//! This crate is for programs that know the name of a type only at run time: tools, and language bindings that create
//! classes at run time.
//!
//! ```
//! use saltus_catalog::Catalog;
//! let mut catalog = Catalog::new(Vec::new());
//! let point = catalog.typed("geometry_msgs/msg/Point")?;
//! assert_eq!(point.schema.fields()[2].name, "z");
//! # Ok::<(), saltus_catalog::CatalogError>(())
//! ```

mod bundled;
mod definition;
mod error;
mod folder;
mod manifest;
mod similar;

use std::{collections::BTreeSet, env, fs, io, path::PathBuf};

use saltus_dynamic::{Schema, SchemaError};
use saltus_idl::{Interfaces, ResolveError, SourceKind, TypeHash, TypeName};

use folder::KINDS;

pub use bundled::DEFINITIONS;
pub use definition::{Definition, DefinitionName};
pub use error::CatalogError;
pub use folder::InterfaceFolder;
pub use manifest::Manifest;
pub use saltus_types::most_similar;

/// A type with all types that it refers to, its hash and its description.
#[derive(Clone, Debug)]
pub struct Typed {
    /// The schema of the type.
    pub schema: Schema,
    /// The hash of the type.
    pub hash: TypeHash,
    /// The description of the type as JSON (REP 2016), with the defaults of fields.
    pub description: String,
}

/// A catalog of definitions. A definition is read once, when it is first requested.
///
/// **Invariant:** the folders are searched in their order, and then the bundled definitions. The first definition that
/// is found for a type is used.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    interfaces: Interfaces,
    folders: Vec<InterfaceFolder>,
}

impl Catalog {
    /// Creates a catalog of the definitions in `folders` and the bundled definitions.
    pub fn new(folders: Vec<InterfaceFolder>) -> Self {
        Self { interfaces: Interfaces::default(), folders }
    }

    /// Creates a catalog of the folders in `SALTUS_INTERFACE_PATH`, then `share/` of each prefix in `SALTUS_PREFIX_PATH`
    /// and in `AMENT_PREFIX_PATH`, then [`user_folder`], then the bundled definitions.
    ///
    /// Also returns a text for each invalid folder in `SALTUS_INTERFACE_PATH`. The caller should print these texts as
    /// warnings. Otherwise a missing folder would look like a missing definition.
    pub fn from_environment() -> (Self, Vec<String>) {
        let paths = |name: &str| env::var_os(name).map(|value| env::split_paths(&value).collect::<Vec<_>>());
        let (mut folders, mut wrong) = (Vec::new(), Vec::new());
        for path in paths("SALTUS_INTERFACE_PATH").unwrap_or_default() {
            if !path.is_dir() {
                wrong.push(format!("{} is not a folder", path.display()));
            }
            match InterfaceFolder::new(path) {
                Ok(folder) => folders.push(folder),
                Err(error) => wrong.push(error.to_string()),
            }
        }
        let prefixes = ["SALTUS_PREFIX_PATH", "AMENT_PREFIX_PATH"].into_iter().filter_map(paths).flatten();
        let prefixes = prefixes.filter(|prefix| !prefix.as_os_str().is_empty());
        folders.extend(prefixes.filter_map(|prefix| InterfaceFolder::new(prefix.join("share")).ok()));
        folders.extend(user_folder().and_then(|folder| InterfaceFolder::new(folder).ok()));
        (Self::new(folders), wrong)
    }

    /// Adds a folder that is searched before all others.
    pub fn add_folder(&mut self, folder: InterfaceFolder) {
        self.folders.insert(0, folder);
    }

    /// Returns the names of all definitions, sorted by kind, package and name.
    pub fn list(&self) -> BTreeSet<DefinitionName> {
        let bundled = DEFINITIONS.iter().map(|d| DefinitionName {
            kind: d.kind,
            package: d.package.into(),
            name: d.name.into(),
        });
        self.folders.iter().flat_map(InterfaceFolder::list).chain(bundled).collect()
    }

    /// Returns the text of a definition, or `None` if there is no such definition. A definition in OMG IDL is returned in
    /// the form of `.msg`, `.srv` and `.action` files.
    pub fn text(&self, name: &TypeName) -> Result<Option<String>, CatalogError> {
        let (Some(source), Some(kind)) = (self.find(name)?, kind_of(name)) else { return Ok(None) };
        if source.form == Form::Lines {
            return Ok(Some(source.text));
        }
        let mut interfaces = Interfaces::default();
        source.add_to(&mut interfaces, name.clone(), kind)?;
        Ok(interfaces.definition_text(&name.to_string()))
    }

    /// Returns the folders that are searched, in their order.
    pub fn folders(&self) -> &[InterfaceFolder] {
        &self.folders
    }

    /// Returns the text that defines a type, if there is one.
    fn find(&self, name: &TypeName) -> Result<Option<Source>, CatalogError> {
        for path in self.folders.iter().filter_map(|folder| folder.file(name)) {
            match fs::read_to_string(&path) {
                Ok(text) => {
                    let form = if folder::is_idl(&path) { Form::Idl } else { Form::Lines };
                    return Ok(Some(Source { file: path.display().to_string(), text, form }));
                }
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
                Err(cause) => return Err(CatalogError::File { path, cause }),
            }
        }
        let source = |d: &Definition| Source {
            file: format!("{}/{}/{}.{}", d.package, d.kind, d.name, d.kind),
            text: d.text.to_owned(),
            form: Form::Lines,
        };
        Ok(bundled_definition(name).map(source))
    }

    /// Returns the type with this name. The name has the form `std_msgs/msg/String` or `std_msgs/String`. It may be the
    /// name of a message that a service or action implies, such as `example_interfaces/srv/AddTwoInts_Request`.
    pub fn typed(&mut self, name: &str) -> Result<Typed, CatalogError> {
        let name = name.parse::<TypeName>().map_err(CatalogError::Name)?.to_string();
        loop {
            match Schema::of(&self.interfaces, &name) {
                Ok(schema) => {
                    let hash = self.interfaces.type_hash(&name)?;
                    let description = self.interfaces.description_json(&name)?;
                    return Ok(Typed { schema, hash, description });
                }
                Err(SchemaError::Resolve(ResolveError::Unknown { name, location })) => {
                    if !self.load(&name)? {
                        let user = location.map(|location| location.to_string());
                        return Err(self.unknown(&name.parse().map_err(CatalogError::Name)?, user));
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Returns the error for a type without a definition. `user` is the location of the field that refers to it.
    pub fn unknown(&self, name: &TypeName, user: Option<String>) -> CatalogError {
        let similar = similar::meant(name, &self.list());
        CatalogError::Unknown { name: name.to_string(), user, similar }
    }

    /// Returns the interfaces whose definitions were read so far.
    pub fn interfaces(&self) -> &Interfaces {
        &self.interfaces
    }

    /// Reads the definition that defines a type. Returns whether there is one that was not read before.
    fn load(&mut self, name: &str) -> Result<bool, CatalogError> {
        let name: TypeName = name.parse().map_err(CatalogError::Name)?;
        let name = source_of(&name);
        let Some(kind) = kind_of(&name) else { return Ok(false) };
        if self.interfaces.message(&name.to_string()).is_some() {
            return Ok(false);
        }
        let Some(source) = self.find(&name)? else { return Ok(false) };
        source.add_to(&mut self.interfaces, name, kind)?;
        Ok(true)
    }
}

/// The form of a definition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The lines of `.msg`, `.srv` and `.action` files.
    Lines,
    /// OMG IDL.
    Idl,
}

/// A text that defines a type.
struct Source {
    /// The file, in the form that errors show.
    file: String,
    text: String,
    form: Form,
}

impl Source {
    fn add_to(
        &self,
        interfaces: &mut Interfaces,
        name: TypeName,
        kind: SourceKind,
    ) -> Result<(), CatalogError> {
        match self.form {
            Form::Lines => interfaces.add_file(name, kind, &self.file, &self.text)?,
            Form::Idl => interfaces.add_idl(name, kind, &self.file, &self.text)?,
        }
        Ok(())
    }
}

/// Returns the kind of a definition.
fn kind_of(name: &TypeName) -> Option<SourceKind> {
    KINDS.into_iter().find(|kind| kind.extension() == name.kind)
}

/// Returns the folder of the user's own packages of interfaces, which [`Catalog::from_environment`] searches too:
/// `saltus/interfaces` in `XDG_DATA_HOME`, or in `~/.local/share`. Returns `None` if neither variable is set.
pub fn user_folder() -> Option<PathBuf> {
    let folder = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = folder("XDG_DATA_HOME").or_else(|| Some(folder("HOME")?.join(".local/share")))?;
    Some(data.join("saltus/interfaces"))
}

/// Returns the name of the definition that defines a type: `AddTwoInts` for `AddTwoInts_Request`.
pub fn source_of(name: &TypeName) -> TypeName {
    let source = name.name.split('_').next().unwrap_or(&name.name);
    TypeName { name: source.into(), ..name.clone() }
}

/// Returns the bundled definition with this name.
pub fn bundled_definition(name: &TypeName) -> Option<&'static Definition> {
    DEFINITIONS.iter().find(|d| (d.package, d.kind, d.name) == (&*name.package, &*name.kind, &*name.name))
}

#[cfg(test)]
mod tests;
