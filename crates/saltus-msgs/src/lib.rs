//! The bundled ROS 2 interfaces as Rust types: `saltus_msgs::<package>::<kind>::<Name>`.
//!
//! Everything below is generated from `interfaces/` by `cargo xtask codegen`. For each message
//! there is the owned struct, its view (`…View`, or the struct itself where it is plain) and its
//! in-place builder (`…Builder`).
//!
//! A builder whose fields are in order compiles:
//! ```
//! use saltus_cdr::{Body, Buildable, Scratch};
//! use saltus_msgs::std_msgs::msg::Header;
//! let builder = Header::build_in(Body::new(Scratch::default()));
//! let _ = builder.stamp(Default::default()).frame_id("map");
//! ```
//! one that forgets a field does not, nor does one that doubles it:
//! ```compile_fail,E0599
//! # use saltus_cdr::{Body, Buildable, Scratch};
//! # use saltus_msgs::std_msgs::msg::Header;
//! # let builder = Header::build_in(Body::new(Scratch::default()));
//! let _ = builder.frame_id("map");
//! ```
//! ```compile_fail,E0599
//! # use saltus_cdr::{Body, Buildable, Scratch};
//! # use saltus_msgs::std_msgs::msg::Header;
//! # let builder = Header::build_in(Body::new(Scratch::default()));
//! let _ = builder.stamp(Default::default()).stamp(Default::default());
//! ```

#![expect(non_camel_case_types, reason = "implied types are named as in ROS 2: AddTwoInts_Request")]

#[rustfmt::skip]
#[expect(clippy::derivable_impls, clippy::let_and_return, reason = "one shape of text for every message")]
mod generated;

mod time;

pub use generated::*;
pub use time::NegativeDuration;
