//! Folders of definitions, with the layout of ROS 2.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use saltus_idl::{SourceKind, TypeName};

use crate::{definition::DefinitionName, error::CatalogError};

pub(crate) const KINDS: [SourceKind; 3] = [SourceKind::Message, SourceKind::Service, SourceKind::Action];

/// A folder of definitions.
///
/// It is a folder of packages, `<package>/{msg,srv,action}`, or the root of one package, with `package.xml` in the same
/// folder as `msg`, `srv` and `action`.
#[derive(Clone, Debug)]
pub struct InterfaceFolder {
    path: PathBuf,
    /// The name of the package, if the folder is the root of a package.
    package: Option<String>,
}

impl InterfaceFolder {
    /// Creates a folder and checks whether it is the root of a package. A folder that does not exist has no
    /// definitions.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder has a `package.xml` that can't be read, or that has no `<name>`.
    pub fn new(path: PathBuf) -> Result<Self, CatalogError> {
        let manifest = path.join("package.xml");
        let package = match fs::read(&manifest) {
            Ok(bytes) => {
                let text = saltus_xml::repaired(&saltus_xml::decoded(bytes));
                Some(package_name(&text).map_err(|why| invalid(manifest, why))?)
            }
            Err(cause) if matches!(cause.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                None
            }
            Err(cause) => return Err(CatalogError::File { path: manifest, cause }),
        };
        Ok(Self { path, package })
    }

    /// Returns the path that was given to [`InterfaceFolder::new`].
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the file that a definition has in this folder. The file may not exist. Returns `None` if the
    /// folder is the root of another package.
    pub fn file(&self, name: &TypeName) -> Option<PathBuf> {
        let package = match &self.package {
            Some(package) if *package == name.package => self.path.clone(),
            Some(_) => return None,
            None => self.path.join(&name.package),
        };
        Some(package.join(&name.kind).join(format!("{}.{}", name.name, name.kind)))
    }

    /// Returns the names of all definitions in the folder, sorted.
    pub fn list(&self) -> Vec<DefinitionName> {
        let mut listed = match &self.package {
            Some(package) => list_package(package, &self.path),
            None => {
                let packages = names(&self.path).into_iter();
                packages.flat_map(|name| list_package(&name, &self.path.join(&name))).collect()
            }
        };
        listed.sort();
        listed
    }
}

fn list_package(package: &str, folder: &Path) -> Vec<DefinitionName> {
    let mut listed = Vec::new();
    for kind in KINDS.map(SourceKind::extension) {
        for file in names(&folder.join(kind)) {
            if let Some(name) = file.strip_suffix(&format!(".{kind}")) {
                listed.push(DefinitionName { kind, package: package.into(), name: name.into() });
            }
        }
    }
    listed
}

/// Returns the names of the entries of a folder. Returns no names if the folder can't be read, because folders of a
/// search path may be missing.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
}

/// Returns the name in the manifest of a package (REP 149).
fn package_name(text: &str) -> Result<String, String> {
    let manifest = roxmltree::Document::parse(text).map_err(|error| error.to_string())?;
    let name =
        manifest.root_element().children().find(|node| node.is_element() && saltus_xml::tag(*node) == "name");
    let name = name.and_then(|node| node.text()).map(str::trim).filter(|name| !name.is_empty());
    name.map(str::to_owned).ok_or_else(|| "the package has no <name>".into())
}

fn invalid(path: PathBuf, why: String) -> CatalogError {
    CatalogError::File { path, cause: io::Error::new(io::ErrorKind::InvalidData, why) }
}
