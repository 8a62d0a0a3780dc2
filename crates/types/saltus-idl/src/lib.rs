//! ROS 2 interface definitions: a parser for `.msg`, `.srv`, `.action` and `.idl` files, and the type descriptions and
//! RIHS01 hashes of the parsed types.
//!
//! This crate does no input or output: the text of a definition is a string. So a build script, a command line tool,
//! and a program that receives untrusted definitions can use the same code. It does not panic on invalid input.
//!
//! ```
//! use saltus_idl::{Interfaces, SourceKind};
//! let mut interfaces = Interfaces::default();
//! interfaces.add("demo", SourceKind::Message, "Point", "float64 x\nfloat64 y 1.5\n").unwrap();
//! let point = interfaces.message("demo/msg/Point").unwrap();
//! assert_eq!(point.fields[1].name, "y");
//! assert!(interfaces.type_hash("demo/msg/Point").unwrap().to_string().starts_with("RIHS01_"));
//! ```
//!
//! The grammar is that of `rosidl_adapter`, including its unexpected rules. A `#` begins a comment even between quotes.
//! A line with an `=` is a constant, even if the `=` is in a default. The separator of sections is a line that is
//! exactly `---`.

mod describe;
mod description;
mod difference;
mod error;
mod idl;
mod implied;
mod interfaces;
mod literal;
mod model;
mod names;
mod parse;
mod text;

pub use describe::{individual_json, type_id};
pub use description::DescriptionError;
pub use difference::Difference;
pub use error::ParseError;
pub use interfaces::{Interfaces, ResolveError};
pub use model::{
    Action, Base, Constant, Field, FieldType, Literal, Message, Primitive, Service, Shape, SourceKind,
    SourceLocation, TypeName,
};
pub use saltus_types::TypeHash;
