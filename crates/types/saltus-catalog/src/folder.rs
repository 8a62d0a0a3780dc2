//! Folders of definitions, with the layout of ROS 2.

use std::{
    fs,
    path::{Path, PathBuf},
};

use saltus_idl::{SourceKind, TypeName};

use crate::{
    definition::DefinitionName,
    error::{CatalogError, is_absence},
    manifest::{self, Manifest},
};

pub(crate) const KINDS: [SourceKind; 3] = [SourceKind::Message, SourceKind::Service, SourceKind::Action];

/// A folder of definitions.
///
/// It is a folder of packages, `<package>/{msg,srv,action}`, or the root of one package, with `package.xml` in the same
/// folder as `msg`, `srv` and `action`. A definition may also be in a folder below or beside these: the extension of its
/// file is its kind. A file may have OMG IDL, with the extension `idl`. The folder `msg`, `srv` or `action` that contains
/// it then is its kind.
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
        let package = Manifest::read(&path)?.map(|manifest| manifest.name);
        Ok(Self { path, package })
    }

    /// Returns the path that was given to [`InterfaceFolder::new`].
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the file of a definition, or `None` if the folder has no such definition.
    pub fn file(&self, name: &TypeName) -> Option<PathBuf> {
        let package = self.package(&name.package)?;
        let folder = package.join(&name.kind);
        let usual = folder.join(format!("{}.{}", name.name, name.kind));
        if !is_missing(&usual) {
            return Some(usual);
        }
        let is_wanted = |file: &File| (file.kind, &*file.name) == (&*name.kind, &*name.name);
        Some(files(&package).into_iter().find(is_wanted)?.path)
    }

    /// Returns the folder of a package. The folder may not exist. Returns `None` if this is the root of another package.
    fn package(&self, package: &str) -> Option<PathBuf> {
        match &self.package {
            Some(own) => (own == package).then(|| self.path.clone()),
            None => Some(self.path.join(package)),
        }
    }

    /// Returns the names of all definitions in the folder, sorted, each once.
    pub fn list(&self) -> Vec<DefinitionName> {
        let mut listed: Vec<DefinitionName> = match &self.package {
            Some(package) => list_package(package, &self.path),
            None => {
                // A folder `msg` that is no package belongs to a package without a manifest.
                let is_package = |name: &String| !KINDS.iter().any(|kind| kind.extension() == name);
                let packages = entries(&self.path).into_iter().filter(is_package);
                packages.flat_map(|name| list_package(&name, &self.path.join(&name))).collect()
            }
        };
        listed.sort();
        listed.dedup();
        listed
    }
}

/// A file with a definition.
struct File {
    kind: &'static str,
    name: String,
    path: PathBuf,
}

/// The extension of the files with OMG IDL.
pub(crate) const IDL: &str = "idl";

/// The number of folders below a package in which definitions are found, as in `package/vehicle/msg/versions/Wheel.msg`.
const DEPTH: usize = 3;

/// The folders below a package that other programs fill.
const SKIPPED: [&str; 5] = ["build", "install", "log", "target", "node_modules"];

/// Returns the files with definitions in the folder of a package and the folders below it. The path of a file decides
/// nothing but the kind of an `.idl` file. A file in the form of `.msg` comes before an `.idl` file.
fn files(package: &Path) -> Vec<File> {
    let mut found = Vec::new();
    collect(package, KINDS[0].extension(), DEPTH, &mut found);
    found.retain(|file| !is_missing(&file.path));
    found.sort_by(|a, b| (is_idl(&a.path), &a.path).cmp(&(is_idl(&b.path), &b.path)));
    found
}

/// Adds the files with definitions of a folder. `kind` is that of `.idl` files in it.
fn collect(folder: &Path, kind: &'static str, depth: usize, found: &mut Vec<File>) {
    for entry in entries(folder) {
        let path = folder.join(&entry);
        let kinds = KINDS.map(SourceKind::extension);
        match entry.rsplit_once('.') {
            Some((name, IDL)) => found.push(File { kind, name: name.into(), path }),
            Some((name, extension)) if kinds.contains(&extension) => {
                let kind = kinds.into_iter().find(|kind| *kind == extension).unwrap_or(kind);
                found.push(File { kind, name: name.into(), path });
            }
            _ if depth == 0 || SKIPPED.contains(&&*entry) || path.join(manifest::FILE).exists() => {}
            _ => {
                let below = kinds.into_iter().find(|kind| *kind == entry).unwrap_or(kind);
                collect(&path, below, depth - 1, found);
            }
        }
    }
}

/// Whether there is no such file. A file that may not be read is there. A pipe or a device is not.
fn is_missing(path: &Path) -> bool {
    match fs::metadata(path) {
        Ok(metadata) => !metadata.is_file(),
        Err(cause) => is_absence(&cause),
    }
}

/// Whether a file has OMG IDL.
pub(crate) fn is_idl(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == IDL)
}

fn list_package(package: &str, folder: &Path) -> Vec<DefinitionName> {
    let named = |file: File| DefinitionName { kind: file.kind, package: package.into(), name: file.name };
    files(folder).into_iter().map(named).collect()
}

/// Returns the names of the entries of a folder that are not hidden. Returns no names if it is not a folder or can't be read, because
/// folders of a search path may be missing.
fn entries(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| !name.starts_with('.')).collect()
}
