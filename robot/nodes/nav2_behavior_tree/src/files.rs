//! Trees in files.

use std::path::Path;

use saltus_behavior_tree::{Factory, Included};
use saltus_package::PackagePath;

use crate::trees::TREES;

/// Loads a file, or one of the trees of Nav2 by its name. A path that leads to no file, but ends with the name of such a tree, is that
/// tree: so parameters of ROS 2 can be used without ROS 2.
///
/// # Errors
///
/// Says what is wrong with the file.
pub fn load<C: 'static>(factory: &mut Factory<C>, file: &str) -> Result<(), String> {
    let path = Path::new(file);
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let document = match TREES.iter().find(|(name, _)| Some(*name) == stem) {
        Some((_, text)) if !path.exists() => (*text).to_owned(),
        _ => document(path)?,
    };
    let read = &mut |included: &Included<'_>| include(path, included);
    factory.load_with(&document, read).map_err(|error| format!("{file}: {error}"))
}

fn document(path: &Path) -> Result<String, String> {
    let bytes = nav2_map_server::read_file(path);
    let bytes = bytes.map_err(|error| format!("can't read {}: {error}", path.display()))?;
    String::from_utf8(bytes).map_err(|_| format!("{} is not UTF-8", path.display()))
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
    let text = document(&path)?;
    // The same file may have several paths.
    Ok((path.canonicalize().unwrap_or(path).display().to_string(), text))
}
