//! Which receivers a sender is connected to, and what each of them is given.

use std::sync::{Arc, atomic::Ordering};

use saltus_types::{Gid, LossCause, Losses};

use super::{Inner, Sender};
use crate::{
    arena::MemoryError,
    link::Link,
    os::{clock::monotonic_nanos, segment::Mapped},
    protocol::{holders::MAX_SUBSCRIPTIONS, ring::Ring},
    queue::{Queue, QueueInfo, Tag, losses_of, not_mapped, slots},
    records::RecordId,
    retired::Retired,
};

/// A receiver and the queue that it is to get.
#[derive(Clone, Copy, Debug)]
pub struct QueueSpec {
    /// Whom it is for.
    pub receiver: Gid,
    /// Its number in its process.
    pub serial: u64,
    /// Where the receiver's port lies in its process's segment.
    pub port: u64,
    /// What the record of the receiver is found by.
    pub tag: Tag,
    /// How many messages it holds at most, at least 1.
    pub depth: u32,
    /// Whether the sender waits for room in it.
    pub keep_all: bool,
    /// How many of the messages that the sender has kept it is given, at most.
    pub given: usize,
    /// How long a message is worth taking, in nanoseconds; 0 is for ever.
    pub lifespan: u64,
    /// How long the sender counts as alive after it last showed so, in nanoseconds; 0 is for ever.
    pub lease: u64,
}

impl Sender {
    /// Calls back with how many receivers read that did not when this was last called, and with how many read, if that
    /// may have changed. The sender is locked, so that calls come in order.
    pub fn notice_matched(&self, tell: impl FnOnce(u64, usize)) {
        // A sender all of whose receivers were seen to read is left alone: it may be sending.
        if self.awaits_reader.load(Ordering::Acquire) {
            let mut inner = self.lock();
            let (new, matched) = inner.count_matched();
            self.awaits_reader.store(matched < inner.queues.len(), Ordering::Release);
            tell(new, matched);
        }
    }

    /// Connects a receiver of a process. `announce` tells others of the queue, by a record.
    ///
    /// One thread at a time connects and disconnects. Memory for the queue is asked for without the lock that a thread
    /// needs to send.
    ///
    /// # Errors
    /// If there is no memory for the queue or its record, or if it has too many receivers.
    pub fn connect(
        &self,
        spec: &QueueSpec,
        link: &Arc<Link>,
        announce: impl FnOnce(&QueueInfo) -> Result<RecordId, MemoryError>,
    ) -> Result<QueueInfo, MemoryError> {
        let (holder, alive_at) = {
            let inner = self.lock();
            (inner.vacant_holder()?, inner.sent_at.max(inner.asserted_at))
        };
        let queue = self.open_queue(spec, link, holder, alive_at)?;
        let info = queue.info;
        let mut inner = self.lock();
        inner.add(queue, spec.given, self.options.lifespan);
        self.awaits_reader.store(true, Ordering::Release);
        drop(inner);
        // The receiver finds its queue only now. So each message that is sent after they match is queued for it.
        match announce(&info) {
            Ok(record) => self.lock().note_record(&info, record),
            Err(error) => {
                self.take_back(&info);
                return Err(error);
            }
        }
        Ok(info)
    }

    /// Disconnects a receiver that never learned of its queue. It did not match, so what was queued for it is not
    /// counted as lost.
    #[cold]
    fn take_back(&self, info: &QueueInfo) {
        let unknown = self.lock().remove(|queue| queue.info == *info);
        for queue in unknown {
            queue.give_up_room();
            queue.free(&self.memory, LossCause::Closed);
        }
    }

    fn open_queue(
        &self,
        spec: &QueueSpec,
        link: &Arc<Link>,
        holder: u32,
        alive_at: i64,
    ) -> Result<Queue, MemoryError> {
        let memory = &self.memory;
        let slot_count = spec.depth.next_power_of_two();
        let slots_block = memory.allocate(u64::from(slot_count) * 8)?;
        let (header, ring, generation) = memory.open_ring().inspect_err(|_| memory.free(slots_block))?;
        let unused = header.clone();
        let opened = (|| {
            let info = QueueInfo {
                ring,
                generation,
                slots: slots_block.offset,
                slot_count,
                depth: spec.depth,
                holder,
                keep_all: spec.keep_all,
                lifespan: spec.lifespan,
                lease: spec.lease,
            };
            let slots = slots(&memory.segment, &info).ok_or_else(|| not_mapped(slots_block.len))?;
            // Whoever finds the queue finds it as it is to be.
            header.assert_alive(alive_at);
            // SAFETY: the block is this queue's alone, and mapped; nobody knows of it yet.
            Ring { header: &header, slots: unsafe { slots.as_ref() }, depth: spec.depth.into() }.clear();
            let port = Mapped::new(&link.segment, spec.port).ok_or_else(|| not_mapped(64))?;
            Ok(Queue {
                info,
                receiver: spec.receiver,
                serial: spec.serial,
                record: None,
                link: link.clone(),
                port,
                header,
                slots,
                slots_block,
                known_head: 0,
                was_attached: false,
                first: 0,
                tag: spec.tag,
            })
        })();
        opened.inspect_err(|_: &MemoryError| memory.close_ring(unused, slots_block, ring))
    }

