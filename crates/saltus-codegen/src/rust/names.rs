//! How names of the interface language are spelled in Rust.

use saltus_idl::{Base, Primitive, TypeName};

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

/// The type of an element of a field.
pub(super) fn element_type(base: &Base) -> String {
    match base {
        Base::Primitive(primitive) => rust_primitive(*primitive).into(),
        Base::String(_) => "::std::string::String".into(),
        Base::WString(_) => "saltus_cdr::WString".into(),
        Base::Nested(name) => type_path(name),
    }
}

/// A primitive type.
pub(super) fn rust_primitive(primitive: Primitive) -> &'static str {
    match primitive {
        Primitive::Bool => "bool",
        Primitive::Byte | Primitive::Char | Primitive::Uint8 => "u8",
        Primitive::Int8 => "i8",
        Primitive::Int16 => "i16",
        Primitive::Uint16 => "u16",
        Primitive::Int32 => "i32",
        Primitive::Uint32 => "u32",
        Primitive::Int64 => "i64",
        Primitive::Uint64 => "u64",
        Primitive::Float32 => "f32",
        Primitive::Float64 => "f64",
    }
}
