//! The queues and chunks of closed senders. They are kept until the receivers have read and released the messages.

use saltus_types::LossCause;

use crate::{
    chunk::ChunkPool,
    memory::Memory,
    os::mutex::Mutex,
    queue::{Queue, RecordKey},
};

/// The chunks and queues of a closed sender, or one queue of an open sender whose receiver was disconnected.
#[derive(Debug, Default)]
pub(crate) struct Retired {
    pub(crate) pool: ChunkPool,
    pub(crate) queues: Vec<Queue>,
}

/// The retired queues and chunks of this process that are not freed yet.
#[derive(Debug, Default)]
pub struct RetiredQueues(Mutex<Vec<Retired>>);

impl RetiredQueues {
    /// Adds retired queues and chunks. They are freed when no receiver uses them any more.
    pub(crate) fn add(&self, mut retired: Retired, memory: &Memory) {
        retired.remove_records(memory);
        if !retired.free_unused(memory) {
            self.0.lock().push(retired);
        }
    }

    /// Whether all retired queues and chunks are freed.
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().is_empty()
    }

    /// Frees the queues and chunks that no receiver uses any more. Returns whether this process's records changed. Then
    /// peers must be notified, because their receivers learn from the records that a sender is gone.
    pub fn free_unused(&self, memory: &Memory) -> bool {
        let mut all = self.0.lock();
        let changed = all.iter_mut().fold(false, |any, retired| any | retired.remove_records(memory));
        all.retain_mut(|retired| !retired.free_unused(memory));
        changed
    }

    /// Returns whether there is a queue of a receiver whose record has this key.
    pub fn has_key(&self, key: RecordKey) -> bool {
        self.0.lock().iter().any(|retired| retired.queues.iter().any(|queue| queue.key == key))
    }

    /// Frees the queues of receivers that have gone, among the receivers whose record has this key. `is_gone` is called
    /// with the process of a receiver and its serial number there. Returns whether any queue was freed.
    pub fn free_unread(&self, key: RecordKey, is_gone: impl Fn(u64, u64) -> bool, memory: &Memory) -> bool {
        self.0.lock().iter_mut().fold(false, |any, retired| any | retired.free_unread(key, &is_gone, memory))
    }

    /// Frees the queues to the receivers of a dead process, and releases the messages that it held.
    pub fn release_process(&self, process: u64, memory: &Memory) {
        self.0.lock().iter_mut().for_each(|retired| retired.release_process(process, memory));
    }
}

impl Retired {
    /// Removes the records of queues whose receivers have attached, and of empty queues. From that their receivers
    /// learn that the sender is gone. Returns whether any record was removed.
    fn remove_records(&mut self, memory: &Memory) -> bool {
        let unneeded = self.queues.iter_mut().filter(|queue| !queue.awaits_attach());
        unneeded.fold(false, |any, queue| any | queue.remove_record(memory))
    }

    /// Frees what no receiver uses any more. Returns whether everything is freed.
    fn free_unused(&mut self, memory: &Memory) -> bool {
        for queue in std::mem::take(&mut self.queues) {
            if !queue.awaits_attach() && queue.try_close() {
                queue.free(memory, LossCause::Closed);
            } else {
                self.queues.push(queue);
            }
        }
        if !self.queues.is_empty() || self.pool.is_held() {
            return false;
        }
        self.pool.free_all(&memory.arena);
        true
    }

    fn free_unread(&mut self, key: RecordKey, is_gone: impl Fn(u64, u64) -> bool, memory: &Memory) -> bool {
        let is_gone = |queue: &Queue| is_gone(queue.link.process, queue.serial);
        let must_free = |queue: &mut Queue| queue.key == key && is_gone(queue) && queue.try_close();
        let gone: Vec<Queue> = self.queues.extract_if(.., must_free).collect();
        let any = !gone.is_empty();
        for queue in gone {
            queue.free(memory, LossCause::Closed);
        }
        any
    }

    fn release_process(&mut self, process: u64, memory: &Memory) {
        let dead: Vec<Queue> = self.queues.extract_if(.., |queue| queue.link.process == process).collect();
        for queue in dead {
            queue.free(memory, LossCause::ProcessDied);
        }
        self.pool.release_process(process);
    }
}
