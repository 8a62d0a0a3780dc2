//! CDR as ROS 2 uses it (XCDR1): owned values, checked views and in-place builders.
//!
//! A message has one form: its bytes. There are three ways to work with the bytes:
//!
//! * An **owned value** is written with [`encode`] and read with [`decode`].
//! * A **view** ([`view`]) is checked once, in one pass over the bytes. Then it borrows the fields from
//!   the bytes: strings as `&str`, sequences of numbers as slices.
//! * A **builder** writes fields in order directly into a buffer of its caller ([`Body`]), such as a
//!   chunk of shared memory.
//!
//! This crate writes little-endian and reads both byte orders. All three ways use the same bytes.
//! Offsets and alignment count from the first byte after the 4-byte encapsulation header. The code for each message
//! is generated (`saltus-codegen`) and uses the traits here. There is no `unsafe` in this crate:
//! `bytemuck` casts between bytes and numbers.
//!
//! Source: OMG CDR as in DDSI-RTPS 2.3, section 10. Where ROS 2 differs (wide strings, empty messages),
//! the comment on the code says so.

mod body;
mod element;
mod error;
mod message;
mod plain;
mod reader;
mod sequence;
mod value;
mod writer;
mod wstring;

pub use body::{Body, Buffer, BuildError, Buildable, Built, Publishable, Scratch, Target};
pub use bytemuck;
pub use element::{Element, Items};
pub use error::CdrError;
pub use message::{
    Action, Description, Message, Service, Stamped, TypeIdentity, decode, encode, encode_into, encoded_len,
    stamp, view,
};
pub use plain::{Plain, PlainRef, Seq};
pub use reader::Reader;
pub use saltus_types::TypeHash;
pub use value::Cdr;
pub use writer::{Writer, check_bound};
pub use wstring::{WStr, WString};

#[cfg(target_endian = "big")]
compile_error!("saltus-cdr borrows little-endian bytes as numbers and needs a little-endian target");

/// The encapsulation header, the first 4 bytes of every message: plain CDR, little-endian, no options.
pub const ENCAPSULATION: [u8; 4] = [0, 1, 0, 0];

/// Functions that the macros of this crate use when they expand in another crate.
#[doc(hidden)]
pub mod private {
    pub use crate::plain::{end_plain, read_plain, write_plain};
}

/// Rounds `at` up to a multiple of `align`, which must be a power of two.
const fn align_up(at: usize, align: usize) -> usize {
    (at + align - 1) & !(align - 1)
}
