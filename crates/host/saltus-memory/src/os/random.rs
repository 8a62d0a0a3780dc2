//! Random numbers that are never used twice.

use std::io;

use rustix::rand::{GetRandomFlags, getrandom};

/// Returns a random number that nothing else has, not even a process that ended long ago. Never 0.
pub(crate) fn random_id() -> io::Result<u64> {
    let mut bytes = [0; 8];
    getrandom(&mut bytes[..], GetRandomFlags::empty())?;
    Ok(u64::from_ne_bytes(bytes).max(1))
}
