//! From the model of an interface to the text of a programming language: Rust so far.
//!
//! Pure: takes a model, returns text. The caller decides where the text goes (`xtask codegen` for
//! the bundled interfaces).

mod layout;
mod rust;

pub use rust::{RustFile, RustPaths, generate_rust, generate_rust_rebuild};

/// Why a set of interfaces can't become text.
#[derive(Debug, thiserror::Error)]
pub enum CodegenError {
    /// A type refers to one that is not there, or to itself.
    #[error(transparent)]
    Resolve(#[from] saltus_idl::ResolveError),
    /// The name of a message is taken in the language.
    #[error("can't generate `{name}`: {why}")]
    Name {
        /// The message.
        name: saltus_idl::TypeName,
        /// By what.
        why: String,
    },
}
