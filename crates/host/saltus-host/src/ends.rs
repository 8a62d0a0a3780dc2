//! The endpoints of this process. Each is a sender or a receiver with its deadline, lease and events.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use saltus_graph::{
    Activity, Channel, DeadlineWatch, Due, EndpointEvents, EndpointInfo, Mismatch, PublisherWatch,
    check_lease, nanos,
};
use saltus_memory::{
    counters::{EndpointCounters, MISMATCHES},
    memory::Memory,
    os::{clock::monotonic_nanos, mutex::Mutex, segment::Mapped},
    protocol::port::Port,
    receiver::Receiver,
    records::RecordId,
    retired::RetiredQueues,
    sender::{Sender, SenderOptions, SenderTimes},
};
use saltus_types::{Durability, History, LossCause, Losses};

use crate::events::Events;

/// A publisher of this process.
#[derive(Debug)]
pub(crate) struct PublisherEnd {
    pub(crate) info: Arc<EndpointInfo>,
    pub(crate) record: RecordId,
    pub(crate) sender: Arc<Sender>,
    pub(crate) events: Arc<Events>,
    /// Its deadline and lease, if it has one of them.
    watch: Option<Arc<Mutex<PublisherWatch>>>,
    /// The number of subscriptions that are incompatible with it, by each cause of [`MISMATCHES`].
    mismatched: Mutex<[u64; MISMATCHES.len()]>,
}

impl PublisherEnd {
    pub(crate) fn new(
        info: EndpointInfo,
        record: RecordId,
        memory: &Arc<Memory>,
        retired: &Arc<RetiredQueues>,
        counters: Mapped<EndpointCounters>,
    ) -> Self {
        let events = Arc::<Events>::default();
        let watch = PublisherWatch::new(&info.qos).map(|watch| Arc::new(Mutex::new(watch)));
        let is_kept = info.qos.durability == Durability::TransientLocal;
        let lifespan = nanos(info.qos.lifespan);
        let before_send = watch.clone().map(|watch| -> Box<dyn Fn(SenderTimes) + Send + Sync> {
            let events = events.clone();
            Box::new(move |times| _ = check_times(&watch, &events, times))
        });
        let options = SenderOptions {
            kept: if is_kept { info.qos.history.depth().into() } else { 0 },
            lifespan: (lifespan > 0).then_some(lifespan as i64),
            max_wait: History::MAX_BLOCKING,
            is_unicast: info.channel() == Channel::Response,
            before_send,
        };
        let sender = Sender::new(info.gid, memory.clone(), retired.clone(), counters, options);
        Self {
            info: Arc::new(info),
            record,
            sender: Arc::new(sender),
            events,
            watch,
            mismatched: Mutex::default(),
        }
    }

    /// Returns whether it has a deadline or a lease.
    pub(crate) fn is_timed(&self) -> bool {
        self.watch.is_some()
    }

    /// Notes how many subscriptions are connected, if that may have changed.
    pub(crate) fn note_matched(&self) {
        self.sender.report_matched(|new, matched| self.events.note(|events| events.matched(new, matched)));
    }

    /// Ends the connections with a subscription that has gone. Returns whether there were any.
    pub(crate) fn disconnect(&self, process: u64, serial: u64, is_dead: bool) -> bool {
        let any = self.sender.disconnect(
            |queue| (queue.link.process, queue.serial) == (process, serial),
            is_dead,
            |new, matched| self.events.note(|events| events.matched(new, matched)),
        );
        if any {
            // If the subscription was never noted as connected, there is no event. But service calls may wait for its
            // end.
            self.events.ring();
        }
        any
    }

    /// Notes an incompatible subscription that was found. Messages that are sent from now on count as lost to it.
    pub(crate) fn add_mismatch(&self, mismatch: Mismatch) {
        self.count_mismatches(mismatch.loss_cause(), |count| count + 1);
        self.events.note(|events| events.mismatch(mismatch));
    }

    /// Removes an incompatible subscription that has gone.
    pub(crate) fn remove_mismatch(&self, cause: LossCause) {
        self.count_mismatches(cause, |count| count.saturating_sub(1));
    }

    fn count_mismatches(&self, cause: LossCause, change: impl FnOnce(u64) -> u64) {
        let mut counts = self.mismatched.lock();
        let of_cause = counts.iter_mut().zip(MISMATCHES).find(|(_, other)| *other == cause);
        if let Some((count, _)) = of_cause {
            *count = change(*count);
        }
        self.sender.set_mismatched(*counts);
    }

    /// Checks whether a deadline was missed or the lease has expired. Returns when to check again.
    pub(crate) fn monitor(&self, now: i64) -> Due {
        let Some(watch) = &self.watch else { return Due::NEVER };
        // `None`: another thread is publishing. It counts the missed deadlines.
        let Some(times) = self.sender.try_times(now) else { return Due::at(now) };
        let (due, must_assert) = check_times(watch, &self.events, times);
        if must_assert {
            self.sender.assert_alive();
        }
        due
    }
}

