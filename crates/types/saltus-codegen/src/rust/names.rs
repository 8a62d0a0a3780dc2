//! The Rust names of types and fields.

use std::collections::BTreeMap;

use saltus_idl::{Base, FieldType, Primitive, Shape, TypeName};

/// The keywords of Rust that can be used as a name with `r#`.
const KEYWORDS: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait",
    "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Returns the Rust name of a field. A keyword gets the prefix `r#`. The names `self`, `super` and `crate`, which can't
/// have this prefix, get an underscore at the end. So do the names of local variables in generated functions.
pub(super) fn field_name(name: &str) -> String {
    match name {
        "self" | "super" | "crate" | "reader" | "writer" => format!("{name}_"),
        name if KEYWORDS.contains(&name) => format!("r#{name}"),
        name => name.into(),
    }
}

/// Returns the Rust module of a package.
pub(super) fn module_name(package: &str) -> String {
    if KEYWORDS.contains(&package) { format!("r#{package}") } else { package.into() }
}

/// The crates that the generated text refers to.
#[derive(Clone, Copy, Debug)]
pub struct RustPaths<'a> {
    /// The path of the crate `saltus-cdr`, such as `::saltus::cdr`.
    pub cdr: &'a str,
    /// The types that another crate has generated. The key is the full name of a type, and the value is the path of the
    /// module that has its package, such as `::saltus::msgs`.
    pub external: &'a BTreeMap<String, String>,
}

impl RustPaths<'_> {
    /// Whether the generated text defines a type.
    pub(super) fn defines(&self, name: &TypeName) -> bool {
        !self.external.contains_key(&name.to_string())
    }

    /// Returns the path of a message, relative to a module such as `std_msgs::msg`.
    pub(super) fn message(&self, name: &TypeName) -> String {
        let root = self.external.get(&name.to_string()).map_or("super::super", String::as_str);
        format!("{root}::{}::{}::{}", module_name(&name.package), name.kind, name.name)
    }

    /// Returns the Rust type of an element of a field.
    pub(super) fn element(&self, base: &Base) -> String {
        match base {
            Base::Primitive(primitive) => rust_primitive(*primitive).into(),
            Base::String(_) => "::std::string::String".into(),
            Base::WString(_) => "saltus_cdr::WString".into(),
            Base::Nested(name) => self.message(name),
        }
    }

    /// Returns the Rust type of a field.
    pub(super) fn field(&self, ty: &FieldType) -> String {
        let one = self.element(&ty.base);
        match ty.shape {
            Shape::Scalar => one,
            Shape::Array(n) => format!("[{one}; {n}]"),
            Shape::Bounded(_) | Shape::Unbounded => format!("::std::vec::Vec<{one}>"),
        }
    }
}

/// Returns the Rust type of a primitive.
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
