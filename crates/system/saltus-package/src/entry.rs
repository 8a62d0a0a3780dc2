//! An entry of the index: a component and its library.

use std::{
    fmt,
    path::{Path, PathBuf},
};

/// The text that an entry has instead of a library if the component is a Python class.
const PYTHON: &str = "python";

/// A component of a package, as the index lists it.
///
/// As text it is a line of two parts, as in ROS 2: the plugin name and the library.
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
    /// The shared library that contains the component. The path is relative to the prefix, or absolute. It is `python` if
    /// the component is a Python class, whose plugin name is `package.module:Class`.
    pub library: PathBuf,
}

impl Entry {
    /// Returns the entry of a Python class.
    pub fn python(plugin: impl Into<String>) -> Self {
        Self { plugin: plugin.into(), library: PYTHON.into() }
    }

    /// Whether the component is a Python class.
    pub fn is_python(&self) -> bool {
        self.library == Path::new(PYTHON)
    }

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
