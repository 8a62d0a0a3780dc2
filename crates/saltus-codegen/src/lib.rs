//! From the model of an interface to the text of a programming language: Rust so far.
//!
//! Pure: takes a model, returns text. The caller decides where the text goes (`xtask codegen` for
//! the bundled interfaces), so the same code can serve a build script of a user's own package.

mod layout;
mod rust;

pub use layout::PlainLayout;
pub use rust::{RustFile, generate_rust};
