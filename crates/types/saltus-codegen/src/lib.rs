//! A code generator for ROS 2 interfaces. It generates Rust, C++, C, and C99 for microcontrollers.
//!
//! This crate does no input or output: it takes a model and returns text. The caller writes the text to a file, as
//! `xtask codegen` does for the bundled interfaces.

mod c;
mod c99;
mod cpp;
mod files;
mod keywords;
mod layout;
mod rust;

pub use c::{c_header, generate_c};
pub use c99::{C99_LIBRARY, CFile, c99_header, generate_c99};
pub use cpp::{CppFile, cpp_header, generate_cpp};
pub use rust::{RustFile, RustPaths, generate_rust, generate_rust_rebuild};

/// Why code for a set of interfaces can't be generated.
#[derive(Debug, thiserror::Error)]
pub enum CodegenError {
    /// A type refers to an unknown type or to itself, or types are nested too deep.
    #[error(transparent)]
    Resolve(#[from] saltus_idl::ResolveError),
    /// The name of a message can't be used in the language.
    #[error("can't generate `{name}`: {why}")]
    Name {
        /// The name of the message.
        name: saltus_idl::TypeName,
        /// Why the name can't be used.
        why: String,
    },
    /// Two definitions have names that are the same in `snake_case`, in which files are named.
    #[error("`{first}` and `{second}` have the same file, {path}; give one of them another name")]
    SameFile {
        /// One of the definitions.
        first: String,
        /// The other one.
        second: String,
        /// The path of the file below the folder of generated files.
        path: String,
    },
}
