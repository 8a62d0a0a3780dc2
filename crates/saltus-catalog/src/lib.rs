//! The definitions at hand: bundled ones, and those of folders that the user names.
//!
//! For whoever learns a type's name at run time only: tools, and languages that make their classes then.
//!
//! ```
//! use saltus_catalog::Catalog;
//! let mut catalog = Catalog::new(Vec::new());
//! let point = catalog.typed("geometry_msgs/msg/Point")?;
//! assert_eq!(point.schema.fields()[2].name, "z");
//! # Ok::<(), saltus_catalog::CatalogError>(())
//! ```

use std::{
    collections::BTreeSet,
    env, fs, io,
    path::{Path, PathBuf},
};

use saltus_dynamic::{Schema, SchemaError};
use saltus_idl::{Interfaces, ParseError, ResolveError, SourceKind, TypeHash, TypeName};
use saltus_msgs::{DEFINITIONS, Definition};

const KINDS: [SourceKind; 3] = [SourceKind::Message, SourceKind::Service, SourceKind::Action];

/// Why a type is not to be had.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// It is not a type's name.
    #[error("{0}")]
    Name(String),
    /// Nobody defines it, or a type that it refers to.
    #[error("unknown type `{name}`{}; put the folder of its package into SALTUS_INTERFACE_PATH", user_of(.user))]
    Unknown {
        /// The missing type.
        name: String,
        /// Where it is used.
        user: Option<String>,
    },
    /// Its definition can't be read.
    #[error("{}: {cause}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        cause: io::Error,
    },
    /// Its definition is wrong.
    #[error(transparent)]
    Definition(#[from] ParseError),
    /// Types contain themselves, or are too deep or too large.
    #[error(transparent)]
    Schema(#[from] SchemaError),
}

impl From<ResolveError> for CatalogError {
    fn from(error: ResolveError) -> Self {
        Self::Schema(error.into())
    }
}

fn user_of(user: &Option<String>) -> String {
    user.as_ref().map(|user| format!(" (used at {user})")).unwrap_or_default()
}

/// A type with everything that it refers to, and its identity in the graph.
#[derive(Clone, Debug)]
pub struct Typed {
    /// Its fields.
    pub schema: Schema,
    /// Its hash.
    pub hash: TypeHash,
    /// Its description as canonical JSON (REP 2016).
    pub description: String,
}

/// The name of a definition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    /// `msg`, `srv` or `action`.
    pub kind: &'static str,
    /// The package, such as `std_msgs`.
    pub package: String,
    /// The name, such as `String`.
    pub name: String,
}

impl Listed {
    /// The name of the type, such as `std_msgs/msg/String`.
    pub fn full_name(&self) -> String {
        format!("{}/{}/{}", self.package, self.kind, self.name)
    }
}

/// All definitions at hand. Reads those that are asked for, once.
///
/// **Invariant:** folders come first, in their order, then what is bundled; the first that has a type's file
/// wins.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    interfaces: Interfaces,
    folders: Vec<PathBuf>,
}

impl Catalog {
    /// The definitions of folders, each of which holds `<package>/{msg,srv,action}/<Name>.{msg,srv,action}`,
    /// and the bundled ones.
    pub fn new(folders: Vec<PathBuf>) -> Self {
        Self { interfaces: Interfaces::default(), folders }
    }

    /// The folders of `SALTUS_INTERFACE_PATH`, then `share/` of each prefix of `AMENT_PREFIX_PATH`, then the
    /// bundled definitions. Also those folders of the first that are not there, for a warning: nothing in them
    /// is found, which must not look like a missing definition.
    pub fn from_environment() -> (Self, Vec<PathBuf>) {
        let paths = |name: &str| env::var_os(name).map(|value| env::split_paths(&value).collect::<Vec<_>>());
        let own = paths("SALTUS_INTERFACE_PATH").unwrap_or_default();
        let missing = own.iter().filter(|folder| !folder.is_dir()).cloned().collect();
        let ament = paths("AMENT_PREFIX_PATH").unwrap_or_default();
        let shares = ament.into_iter().map(|prefix| prefix.join("share"));
        (Self::new(own.into_iter().chain(shares).collect()), missing)
    }

    /// A folder to look in before all others.
    pub fn add_folder(&mut self, folder: PathBuf) {
        self.folders.insert(0, folder);
    }

    /// Every definition there is, sorted by kind, package and name.
    pub fn list(&self) -> BTreeSet<Listed> {
        let bundled = DEFINITIONS.iter().map(|d| Listed {
            kind: d.kind,
            package: d.package.into(),
            name: d.name.into(),
        });
        self.folders.iter().flat_map(|folder| list_folder(folder)).chain(bundled).collect()
    }

    /// The text of a definition.
    pub fn text(&self, name: &TypeName) -> Result<Option<String>, CatalogError> {
        let file = format!("{}/{}/{}.{}", name.package, name.kind, name.name, name.kind);
        for path in self.folders.iter().map(|folder| folder.join(&file)) {
            match fs::read_to_string(&path) {
                Ok(text) => return Ok(Some(text)),
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
                Err(cause) => return Err(CatalogError::File { path, cause }),
            }
        }
        let same =
            |d: &&Definition| (d.package, d.kind, d.name) == (&*name.package, &*name.kind, &*name.name);
        Ok(DEFINITIONS.iter().find(same).map(|d| d.text.to_owned()))
    }

    /// The type of that name: `std_msgs/msg/String`, `std_msgs/String`, or one that a service or action implies,
    /// `example_interfaces/srv/AddTwoInts_Request`.
    pub fn typed(&mut self, name: &str) -> Result<Typed, CatalogError> {
        let name = name.parse::<TypeName>().map_err(CatalogError::Name)?.to_string();
        loop {
            match Schema::of(&self.interfaces, &name) {
                Ok(schema) => {
                    let hash = self.interfaces.type_hash(&name)?;
                    let description = self.interfaces.canonical_json(&name)?;
                    return Ok(Typed { schema, hash, description });
                }
                Err(SchemaError::Resolve(ResolveError::Unknown { name, place })) => {
                    if !self.load(&name)? {
                        let user = place.map(|place| place.to_string());
                        return Err(CatalogError::Unknown { name, user });
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// What has been read so far.
    pub fn interfaces(&self) -> &Interfaces {
        &self.interfaces
    }

    /// Reads the definition that a type comes from. Whether there is one that was not read before.
    fn load(&mut self, name: &str) -> Result<bool, CatalogError> {
        let name: TypeName = name.parse().map_err(CatalogError::Name)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with(package: &str, name: &str, text: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let messages = folder.path().join(package).join("msg");
        fs::create_dir_all(&messages).unwrap();
        fs::write(messages.join(format!("{name}.msg")), text).unwrap();
        folder
    }

    #[test]
    fn a_folder_comes_before_what_is_bundled_and_may_refer_to_it() {
        let own = folder_with("geometry_msgs", "Point", "geometry_msgs/Vector3 inner\n");
        let mut catalog = Catalog::new(vec![own.path().into()]);
        assert_eq!(catalog.typed("geometry_msgs/Point").unwrap().schema.fields()[0].name, "inner");
    }

    #[test]
    fn a_missing_type_is_named_with_its_user() {
        let own = folder_with("mine", "Pose", "mine/Nothing inner\n");
        let error = Catalog::new(vec![own.path().into()]).typed("mine/msg/Pose").unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown type `mine/msg/Nothing` (used at mine/msg/Pose.msg:1:1); \
             put the folder of its package into SALTUS_INTERFACE_PATH"
        );
    }
}
