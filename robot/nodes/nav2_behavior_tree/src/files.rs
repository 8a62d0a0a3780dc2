//! Trees in files.

use std::{
    io,
    path::{Path, PathBuf},
};

use saltus_behavior_tree::{Factory, Included, LoadError};
use saltus_package::PackagePath;

use crate::trees::TREES;

/// The reason why a file with trees can't be loaded.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file can't be read.
    #[error("can't read {}: {error}", path.display())]
    Read {
        /// The path.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// The trees of the file are wrong.
    #[error("{file}: {error}")]
    Load {
        /// The file, or the name of the tree.
        file: String,
        /// The error.
        error: LoadError,
    },
}

/// Loads a file, or one of the trees of Nav2 by its name. A path without a file that ends with the name of such a tree stands for that
/// tree. So parameters of ROS 2 can be used without ROS 2.
///
/// # Errors
///
/// Returns an error if the file can't be read, or if its trees are wrong.
pub fn load<C: 'static>(factory: &mut Factory<C>, file: &str) -> Result<(), FileError> {
    let path = Path::new(file);
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let document = match TREES.iter().find(|(name, _)| Some(*name) == stem) {
        Some((_, text)) if !path.exists() => (*text).to_owned(),
        _ => document(path)?,
    };
    let read = &mut |included: &Included<'_>| include(path, included);
    factory.load_with(&document, read).map_err(|error| FileError::Load { file: file.to_owned(), error })
}

fn document(path: &Path) -> Result<String, FileError> {
    let bytes = nav2_map_server::read_file(path);
    bytes.map(saltus_xml::decoded).map_err(|error| FileError::Read { path: path.to_owned(), error })
}

/// Reads a file that another one includes: beside it, or in the folder `share` of a package. Returns its path and its text.
fn include(first: &Path, file: &Included<'_>) -> Result<(String, String), String> {
    let folder = match file.package {
        Some(package) => {
            let packages = PackagePath::from_environment();
            let prefix = packages.find(package).ok_or_else(|| format!("there is no package `{package}`"))?;
            prefix.share(package)
        }
        None => {
            let by = if file.by.is_empty() { first } else { Path::new(file.by) };
            by.parent().unwrap_or(Path::new("")).to_owned()
        }
    };
    let path = folder.join(file.path);
    let text = document(&path).map_err(|error| error.to_string())?;
    // The same file may have several paths.
    Ok((path.canonicalize().unwrap_or(path).display().to_string(), text))
}
