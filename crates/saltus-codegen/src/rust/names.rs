//! How names of the interface language are spelled in Rust.

use saltus_idl::TypeName;

/// Words that can't be a name without `r#`.
const KEYWORDS: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait",
    "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// A field as a Rust name. `self`, `super` and `crate` can't be raw and get an underscore; so do
/// the locals of generated functions.
pub(super) fn field_name(name: &str) -> String {
    match name {
        "self" | "super" | "crate" | "reader" | "writer" => format!("{name}_"),
        name if KEYWORDS.contains(&name) => format!("r#{name}"),
        name => name.into(),
    }
}

/// A package as a Rust module.
pub(super) fn module_name(package: &str) -> String {
    if KEYWORDS.contains(&package) { format!("r#{package}") } else { package.into() }
}

/// The path of a message, as seen from a module such as `std_msgs::msg`.
pub(super) fn type_path(name: &TypeName) -> String {
    format!("super::super::{}::{}::{}", module_name(&name.package), name.kind, name.name)
}
