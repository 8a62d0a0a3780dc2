//! What processes say of themselves: their entries, in records that all can read.

mod view;

use std::sync::Arc;

use saltus_graph::Entry;
use saltus_memory::{arena::MemoryError, memory::Memory, records::RecordId};

pub(crate) use view::{RegistryView, description, entries};

/// Says something of this process, for all to read.
///
/// # Errors
/// If there is no memory for it.
pub(crate) fn add(memory: &Arc<Memory>, entry: &Entry) -> Result<RecordId, MemoryError> {
    memory.records.lock().add(&entry.to_bytes())
}

#[cfg(test)]
mod tests;