/// Notes the event of a missed deadline or an expired lease. Returns when to check again, and whether the process must
/// renew the lease.
fn check_times(watch: &Mutex<PublisherWatch>, events: &Events, times: SenderTimes) -> (Due, bool) {
    let SenderTimes { now, sent_at, asserted_at, is_matched } = times;
    let found = watch.lock().check(Activity { sent_at, asserted_at, is_matched }, now);
    if found.missed > 0 {
        events.note(|events| events.deadline_missed(found.missed));
    }
    if found.is_lost {
        events.note(EndpointEvents::liveliness_lost);
    }
    (found.due, found.must_assert)
}

/// A subscription of this process.
#[derive(Debug)]
pub(crate) struct SubscriptionEnd {
    pub(crate) info: Arc<EndpointInfo>,
    pub(crate) record: RecordId,
    pub(crate) receiver: Receiver,
    pub(crate) events: Events,
    deadline: Mutex<DeadlineWatch>,
    /// Whether it has a deadline, or a publisher with a lease.
    is_timed: AtomicBool,
}

impl SubscriptionEnd {
    pub(crate) fn new(
        info: EndpointInfo,
        record: RecordId,
        memory: &Arc<Memory>,
        counters: Mapped<EndpointCounters>,
        port: Mapped<Port>,
    ) -> Self {
        let bound = match info.qos.history {
            // Services have no bound over all publishers: each client may have a window of requests, and each server a
            // window of responses.
            _ if info.channel() != Channel::Topic => None,
            History::KeepLast(_) => Some(info.qos.history.depth().into()),
            History::KeepAll => None,
        };
        let deadline = DeadlineWatch::new(info.qos.deadline);
        let is_timed = AtomicBool::new(deadline.is_on());
        let receiver = Receiver::new(memory.clone(), counters, port, bound);
        Self {
            info: Arc::new(info),
            record,
            receiver,
            events: Events::default(),
            deadline: Mutex::new(deadline),
            is_timed,
        }
    }

    /// Returns whether it has a deadline, or a publisher with a lease.
    pub(crate) fn is_timed(&self) -> bool {
        self.is_timed.load(Ordering::Acquire)
    }

    /// Notes that a publisher was connected, with or without a lease.
    pub(crate) fn attached(&self, has_lease: bool) {
        self.is_timed.fetch_or(has_lease, Ordering::AcqRel);
        self.note_publishers(1);
        self.receiver.ring();
    }

    /// Ends the connection to a publisher that has gone. The messages that it sent before are still read.
    pub(crate) fn end(&self, process: u64, serial: u64) {
        self.receiver.end(|sender, owner| (owner, sender) == (process, serial));
        self.note_publishers(0);
        // The publisher may have died before it rang for its last message.
        self.receiver.ring();
    }

    /// Notes the losses so far.
    pub(crate) fn note_lost(&self, lost: &Losses) {
        let total = delivery_losses(lost);
        self.events.note(|events| events.lost(total));
    }

    /// Checks whether a deadline was missed or the lease of a publisher has expired. Returns when to check again.
    pub(crate) fn monitor(&self, now: i64) -> Due {
        if !self.is_timed() {
            return Due::NEVER;
        }
        let (mut last, mut is_matched, mut due) = (0, false, Due::NEVER);
        let is_free = self.receiver.try_for_each_source(|source| {
            last = last.max(source.sent_at);
            if !source.is_ending {
                is_matched = true;
                due = due.or(check_lease(source.alive_at, source.lease, now).1);
            }
        });
        if !is_free {
            // Another thread is taking messages.
            return Due::at(now);
        }
        let (missed, next) = self.deadline.lock().check(last, is_matched, now);
        if missed > 0 {
            self.events.note(|events| events.deadline_missed(missed));
        }
        self.note_publishers(0);
        due.or(next)
    }

    /// Notes how many publishers are connected and how many of them are alive. `new` of them were not connected before.
    fn note_publishers(&self, new: u64) {
        let (now, mut matched, mut alive) = (monotonic_nanos(), 0, 0);
        self.receiver.for_each_source(|source| {
            matched += usize::from(!source.is_ending);
            let is_alive = check_lease(source.alive_at, source.lease, now).0;
            alive += usize::from(!source.is_ending && is_alive);
        });
        self.events.note(|events| events.matched(new, matched));
        self.events.note(|events| events.liveliness(alive, matched - alive));
    }
}

/// Returns how many losses are reported as events of lost messages: those after sending. Incompatible endpoints have
/// events of their own.
fn delivery_losses(losses: &Losses) -> u64 {
    let in_transit = losses.iter().filter(|(cause, _)| !MISMATCHES.contains(cause));
    in_transit.fold(0, |sum, (_, count)| sum.saturating_add(count))
}
