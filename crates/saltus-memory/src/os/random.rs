//! Numbers that nobody else has.

use std::io;

use rustix::rand::{GetRandomFlags, getrandom};

/// A number that nobody else has, not even somebody who is long dead. Never 0.
pub fn random_id() -> io::Result<u64> {
    let mut bytes = [0; 8];
    getrandom(&mut bytes[..], GetRandomFlags::empty())?;
    Ok(u64::from_ne_bytes(bytes).max(1))
}
