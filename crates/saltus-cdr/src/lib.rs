//! CDR as ROS 2 uses it (XCDR1): owned values, checked views and in-place builders.
//!
//! A message has one form, its bytes, and three ways to meet them:
//!
//! * an **owned value** is written with [`encode`] and read with [`decode`];
//! * a **view** ([`view`]) is checked once, in one pass over the bytes, and then hands out fields
//!   where they lie: strings as `&str`, sequences of numbers as slices;
//! * a **builder** writes fields in order straight into a buffer that somebody else owns
//!   ([`Body`]), such as a chunk of shared memory.
//!
//! Little-endian is written, both are read. All three agree byte for byte; alignment counts from
//! the first byte behind the 4-byte encapsulation header. The code that knows single messages is
//! generated (`saltus-codegen`) and leans on the traits here. There is no `unsafe` in this room:
//! the casts between bytes and numbers are `bytemuck`'s.
//!
//! Source: OMG CDR as in DDSI-RTPS 2.3, section 10; what ROS 2 does differently (wide strings,
//! empty messages) is said where it matters.

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
    Action, Description, Message, Service, TypeIdentity, decode, encode, encode_into, encoded_len, view,
};
pub use plain::{Plain, PlainRef, Seq};
pub use reader::Reader;
pub use saltus_types::TypeHash;
pub use value::Cdr;
pub use writer::{Writer, check_bound};
pub use wstring::{WStr, WString};

#[cfg(target_endian = "big")]
compile_error!("saltus-cdr borrows little-endian bytes as numbers and needs a little-endian target");

/// The 4 bytes in front of every message: plain CDR, little-endian, no options.
pub const ENCAPSULATION: [u8; 4] = [0, 1, 0, 0];

/// What the macros of this crate need when they expand elsewhere.
#[doc(hidden)]
pub mod private {
    pub use crate::plain::{end_plain, read_plain, write_plain};
}

/// The next multiple of `align`, a power of two.
const fn align_up(at: usize, align: usize) -> usize {
    (at + align - 1) & !(align - 1)
}
