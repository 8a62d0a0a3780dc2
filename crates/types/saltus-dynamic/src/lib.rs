//! Messages of types that are known only at run time, for tools that must handle every type. This crate converts
//! messages from bytes to values and back, writes values as YAML and JSON, and reads values from YAML.
//!
//! This crate does no input or output. Bytes, definitions and texts may be untrusted. If they are invalid, the result
//! is an error and never a panic. The memory that is allocated is limited by their size.
//!
//! ```
//! use saltus_dynamic::{Schema, YamlStyle, decode, encode, from_yaml, to_yaml};
//! use saltus_idl::{Interfaces, SourceKind};
//! let mut interfaces = Interfaces::default();
//! interfaces.add("demo", SourceKind::Message, "Point", "float64 x\nstring name")?;
//! let point = Schema::of(&interfaces, "demo/msg/Point")?;
//! let value = from_yaml(&point, "{x: 1.5, name: a}")?;
//! let bytes = encode(&point, &value)?;
//! assert_eq!(to_yaml(&point, &decode(&point, &bytes)?, &YamlStyle::default()), "x: 1.5\nname: a\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod arbitrary;
mod decode;
mod encode;
mod filter;
mod flow;
mod from_yaml;
mod json;
mod python;
mod schema;
mod stamped;
mod stamps;
mod to_yaml;
mod value;
mod walk;

pub use decode::decode;
pub use encode::{EncodeError, encode};
pub use filter::{Filter, FilterError};
pub use flow::{flow_of, to_flow};
pub use from_yaml::{from_node, from_yaml};
pub use json::{json_of, to_json};
pub use python::{csv_of, python_float, to_csv, to_python};
pub use saltus_idl::{Literal, Primitive, Shape};
pub use schema::{Element, Field, MAX_FIXED_SIZE, Schema, SchemaError, Type};
pub use stamped::StampedValue;
pub use to_yaml::{YamlStyle, to_yaml, yaml_float, yaml_of, yaml_text};
pub use value::{Numbers, PathError, Value};
pub use walk::{count_of, field_offsets};
