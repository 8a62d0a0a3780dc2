//! Messages of types that are known only at run time, for tools that must handle any: bytes to
//! values and back, YAML and JSON out, YAML in.
//!
//! Pure. Bytes, definitions and texts are untrusted: bad ones give errors, never a panic, and nothing is
//! allocated beyond what their size implies.
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
pub use stamps::{TimePath, stamps};
pub use to_yaml::{YamlStyle, to_yaml, yaml_float, yaml_of, yaml_text};
pub use value::{Numbers, PathError, Value};
pub use walk::{count_of, field_offsets, skip_message};
