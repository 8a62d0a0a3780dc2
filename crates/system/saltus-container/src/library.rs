//! Finds components in the index of packages, and loads their libraries.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use saltus_component::{Factory, LoadError, Loader, Plugin};
use saltus_node::Logger;
use saltus_package::{Language, PackagePath};

use crate::{build::Build, role::cpp_program};

/// The library or the program that contains a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ComponentSource {
    /// In a library.
    Library(PathBuf),
    /// In a package in Python.
    Python,
    /// In a library in C++, which this program runs.
    Cpp(PathBuf),
    /// In this program.
    Program,
}

/// Finds components in the index of packages, and those of this program in packages that are not installed. Loads a library when it is
/// first needed, and never unloads it.
#[derive(Debug)]
pub(crate) struct IndexLoader {
    path: PackagePath,
    build: Build,
    logger: Logger,
    loaded: BTreeSet<PathBuf>,
}

impl IndexLoader {
    /// Returns a loader for the libraries of a build in the prefixes of `path`.
    pub(crate) fn new(path: PackagePath, build: Build, logger: Logger) -> Self {
        Self { path, build, logger, loaded: BTreeSet::new() }
    }

    /// Returns the source of a component.
    pub(crate) fn find(&self, package: &str, plugin: &str) -> Result<ComponentSource, LoadError> {
        let Some(prefix) = self.path.find(package) else {
            return match Plugin::find(package, plugin) {
                Some(_) => Ok(ComponentSource::Program),
                None if Plugin::all().any(|other| other.package() == package) => {
                    Err(LoadError::UnknownPlugin)
                }
                None => Err(LoadError::UnknownPackage),
            };
        };
        let entries = prefix.components(package).map_err(|error| {
            saltus_node::error!(self.logger, "{error}");
            LoadError::InvalidEntry
        })?;
        let entries = entries.ok_or(LoadError::UnknownPackage)?;
        let entry = entries.into_iter().find(|entry| entry.plugin == plugin);
        let entry = entry.ok_or(LoadError::UnknownPlugin)?;
        Ok(match entry.language {
            Language::Python => ComponentSource::Python,
            Language::Cpp => ComponentSource::Cpp(cpp_program(&self.path).ok_or_else(|| {
                LoadError::Library(
                    "the package rclcpp_components of Saltus is not in AMENT_PREFIX_PATH".into(),
                )
            })?),
            Language::Rust => ComponentSource::Library(prefix.path().join(entry.library)),
        })
    }

    /// Loads a library, if it is not loaded yet.
    fn open(&mut self, library: &Path) -> Result<(), LoadError> {
        if !self.loaded.contains(library) {
            saltus_node::info!(self.logger, "Load Library: {}", library.display());
            load(library, &self.build).map_err(LoadError::Library)?;
            self.loaded.insert(library.into());
        }
        Ok(())
    }
}

impl Loader for IndexLoader {
    fn factory(&mut self, package: &str, plugin: &str) -> Result<Factory, LoadError> {
        match self.find(package, plugin)? {
            ComponentSource::Library(library) => self.open(&library)?,
            ComponentSource::Program => {}
            ComponentSource::Python => {
                return Err(LoadError::Library(format!(
                    "{plugin} is a Python class; use `saltus container` with --python or --crash-isolated"
                )));
            }
            ComponentSource::Cpp(_) => {
                return Err(LoadError::Library(format!(
                    "{plugin} is in C++; use `saltus container` with --cpp or --crash-isolated"
                )));
            }
        }
        Plugin::find(package, plugin).map(Plugin::factory).ok_or(LoadError::UnknownPlugin)
    }
}

/// Loads a library for the rest of the process. Its components are registered when this returns.
pub(crate) fn load(library: &Path, build: &Build) -> Result<(), String> {
    build.check(library)?;
    // SAFETY: loading runs the initializers of the library. The library was linked with this build of Saltus, so its
    // initializers only register components. The user has put it into the index, and trusts it like any program.
    let loaded = unsafe { libloading::os::unix::Library::new(library) };
    let loaded = loaded.map_err(|error| error.to_string())?;
    // Code of the library may run as long as the process: in threads, in destructors and in the callbacks of messages.
    std::mem::forget(loaded);
    Ok(())
}
