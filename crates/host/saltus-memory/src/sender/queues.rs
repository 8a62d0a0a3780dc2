//! Connecting and disconnecting receivers, and their queues.

use std::sync::{Arc, atomic::Ordering};

use saltus_types::{Gid, LossCause, Losses};

use super::{Sender, SenderState};
use crate::{
    arena::MemoryError,
    link::Link,
    os::{clock::monotonic_nanos, segment::Mapped},
    protocol::{holders::MAX_SUBSCRIPTIONS, ring::Ring},
    queue::{Queue, QueueInfo, RecordKey, losses_of, not_mapped, slots},
    records::RecordId,
    retired::Retired,
};

/// A receiver to connect, and the queue to create for it.
#[derive(Clone, Copy, Debug)]
pub struct QueueSpec {
    /// The receiver.
    pub receiver: Gid,
    /// The serial number of the receiver in its process.
    pub serial: u64,
    /// The offset of the receiver's port in the segment of its process.
    pub port: u64,
    /// The key of the receiver's record.
    pub key: RecordKey,
    /// The number of messages that the queue can hold, at least 1.
    pub depth: u32,
    /// Whether the queue keeps all: the sender waits for room in it.
    pub keep_all: bool,
    /// The largest number of the sender's kept messages that the receiver gets.
    pub max_kept: usize,
    /// The lifespan of messages in nanoseconds; 0 if it is infinite.
    pub lifespan: u64,
    /// The lease of the sender in nanoseconds; 0 if it is infinite. The sender counts as alive for this time after it
    /// has sent a message or asserted that it is alive.
    pub lease: u64,
}

impl Sender {
    /// Calls `report` if the number of attached receivers may have changed. The arguments are how many receivers have
    /// attached since the last report, and how many are attached. The sender is locked during the call, so the reports
    /// come in order.
    pub fn report_matched(&self, report: impl FnOnce(u64, usize)) {
        // If all receivers have been seen to be attached, the sender is not locked, because it may be sending.
        if self.has_unattached.load(Ordering::Acquire) {
            let mut inner = self.lock();
            let (new, matched) = inner.count_matched();
            self.has_unattached.store(matched < inner.queues.len(), Ordering::Release);
            report(new, matched);
        }
    }

    /// Connects a receiver of a process. `add_record` adds the record by which the receiver finds the queue.
    ///
    /// Only one thread at a time may connect and disconnect. The sender is not locked while memory for the queue is
    /// allocated, so other threads can send.
    ///
    /// # Errors
    /// Returns an error if there is no memory for the queue or its record, or if the sender has too many receivers.
    pub fn connect(
        &self,
        spec: &QueueSpec,
        link: &Arc<Link>,
        add_record: impl FnOnce(&QueueInfo) -> Result<RecordId, MemoryError>,
    ) -> Result<QueueInfo, MemoryError> {
        let (holder, alive_at) = {
            let inner = self.lock();
            (inner.free_holder()?, inner.sent_at.max(inner.asserted_at))
        };
        let queue = self.open_queue(spec, link, holder, alive_at)?;
        let info = queue.info;
        let mut inner = self.lock();
        inner.add(queue, spec.max_kept, self.options.lifespan);
        self.has_unattached.store(true, Ordering::Release);
        drop(inner);
        // The receiver can find its queue only from here on. So each message that is sent after it has attached is in
        // the queue.
        match add_record(&info) {
            Ok(record) => self.lock().note_record(&info, record),
            Err(error) => {
                self.undo_connect(&info);
                return Err(error);
            }
        }
        Ok(info)
    }

