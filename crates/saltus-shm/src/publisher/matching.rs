//! Which subscriptions a publisher is connected to, and what each of them is owed.

use std::sync::{Arc, atomic::Ordering};

use saltus_types::{Durability, Gid, History, LossCause, Losses, QoS, Reliability};

use super::{Inner, PublisherCore};
use crate::{
    EndpointInfo, MemoryError,
    connection::{Connection, Grave, losses_of, not_mapped, slots},
    counters::MISMATCHES,
    link::Link,
    os::{clock::monotonic_nanos, segment::Mapped},
    protocol::{holders::MAX_SUBSCRIPTIONS, ring::Ring},
    registry::{ConnectionInfo, Key, RecordId, nanos},
};

impl PublisherCore {
    /// Tells how many subscriptions are connected, if that may have changed.
    pub(crate) fn notice_matched(&self) {
        // A publisher all of whose subscriptions were seen to read is left alone: it may be publishing.
        if self.awaits_reader.load(Ordering::Acquire) {
            let mut inner = self.lock();
            let (new, matched) = inner.count_matched();
            self.awaits_reader.store(matched < inner.connections.len(), Ordering::Release);
            // The lock is held, so that a thread that counts later also reports later.
            self.events.matched(new, matched);
        }
    }

    /// Notes a subscription that does not suit: what is sent from now on is lost to it.
    pub(crate) fn count_unsuited(&self, subscription: Gid, cause: LossCause) {
        let Some(mismatch) = MISMATCHES.iter().position(|other| *other == cause) else { return };
        let mut inner = self.lock();
        if inner.unsuited.iter().all(|(gid, _)| *gid != subscription) {
            inner.unsuited.push((subscription, mismatch));
        }
    }

    /// Forgets unsuitable subscriptions that have gone.
    pub(crate) fn forget_unsuited(&self, gone: impl Fn(&Gid) -> bool) {
        self.lock().unsuited.retain(|(gid, _)| !gone(gid));
    }

    /// Connects a subscription, giving it what is kept if it asks for that. `None` if it is already.
    ///
    /// The caller holds the lock of the state, so that connections come and go one at a time. Memory for the queue is
    /// asked for without the lock that a thread needs to publish.
    pub(crate) fn connect(
        &self,
        subscription: &EndpointInfo,
        link: &Arc<Link>,
    ) -> Result<Option<ConnectionInfo>, MemoryError> {
        let (holder, alive_at) = {
            let inner = self.lock();
            if inner.connections.iter().any(|c| c.info.subscription == subscription.gid) {
                return Ok(None);
            }
            (inner.vacant_holder()?, inner.sent_at.max(inner.asserted_at))
        };
        let connection = self.open_queue(subscription, link, holder, alive_at)?;
        let info = connection.info.clone();
        let mut inner = self.lock();
        inner.add(connection, &subscription.qos, &self.info.qos);
        self.awaits_reader.store(true, Ordering::Release);
        drop(inner);
        // The subscription finds its connection only now. So each message that is sent after they match is queued for it.
        match self.shared.add_connection(&info) {
            Ok(record) => self.lock().note_record(&info, record),
            Err(error) => {
                self.take_back(&info);
                return Err(error);
            }
        }
        Ok(Some(info))
    }

    /// Disconnects a subscription that never learned of its connection. It did not match, so what was queued for it is
    /// not counted as lost.
    #[cold]
    fn take_back(&self, info: &ConnectionInfo) {
        let unknown = self.lock().remove(|connection| connection.info == *info);
        for connection in unknown {
            connection.give_up_room();
            connection.lay(&self.shared, LossCause::Closed);
        }
    }

    fn open_queue(
        &self,
        subscription: &EndpointInfo,
        link: &Arc<Link>,
        holder: u32,
        alive_at: i64,
    ) -> Result<Connection, MemoryError> {
        let depth = u32::from(subscription.qos.history.depth());
        let slot_count = depth.next_power_of_two();
        let slots_block = self.shared.allocate(u64::from(slot_count) * 8)?;
        let reliable = |qos: &QoS| qos.reliability == Reliability::Reliable;
        let keep_all = subscription.qos.history == History::KeepAll
            && reliable(&subscription.qos)
            && reliable(&self.info.qos);
        let (header, ring, generation) =
            self.shared.open_ring().inspect_err(|_| self.shared.free(slots_block))?;
        let unused = header.clone();
        let opened = (|| {
            let info = ConnectionInfo {
                publisher: self.info.gid,
                subscription: subscription.gid,
                ring,
                generation,
                slots: slots_block.offset,
                slot_count,
                depth,
                holder,
                keep_all,
                lifespan: nanos(self.info.qos.lifespan),
                lease: nanos(self.info.qos.lease),
            };
            let slots = slots(&self.shared.segment, &info).ok_or_else(|| not_mapped(slots_block.len))?;
            // Whoever finds the queue finds it as it is to be.
            header.assert_alive(alive_at);
            // SAFETY: the block is this queue's alone, and mapped; nobody knows of it yet.
            Ring { header: &header, slots: unsafe { slots.as_ref() }, depth: depth.into() }.clear();
            let port = Mapped::new(&link.segment, subscription.port).ok_or_else(|| not_mapped(64))?;
            Ok(Connection {
                info,
                record: None,
                link: link.clone(),
                port,
                header,
                slots,
                slots_block,
                known_head: 0,
                was_attached: false,
                first: 0,
                key: Key::endpoint(subscription.kind, &subscription.topic),
            })
        })();
        opened.inspect_err(|_: &MemoryError| self.shared.close_ring(unused, slots_block, ring))
    }

