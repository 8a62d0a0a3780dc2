//! An entry of the index: a component and its library.

use std::{fmt, path::PathBuf};

/// The text that an entry has instead of a library if the component is a Python class.
const PYTHON: &str = "python";

/// The language of a component. A container runs the components of one language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// A component of a library that was linked with Saltus.
    Rust,
    /// A Python class.
    Python,
    /// A component of a library for `rclcpp_components`.
    Cpp,
}

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
    /// The language of the component.
    pub language: Language,
}

impl Entry {
    /// Returns the entry of a Python class.
    pub fn python(plugin: impl Into<String>) -> Self {
        Self { plugin: plugin.into(), library: PYTHON.into(), language: Language::Python }
    }

    /// Reads a line of the index of Saltus. Returns `None` if it does not have two parts.
    pub fn parse(line: &str) -> Option<Self> {
        let (plugin, library) = line.split_once(';')?;
        let invalid = plugin.is_empty() || library.is_empty() || library.contains(';');
        let language = if library == PYTHON { Language::Python } else { Language::Rust };
        (!invalid).then(|| Self { plugin: plugin.into(), library: library.into(), language })
    }

    /// Reads a line of the index of `rclcpp_components`.
    pub(crate) fn parse_cpp(line: &str) -> Option<Self> {
        Self::parse(line).map(|entry| Self { language: Language::Cpp, ..entry })
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{};{}", self.plugin, self.library.display())
    }
}
