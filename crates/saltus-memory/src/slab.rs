//! Shared objects that are recycled as what they are and never become anything else.
//!
//! A process may hold a stale reference to another's doorbell or queue for a moment. As long as the
//! memory stays a doorbell, ringing it wakes somebody for nothing, and that is all.

use std::sync::Arc;

use crate::{
    arena::{Arena, MemoryError},
    os::{
        mapping::Shared,
        segment::{Mapped, Segment},
    },
};

#[derive(Debug)]
pub(crate) struct Slab<T> {
    free: Vec<(Mapped<T>, u64)>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { free: Vec::new() }
    }
}

impl<T: Shared> Slab<T> {
    /// An object that is all zero, or as its last user left it; with its offset.
    pub(crate) fn take(
        &mut self,
        segment: &Arc<Segment>,
        arena: &Arena,
    ) -> Result<(Mapped<T>, u64), MemoryError> {
        if let Some(recycled) = self.free.pop() {
            return Ok(recycled);
        }
        let len = size_of::<T>() as u64;
        let block = arena.allocate_fresh(len)?;
        let mapped = Mapped::new(segment, block.offset).ok_or_else(|| MemoryError::System {
            len,
            source: std::io::Error::other("outside the segment"),
        })?;
        Ok((mapped, block.offset))
    }

    pub(crate) fn give_back(&mut self, object: Mapped<T>, offset: u64) {
        self.free.push((object, offset));
    }
}
