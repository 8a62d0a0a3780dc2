//! Definitions and their names.

/// A bundled definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The package, such as `std_msgs`.
    pub package: &'static str,
    /// `msg`, `srv` or `action`.
    pub kind: &'static str,
    /// The name, such as `String`.
    pub name: &'static str,
    /// The text of the definition.
    pub text: &'static str,
}

/// The name of a definition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DefinitionName {
    /// `msg`, `srv` or `action`.
    pub kind: &'static str,
    /// The package, such as `std_msgs`.
    pub package: String,
    /// The name, such as `String`.
    pub name: String,
}

impl DefinitionName {
    /// Returns the full name of the type, such as `std_msgs/msg/String`.
    pub fn full_name(&self) -> String {
        format!("{}/{}/{}", self.package, self.kind, self.name)
    }
}