    /// Disconnects subscriptions that have gone, or whose process has died. Whether there were any.
    pub(crate) fn disconnect(&self, gone: impl Fn(&Connection) -> bool, dead: bool) -> bool {
        let mut inner = self.lock();
        let (new, _) = inner.count_matched();
        let gone = inner.remove(gone);
        drop(inner);
        let any = !gone.is_empty();
        for mut connection in gone {
            connection.withdraw(&self.shared);
            connection.give_up_room();
            self.counters.lose_all(&self.end(connection, dead));
        }
        let inner = self.lock();
        // The lock is held, so that a thread that counts later also reports later.
        self.events.matched(new, inner.matched());
        drop(inner);
        if any {
            // One that came and went before it was noticed is no event, but calls may wait for it.
            self.events.ring();
        }
        any
    }

    /// Frees a queue, now or when its reader has detached. What was lost in it.
    fn end(&self, connection: Connection, dead: bool) -> Losses {
        let unread = if dead { LossCause::ProcessDied } else { LossCause::Closed };
        if dead || connection.is_over() {
            return connection.lay(&self.shared, unread);
        }
        // Its owner is alive and about to detach.
        let losses = losses_of(&connection.header);
        self.shared.bury(Grave { connections: vec![connection], ..Grave::default() });
        losses
    }

    /// Clears what a dead process held.
    pub(crate) fn release_process(&self, process: u64) {
        self.disconnect(|connection| connection.link.process == process, true);
        self.forget_unsuited(|gid| gid.process() == process);
        self.lock().pool.release_process(process);
    }
}

impl Inner {
    /// Sends to a subscription from now on, and gives it what is kept if it asks for that.
    fn add(&mut self, mut connection: Connection, requested: &QoS, offered: &QoS) {
        connection.first = self.sent + 1;
        let holder = connection.info.holder;
        self.pool.admit(holder, connection.link.process);
        self.holders.insert(holder);
        if requested.durability == Durability::TransientLocal {
            self.give_retained(&mut connection, requested, offered);
        }
        self.keeps_all |= connection.info.keep_all;
        self.connections.push(connection);
    }

    /// Removes connections, so that nothing more is sent to them, and returns them.
    fn remove(&mut self, gone: impl Fn(&Connection) -> bool) -> Vec<Connection> {
        let gone: Vec<Connection> = self.connections.extract_if(.., |connection| gone(connection)).collect();
        self.keeps_all = self.connections.iter().any(|connection| connection.info.keep_all);
        gone.iter().for_each(|connection| self.holders.remove(connection.info.holder));
        gone
    }

    /// Remembers where the registry names a connection.
    fn note_record(&mut self, info: &ConnectionInfo, record: RecordId) {
        if let Some(connection) = self.connections.iter_mut().find(|connection| connection.info == *info) {
            connection.record = Some(record);
        }
    }

    /// Queues the messages that are kept: as many as the subscription asks for. What it has no room for is no loss.
    fn give_retained(&mut self, connection: &mut Connection, requested: &QoS, offered: &QoS) {
        let surplus = self.retained.len().saturating_sub(requested.history.depth().into());
        let oldest = monotonic_nanos().saturating_sub(self.lifespan(offered));
        for index in self.retained.iter().skip(surplus).copied() {
            let sent_at = self.pool.chunk(index).header().sent_at();
            if sent_at >= oldest {
                self.pool.hold(index, connection.info.holder);
                connection.queue(&self.pool, index, sent_at);
            }
        }
    }

    /// A holder bit that no connection has and no message bears.
    fn vacant_holder(&self) -> Result<u32, MemoryError> {
        if self.pool.is_addressed() {
            return Ok(self.connections.len() as u32 % MAX_SUBSCRIPTIONS);
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

    /// How many subscriptions read.
    pub(super) fn matched(&self) -> usize {
        self.connections.iter().filter(|connection| connection.is_attached()).count()
    }

    /// How many subscriptions read that did not when this was last asked, and how many read.
    fn count_matched(&mut self) -> (u64, usize) {
        let (mut new, mut matched) = (0, 0);
        for connection in &mut self.connections {
            let is_attached = connection.is_attached();
            let was_attached = std::mem::replace(&mut connection.was_attached, is_attached);
            new += u64::from(is_attached && !was_attached);
            matched += usize::from(is_attached);
        }
        (new, matched)
    }
}
