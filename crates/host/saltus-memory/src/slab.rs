//! Shared objects whose memory is reused only for objects of the same type.
//!
//! A process may have a stale reference to a doorbell or queue of another process for a short time. The memory of a
//! doorbell is always that of a doorbell, so ringing a stale one only wakes a thread that did not have to wake.

use std::sync::Arc;

use crate::{
    arena::{Arena, MemoryError},
    os::{
        mapping::SharedType,
        segment::{Mapped, Segment},
    },
};

/// The free objects of one type.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    /// Each object with its offset in the segment.
    free: Vec<(Mapped<T>, u64)>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { free: Vec::new() }
    }
}

impl<T: SharedType> Slab<T> {
    /// Returns an object and its offset. The object is all zero, or as its last user left it.
    pub(crate) fn take(
        &mut self,
        segment: &Arc<Segment>,
        arena: &Arena,
    ) -> Result<(Mapped<T>, u64), MemoryError> {
        if let Some(reused) = self.free.pop() {
            return Ok(reused);
        }
        let len = size_of::<T>() as u64;
        let block = arena.allocate_fresh(len)?;
        let mapped = Mapped::new(segment, block.offset).ok_or_else(|| MemoryError::System {
            len,
            source: std::io::Error::other("its offset is outside the segment"),
        })?;
        Ok((mapped, block.offset))
    }

    /// Frees an object.
    pub(crate) fn free(&mut self, object: Mapped<T>, offset: u64) {
        self.free.push((object, offset));
    }
}
