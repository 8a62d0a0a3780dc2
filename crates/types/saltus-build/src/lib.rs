//! A generator of Rust types from the interface definitions of a package, for build scripts.
//!
//! The definitions have the layout of ROS 2: `interfaces/<package>/{msg,srv,action}/<Name>.{msg,srv,action}`. The
//! folder may also be the root of a ROS 2 package, which has a `package.xml`. The `build.rs` generates the types:
//!
//! ```no_run
//! fn main() -> Result<(), saltus_build::Error> {
//!     saltus_build::interfaces(["interfaces"])
//! }
//! ```
//!
//! The crate, which depends on `saltus`, includes the types:
//!
//! ```text
//! mod interfaces {
//!     saltus::interfaces!();
//! }
//! use interfaces::rover_msgs::msg::Wheel;
//! ```
//!
//! Like a bundled type, a generated type has an owned struct, a view, a builder, a hash and a description. Definitions
//! may refer to bundled types and to each other.

mod error;

use std::{
    collections::BTreeMap,
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use saltus_catalog::{Catalog, DefinitionName, InterfaceFolder, bundled_definition, source_of};
use saltus_codegen::{RustPaths, generate_rust};
use saltus_idl::TypeName;

pub use error::Error;

/// The file in `OUT_DIR` that `saltus::interfaces!()` includes.
const GENERATED: &str = "saltus_interfaces.rs";

/// Generates the types of the definitions in some folders. When a file in one of these folders changes, cargo runs the
/// build script again.
///
/// # Errors
///
/// Returns an error if a definition is invalid, or if a folder has no definitions. The error for an invalid definition
/// contains its file and line.
pub fn interfaces<P: Into<PathBuf>>(folders: impl IntoIterator<Item = P>) -> Result<(), Error> {
    folders.into_iter().fold(Builder::default(), Builder::folder).build()
}

/// A builder for the types to generate. It has more options than [`interfaces`].
#[derive(Clone, Debug, Default)]
pub struct Builder {
    folders: Vec<PathBuf>,
    generated: Vec<(PathBuf, String)>,
}

impl Builder {
    /// Adds a folder whose types are generated.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folders.push(folder.into());
        self
    }

    /// Adds a folder of definitions whose types another crate has generated. Types of this crate can have fields of
    /// these types. `module` is the path of the module that contains them, such as `::my_robot_msgs`.
    ///
    /// ```no_run
    /// fn main() -> Result<(), saltus_build::Error> {
    ///     saltus_build::Builder::default()
    ///         .folder("interfaces")
    ///         .generated_by("../my_robot_msgs/interfaces", "::my_robot_msgs")
    ///         .build()
    /// }
    /// ```
    #[must_use]
    pub fn generated_by(mut self, folder: impl Into<PathBuf>, module: &str) -> Self {
        self.generated.push((folder.into(), module.into()));
        self
    }

    /// Generates the types. Tells cargo which folders to watch.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`interfaces`].
    pub fn build(&self) -> Result<(), Error> {
        let out = env::var_os("OUT_DIR").ok_or(Error::NotABuildScript)?;
        for folder in self.folders.iter().chain(self.generated.iter().map(|(folder, _)| folder)) {
            println!("cargo::rerun-if-changed={}", folder.display());
        }
        write(&Path::new(&out).join(GENERATED), &self.generate()?)
    }

    /// Returns the text of the generated file.
    fn generate(&self) -> Result<String, Error> {
        let own = open(self.folders.iter())?;
        let generated = open(self.generated.iter().map(|(folder, _)| folder))?;
        let mut catalog = Catalog::new(own.iter().chain(&generated).cloned().collect());
        let mut roots = BTreeMap::new();
        for (folder, (_, module)) in generated.iter().zip(&self.generated) {
            for listed in read(folder, &mut catalog)? {
                roots.insert(listed.full_name(), module.clone());
            }
        }
        for folder in &own {
            for listed in read(folder, &mut catalog)? {
                if !is_bundled(folder, &listed, &mut catalog)? {
                    roots.insert(listed.full_name(), String::new());
                }
            }
        }
        render(&catalog, &roots)
    }
}

fn open<'a>(folders: impl Iterator<Item = &'a PathBuf>) -> Result<Vec<InterfaceFolder>, Error> {
    folders.map(|folder| Ok(InterfaceFolder::new(folder.clone())?)).collect()
}

/// Reads all definitions of a folder, with the types that they refer to.
fn read(folder: &InterfaceFolder, catalog: &mut Catalog) -> Result<Vec<DefinitionName>, Error> {
    let all = folder.list();
    if all.is_empty() {
        return Err(Error::Empty(folder.path().into()));
    }
    for listed in &all {
        let name = TypeName::new(&listed.package, listed.kind, &listed.name);
        if source_of(&name) != name {
            // An underscore begins the part of a name that a service or an action adds to it.
            return Err(Error::Name { path: folder.file(&name).unwrap_or_default(), name: name.name });
        }
        catalog.typed(&listed.full_name())?;
    }
    Ok(all)
}

/// Whether a definition is a copy of a bundled definition. In that case the bundled type is used. Returns an error if
/// the definition has the name of a bundled definition, but other fields.
fn is_bundled(
    folder: &InterfaceFolder,
    listed: &DefinitionName,
    catalog: &mut Catalog,
) -> Result<bool, Error> {
    let name = TypeName::new(&listed.package, listed.kind, &listed.name);
    if bundled_definition(&name).is_none() {
        return Ok(false);
    }
    let full = listed.full_name();
    if catalog.typed(&full)?.hash == Catalog::new(Vec::new()).typed(&full)?.hash {
        return Ok(true);
    }
    Err(Error::Bundled { path: folder.file(&name).unwrap_or_default(), name: full })
}

/// Returns the text of the generated types. `roots` has an entry for each definition that is not bundled: an empty text
/// if its types are generated, or else the path of the module that contains its package.
fn render(catalog: &Catalog, roots: &BTreeMap<String, String>) -> Result<String, Error> {
    let bundled = "::saltus::msgs".to_owned();
    let external = catalog.interfaces().messages().filter_map(|message| {
        let root = roots.get(&source_of(&message.name).to_string()).unwrap_or(&bundled);
        (!root.is_empty()).then(|| (message.name.to_string(), root.clone()))
    });
    let paths = RustPaths { cdr: "::saltus::cdr", external: &external.collect() };
    let mut text = String::from("// Generated by saltus-build: do not edit.\n");
    for package in generate_rust(catalog.interfaces(), &paths)? {
        // Writing to a string can't fail.
        let _ = write!(
            text,
            "\n/// The interfaces of `{}`.\n\
             #[allow(non_camel_case_types, dead_code, unused_imports, clippy::all, clippy::pedantic)]\n\
             pub mod {} {{\n{}}}\n",
            package.package, package.module, package.text
        );
    }
    Ok(text)
}

/// Writes the file, unless it has that text already. Writing changes its modification time, and then cargo compiles the
/// crate again.
fn write(path: &Path, text: &str) -> Result<(), Error> {
    if fs::read_to_string(path).is_ok_and(|present| present == text) {
        return Ok(());
    }
    fs::write(path, text).map_err(|cause| Error::Write { path: path.into(), cause })
}

#[cfg(test)]
mod tests;
