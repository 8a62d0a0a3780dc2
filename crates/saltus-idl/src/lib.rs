//! ROS 2 interface definitions: from the text of `.msg`, `.srv` and `.action` files to a resolved
//! model, its type description and its RIHS01 hash.
//!
//! Pure: text comes in as strings, so that the same code serves a build script, a command line and
//! untrusted definitions that arrive over the network. Nothing here panics on bad input.
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
//! The grammar is that of `rosidl_adapter`, including its surprises: a `#` cuts the line even between
//! quotes, an `=` in a default makes the line a constant, and a section mark is exactly `---`.

mod describe;
mod description;
mod error;
mod implied;
mod interfaces;
mod literal;
mod model;
mod names;
mod parse;

pub use describe::{individual_json, type_id};
pub use description::DescriptionError;
pub use error::ParseError;
pub use interfaces::{Interfaces, ResolveError, SourceKind};
pub use model::{
    Action, Base, Constant, Field, FieldType, Literal, Message, Place, Primitive, Service, Shape, TypeName,
};
pub use saltus_types::TypeHash;
