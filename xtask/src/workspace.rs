//! The packages of the workspace, as `cargo metadata` describes them.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

/// A package of the workspace. All paths are relative to the root.
#[derive(Clone, Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) folder: String,
    /// The packages that it uses, but those of its tests: tests may use any crate.
    pub(crate) dependencies: Vec<String>,
    /// The first files of its libraries and programs, but not those of tests, examples and build scripts.
    pub(crate) targets: Vec<PathBuf>,
}

/// Returns all packages.
pub(crate) fn packages() -> Result<Vec<Package>, String> {
    let output = Command::new("cargo")
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    let metadata: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    let root = env::current_dir().map_err(|error| error.to_string())?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    Ok(packages.map(|package| read(package, &root)).collect())
}

fn read(package: &Value, root: &Path) -> Package {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let relative = |path: &Value| {
        let path = PathBuf::from(text(path));
        path.strip_prefix(root).map(Path::to_owned).unwrap_or(path)
    };
    let manifest = relative(&package["manifest_path"]);
    let folder = manifest.parent().unwrap_or(Path::new("")).display().to_string();
    let dependencies = package["dependencies"].as_array().into_iter().flatten();
    let targets = package["targets"].as_array().into_iter().flatten();
    let is_built = |target: &&Value| {
        let kind = target["kind"][0].as_str();
        !kind.is_some_and(|kind| ["bench", "custom-build", "example", "test"].contains(&kind))
    };
    Package {
        name: text(&package["name"]),
        folder,
        dependencies: dependencies
            .filter(|other| other["kind"].is_null())
            .map(|other| text(&other["name"]))
            .collect(),
        targets: targets.filter(is_built).map(|target| relative(&target["src_path"])).collect(),
    }
}

/// Adds the files below a folder with an extension. Generated files and folders of builds are left out.
pub(crate) fn collect(folder: &Path, extension: &str, files: &mut Vec<PathBuf>) -> Result<(), String> {
    for entry in fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let path = entry.map_err(|error| error.to_string())?.path();
        let skip = ["generated", "target", "build"].iter().any(|name| path.ends_with(name));
        if path.is_dir() && !skip {
            collect(&path, extension, files)?;
        } else if path.extension().is_some_and(|other| other == extension) {
            files.push(path);
        }
    }
    Ok(())
}
