//! The entries of processes, in records that all processes of the domain can read.

mod view;

use std::sync::Arc;

use saltus_graph::Entry;
use saltus_memory::{arena::MemoryError, memory::Memory, records::RecordId};

pub(crate) use view::{RegistryView, description, entries, entries_with_offsets};

/// Adds a record with an entry of this process.
///
/// # Errors
/// Returns an error if there is no memory for it.
pub(crate) fn add(memory: &Arc<Memory>, entry: &Entry) -> Result<RecordId, MemoryError> {
    memory.records.lock().add(&entry.to_bytes())
}

#[cfg(test)]
mod tests;
