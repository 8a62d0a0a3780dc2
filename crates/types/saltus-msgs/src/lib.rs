//! The bundled ROS 2 interfaces as Rust types: `saltus::msgs::<package>::<kind>::<Name>`.
//!
//! `cargo xtask codegen` generates the types from `interfaces/`. For each message there is an owned struct,
//! a view (`…View`, or the struct itself if it is plain) and an in-place builder (`…Builder`).
//!
//! Code that sets every field once and in order compiles:
//! ```
//! use saltus::cdr::{Body, Buildable, Scratch};
//! use saltus::msgs::std_msgs::msg::Header;
//! let builder = Header::build_in(Body::new(Scratch::default()));
//! let _ = builder.stamp(Default::default()).frame_id("map");
//! ```
//! Code that omits a field or sets a field twice does not compile:
//! ```compile_fail,E0599
//! # use saltus::cdr::{Body, Buildable, Scratch};
//! # use saltus::msgs::std_msgs::msg::Header;
//! # let builder = Header::build_in(Body::new(Scratch::default()));
//! let _ = builder.frame_id("map");
//! ```
//! ```compile_fail,E0599
//! # use saltus::cdr::{Body, Buildable, Scratch};
//! # use saltus::msgs::std_msgs::msg::Header;
//! # let builder = Header::build_in(Body::new(Scratch::default()));
//! let _ = builder.stamp(Default::default()).stamp(Default::default());
//! ```

#![expect(non_camel_case_types, reason = "types of services are named as in ROS 2: AddTwoInts_Request")]

#[rustfmt::skip]
#[expect(clippy::let_and_return, reason = "generated code has one form for every message")]
mod generated;

mod time;

pub use generated::*;
pub use time::NegativeDuration;
