//! The prefixes of the environment.

use std::{collections::BTreeMap, env};

use crate::Prefix;

/// The environment variable with the prefixes, separated by `:`.
pub const VARIABLE: &str = "SALTUS_PREFIX_PATH";

/// The prefixes in which packages are searched. If several have a package, the first one counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackagePath(Vec<Prefix>);

impl PackagePath {
    /// Returns a search path.
    pub fn new(prefixes: Vec<Prefix>) -> Self {
        Self(prefixes)
    }

    /// Returns the search path in `SALTUS_PREFIX_PATH`.
    pub fn from_environment() -> Self {
        let value = env::var_os(VARIABLE).unwrap_or_default();
        let folders = env::split_paths(&value).filter(|folder| !folder.as_os_str().is_empty());
        Self(folders.map(Prefix::new).collect())
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
