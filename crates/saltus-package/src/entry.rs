//! An entry of the index: a component, and where it is.

use std::{fmt, path::PathBuf};

/// A component of a package, as the index lists it.
///
/// It is a line of two parts, as in ROS 2: the plugin name and the library.
///
/// ```
/// # use saltus_package::Entry;
/// let entry = Entry::parse("demo::Talker;lib/saltus/0123/libdemo.so").unwrap();
/// assert_eq!(entry.plugin, "demo::Talker");
/// assert_eq!(entry.to_string(), "demo::Talker;lib/saltus/0123/libdemo.so");
/// assert!(Entry::parse("demo::Talker").is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The plugin name, such as `demo::Talker`.
    pub plugin: String,
    /// The shared library that contains the component. The path is relative to the prefix, or absolute.
    pub library: PathBuf,
}

impl Entry {
    /// Reads a line of the index. Returns `None` if it does not have two parts.
    pub fn parse(line: &str) -> Option<Self> {
        let (plugin, library) = line.split_once(';')?;
        let invalid = plugin.is_empty() || library.is_empty() || library.contains(';');
        (!invalid).then(|| Self { plugin: plugin.into(), library: library.into() })
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{};{}", self.plugin, self.library.display())
    }
}
