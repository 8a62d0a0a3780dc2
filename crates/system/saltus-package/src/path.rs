//! The prefixes of the environment.

use std::{collections::BTreeMap, env, ffi::OsString, path::PathBuf};

use crate::Prefix;

/// The environment variable with the prefixes, separated by `:`.
pub const VARIABLE: &str = "SALTUS_PREFIX_PATH";
/// The environment variable with the prefixes of ROS 2 and of workspaces that colcon has built. They come after the others.
const ROS_2_VARIABLE: &str = "AMENT_PREFIX_PATH";
/// The environment variable with the folders in which libraries are searched.
pub const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

/// The prefixes in which packages are searched. If several have a package, the first one counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackagePath(Vec<Prefix>);

impl PackagePath {
    /// Returns a search path.
    pub fn new(prefixes: Vec<Prefix>) -> Self {
        Self(prefixes)
    }

    /// Returns the search path in `SALTUS_PREFIX_PATH` and `AMENT_PREFIX_PATH`.
    pub fn from_environment() -> Self {
        let mut prefixes: Vec<Prefix> = Vec::new();
        for prefix in [VARIABLE, ROS_2_VARIABLE].into_iter().flat_map(folders_of).map(Prefix::new) {
            if !prefixes.contains(&prefix) {
                prefixes.push(prefix);
            }
        }
        Self(prefixes)
    }

    /// Returns the value of `LD_LIBRARY_PATH` with which programs in C++ find the libraries of all prefixes: what it has now, and
    /// the folders that are missing. Returns `None` if none is missing.
    pub fn library_path(&self) -> Option<OsString> {
        let mut folders: Vec<PathBuf> = folders_of(LIBRARY_PATH);
        let before = folders.len();
        for prefix in &self.0 {
            let folder = prefix.path().join("lib");
            if folder.is_dir() && !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        // A folder whose name has a `:` can't be one of the list.
        (folders.len() > before).then(|| env::join_paths(folders).ok()).flatten()
    }

    /// Returns the prefixes, in the order of the search.
    pub fn prefixes(&self) -> &[Prefix] {
        &self.0
    }

    /// Returns the prefix of a package, if the package is installed.
    pub fn find(&self, package: &str) -> Option<&Prefix> {
        self.0.iter().find(|prefix| prefix.has(package))
    }

    /// Returns the packages and their prefixes, sorted by name.
    pub fn packages(&self) -> BTreeMap<String, &Prefix> {
        let mut packages = BTreeMap::new();
        for prefix in &self.0 {
            for package in prefix.packages() {
                packages.entry(package).or_insert(prefix);
            }
        }
        packages
    }
}

fn folders_of(variable: &str) -> Vec<PathBuf> {
    let value = env::var_os(variable).unwrap_or_default();
    env::split_paths(&value).filter(|folder| !folder.as_os_str().is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_prefix_counts() {
        let folder = tempfile::tempdir().unwrap();
        let (over, under) =
            (Prefix::new(folder.path().join("over")), Prefix::new(folder.path().join("under")));
        under.register("demo", &[]).unwrap();
        under.register("base", &[]).unwrap();
        over.register("demo", &[]).unwrap();
        let path = PackagePath::new(vec![over.clone(), under.clone()]);
        assert_eq!(path.find("demo"), Some(&over));
        assert_eq!(path.find("base"), Some(&under));
        assert_eq!(path.find("other"), None);
        let all: Vec<_> = path.packages().into_iter().collect();
        assert_eq!(all, [("base".to_owned(), &under), ("demo".to_owned(), &over)]);
    }
}