    /// Disconnects a receiver that could not find its queue. It never attached, so the messages in the queue do not
    /// count as lost.
    #[cold]
    fn undo_connect(&self, info: &QueueInfo) {
        let unknown = self.lock().remove(|queue| queue.info == *info);
        for queue in unknown {
            queue.wake_sender();
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
            // Everything in the queue is set before the receiver can find it.
            header.assert_alive(alive_at);
            // SAFETY: the block is mapped and belongs to this queue only. No other thread or process knows of it yet.
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
                first_sequence: 0,
                key: spec.key,
            })
        })();
        opened.inspect_err(|_: &MemoryError| memory.close_ring(unused, slots_block, ring))
    }

    /// Disconnects receivers that have gone, or whose process has died. Calls `report` with how many receivers have
    /// attached since the last report, and how many are still attached. Returns whether there were any to disconnect.
    pub fn disconnect(
        &self,
        gone: impl Fn(&Queue) -> bool,
        is_dead: bool,
        report: impl FnOnce(u64, usize),
    ) -> bool {
        let mut inner = self.lock();
        let (new, _) = inner.count_matched();
        let gone = inner.remove(gone);
        drop(inner);
        let any = !gone.is_empty();
        for mut queue in gone {
            queue.remove_record(&self.memory);
            queue.wake_sender();
            self.counters.lose_all(&self.free_or_retire(queue, is_dead));
        }
        let inner = self.lock();
        // The lock is held during the report, so that a thread that counts later also reports later.
        report(new, inner.matched());
        any
    }

    /// Frees a queue if its receiver does not use it any more. Otherwise the queue is freed later, when the receiver
    /// has detached. Returns what was lost in the queue so far.
    fn free_or_retire(&self, queue: Queue, is_dead: bool) -> Losses {
        let unread = if is_dead { LossCause::ProcessDied } else { LossCause::Closed };
        if is_dead || queue.try_close() {
            return queue.free(&self.memory, unread);
        }
        // The receiver's process is alive and will detach soon.
        let losses = losses_of(&queue.header);
        self.retired.add(Retired { queues: vec![queue], ..Retired::default() }, &self.memory);
        losses
    }

    /// Queues a descriptor that may be invalid, as a sender with corrupt memory would.
    #[cfg(test)]
    pub(crate) fn push_raw(&self, descriptor: u64) {
        let queue = &mut self.lock().queues[0];
        let mut known_head = queue.known_head;
        assert_eq!(queue.ring().push(descriptor, 0, &mut known_head), None);
        queue.known_head = known_head;
    }

    /// Releases the messages that a dead process held.
    pub fn release_process(&self, process: u64) {
        self.lock().pool.release_process(process);
    }
}

impl SenderState {
    /// Adds a queue, in which messages are queued from now on. Queues at most `max_kept` of the kept messages at once.
    fn add(&mut self, mut queue: Queue, max_kept: usize, lifespan: Option<i64>) {
        queue.first_sequence = self.sent + 1;
        let holder = queue.info.holder;
        self.pool.assign_holder(holder, queue.link.process);
        self.holders.insert(holder);
        self.queue_kept(&mut queue, max_kept, lifespan);
        self.keeps_all |= queue.info.keep_all;
        // Most senders have one queue. An exact reservation does not waste memory for more.
        self.queues.reserve_exact(usize::from(self.queues.is_empty()));
        self.queues.push(queue);
    }

    /// Removes and returns queues. No more messages are queued in them.
    fn remove(&mut self, gone: impl Fn(&Queue) -> bool) -> Vec<Queue> {
        let gone: Vec<Queue> = self.queues.extract_if(.., |queue| gone(queue)).collect();
        self.keeps_all = self.queues.iter().any(|queue| queue.info.keep_all);
        gone.iter().for_each(|queue| self.holders.remove(queue.info.holder));
        gone
    }

    /// Sets the record of a queue.
    fn note_record(&mut self, info: &QueueInfo, record: RecordId) {
        if let Some(queue) = self.queues.iter_mut().find(|queue| queue.info == *info) {
            queue.record = Some(record);
        }
    }

    /// Queues the newest `max_kept` of the kept messages, without those whose lifespan has expired. The older kept
    /// messages do not count as lost.
    fn queue_kept(&mut self, queue: &mut Queue, max_kept: usize, lifespan: Option<i64>) {
        let surplus = self.kept.len().saturating_sub(max_kept);
        let oldest = monotonic_nanos().saturating_sub(lifespan.unwrap_or(i64::MAX));
        for index in self.kept.iter().skip(surplus).copied() {
            let sent_at = self.pool.chunk(index).header().sent_at();
            if sent_at >= oldest {
                self.pool.add_holder(index, queue.info.holder);
                queue.push(&self.pool, index, sent_at);
            }
        }
    }

    /// Returns a holder bit that no queue has and that is set in no message.
    fn free_holder(&self) -> Result<u32, MemoryError> {
        if self.pool.is_unicast() {
            return Ok(self.queues.len() as u32 % MAX_SUBSCRIPTIONS);
        }
        (0..MAX_SUBSCRIPTIONS)
            .find(|holder| !self.holders.contains(*holder) && !self.pool.is_held_by(*holder))
            .ok_or(MemoryError::TooManySubscriptions { max: MAX_SUBSCRIPTIONS })
    }

    /// Returns how many receivers have attached since the last call, and how many are attached.
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