    /// Disconnects receivers that have gone, or whose process has died, and calls back with how many read that did not
    /// before and how many read now. Whether there were any.
    pub fn disconnect(
        &self,
        gone: impl Fn(&Queue) -> bool,
        is_dead: bool,
        tell: impl FnOnce(u64, usize),
    ) -> bool {
        let mut inner = self.lock();
        let (new, _) = inner.count_matched();
        let gone = inner.remove(gone);
        drop(inner);
        let any = !gone.is_empty();
        for mut queue in gone {
            queue.withdraw(&self.memory);
            queue.give_up_room();
            self.counters.lose_all(&self.end(queue, is_dead));
        }
        let inner = self.lock();
        // The lock is held, so that a thread that counts later also reports later.
        tell(new, inner.matched());
        any
    }

    /// Frees a queue, now or when its receiver has detached. What was lost in it.
    fn end(&self, queue: Queue, is_dead: bool) -> Losses {
        let unread = if is_dead { LossCause::ProcessDied } else { LossCause::Closed };
        if is_dead || queue.is_over() {
            return queue.free(&self.memory, unread);
        }
        // Its owner is alive and about to detach.
        let losses = losses_of(&queue.header);
        self.retired.add(Retired { queues: vec![queue], ..Retired::default() }, &self.memory);
        losses
    }

    /// Queues a descriptor that may name nothing, as a sender whose memory is broken might.
    #[cfg(test)]
    pub(crate) fn push_raw(&self, descriptor: u64) {
        let queue = &mut self.lock().queues[0];
        let mut known_head = queue.known_head;
        assert_eq!(queue.ring().push(descriptor, 0, &mut known_head), None);
        queue.known_head = known_head;
    }

    /// Clears what a dead process held.
    pub fn release_process(&self, process: u64) {
        self.lock().pool.release_process(process);
    }
}

impl Inner {
    /// Sends to a receiver from now on, and gives it as many of the messages that are kept.
    fn add(&mut self, mut queue: Queue, given: usize, lifespan: Option<i64>) {
        queue.first = self.sent + 1;
        let holder = queue.info.holder;
        self.pool.admit(holder, queue.link.process);
        self.holders.insert(holder);
        self.give_kept(&mut queue, given, lifespan);
        self.keeps_all |= queue.info.keep_all;
        // Most have one, which needs no room for more.
        self.queues.reserve_exact(usize::from(self.queues.is_empty()));
        self.queues.push(queue);
    }

    /// Removes queues, so that nothing more is sent to them, and returns them.
    fn remove(&mut self, gone: impl Fn(&Queue) -> bool) -> Vec<Queue> {
        let gone: Vec<Queue> = self.queues.extract_if(.., |queue| gone(queue)).collect();
        self.keeps_all = self.queues.iter().any(|queue| queue.info.keep_all);
        gone.iter().for_each(|queue| self.holders.remove(queue.info.holder));
        gone
    }

    /// Remembers the record of a queue.
    fn note_record(&mut self, info: &QueueInfo, record: RecordId) {
        if let Some(queue) = self.queues.iter_mut().find(|queue| queue.info == *info) {
            queue.record = Some(record);
        }
    }

    /// Queues the last messages that are kept. What the receiver has no room for is no loss.
    fn give_kept(&mut self, queue: &mut Queue, given: usize, lifespan: Option<i64>) {
        let surplus = self.kept.len().saturating_sub(given);
        let oldest = monotonic_nanos().saturating_sub(lifespan.unwrap_or(i64::MAX));
        for index in self.kept.iter().skip(surplus).copied() {
            let sent_at = self.pool.chunk(index).header().sent_at();
            if sent_at >= oldest {
                self.pool.hold(index, queue.info.holder);
                queue.push(&self.pool, index, sent_at);
            }
        }
    }

    /// A holder bit that no queue has and no message bears.
    fn vacant_holder(&self) -> Result<u32, MemoryError> {
        if self.pool.is_addressed() {
            return Ok(self.queues.len() as u32 % MAX_SUBSCRIPTIONS);
        }
        (0..MAX_SUBSCRIPTIONS)
            .find(|holder| !self.holders.contains(*holder) && !self.pool.is_held_by(*holder))
            .ok_or_else(|| MemoryError::System {
                len: 0,
                source: std::io::Error::other(format!(
                    "a publisher serves at most {MAX_SUBSCRIPTIONS} subscriptions"
                )),
            })
    }

    /// How many receivers read that did not when this was last asked, and how many read.
    fn count_matched(&mut self) -> (u64, usize) {
        let (mut new, mut matched) = (0, 0);
        for queue in &mut self.queues {
            let is_attached = queue.is_attached();
            let was_attached = std::mem::replace(&mut queue.was_attached, is_attached);
            new += u64::from(is_attached && !was_attached);
            matched += usize::from(is_attached);
        }
        (new, matched)
    }
}
