//! What closed senders leave behind until their receivers have read it.

use saltus_types::LossCause;

use crate::{
    chunk::ChunkPool,
    memory::Memory,
    os::mutex::Mutex,
    queue::{Queue, Tag},
};

/// The chunks and queues of a closed sender, or a queue of one that is still open.
#[derive(Debug, Default)]
pub(crate) struct Retired {
    pub(crate) pool: ChunkPool,
    pub(crate) queues: Vec<Queue>,
}

/// Everything that is retired in this process and not freed yet.
#[derive(Debug, Default)]
pub struct RetiredQueues(Mutex<Vec<Retired>>);

impl RetiredQueues {
    /// Keeps what a sender has left until nobody uses it any more.
    pub(crate) fn add(&self, mut retired: Retired, memory: &Memory) {
        retired.withdraw(memory);
        if !retired.reap(memory) {
            self.0.lock().push(retired);
        }
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.lock().is_empty()
    }

    /// Frees what nobody uses any more. Returns whether this process's records changed. Then peers must be notified,
    /// because their receivers learn from it that a sender is gone.
    pub fn reap(&self, memory: &Memory) -> bool {
        let mut all = self.0.lock();
        let changed = all.iter_mut().fold(false, |any, retired| any | retired.withdraw(memory));
        all.retain_mut(|retired| !retired.reap(memory));
        changed
    }

    /// Gives up what waits for receivers that had a tag and have gone. `is_gone` is told the process of a receiver and
    /// its number there. Whether there was anything.
    pub fn leave(&self, tag: Tag, is_gone: impl Fn(u64, u64) -> bool, memory: &Memory) -> bool {
        self.0.lock().iter_mut().fold(false, |any, retired| any | retired.leave(tag, &is_gone, memory))
    }

    /// Frees what a dead process used.
    pub fn release_process(&self, process: u64, memory: &Memory) {
        self.0.lock().iter_mut().for_each(|retired| retired.release_process(process, memory));
    }
}

impl Retired {
    /// Removes the records of queues that receivers have begun to read. That tells these receivers that the sender is
    /// gone. Returns whether there were any.
    fn withdraw(&mut self, memory: &Memory) -> bool {
        let come = self.queues.iter_mut().filter(|queue| !queue.is_awaited());
        come.fold(false, |any, queue| any | queue.withdraw(memory))
    }

    /// Frees what nobody uses any more. `true` once nothing is left.
    fn reap(&mut self, memory: &Memory) -> bool {
        for queue in std::mem::take(&mut self.queues) {
            if !queue.is_awaited() && queue.is_over() {
                queue.free(memory, LossCause::Closed);
            } else {
                self.queues.push(queue);
            }
        }
        if !self.queues.is_empty() || self.pool.is_held() {
            return false;
        }
        self.pool.dissolve(&memory.arena);
        true
    }

    fn leave(&mut self, tag: Tag, is_gone: impl Fn(u64, u64) -> bool, memory: &Memory) -> bool {
        let is_gone = |queue: &Queue| is_gone(queue.link.process, queue.serial);
        let over = |queue: &mut Queue| queue.tag == tag && is_gone(queue) && queue.is_over();
        let gone: Vec<Queue> = self.queues.extract_if(.., over).collect();
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
