//! The bundled ROS 2 interfaces as Rust types: `saltus_msgs::<package>::<kind>::<Name>`.
//!
//! Everything below is generated from `interfaces/` by `cargo xtask codegen`. For each message
//! there is the owned struct, its view (`…View`, or the struct itself where it is plain) and its
//! in-place builder (`…Builder`).

#![expect(non_camel_case_types, reason = "implied types are named as in ROS 2: AddTwoInts_Request")]

#[rustfmt::skip]
#[expect(clippy::derivable_impls, clippy::let_and_return, reason = "one shape of text for every message")]
mod generated;

pub use generated::*;
