//! What is published for local publishers.
//!
//! A message takes one of two ways. A small one is sent at once, on the thread of the domain, with a priority that only small
//! messages have: it never waits for a link. Others wait in a queue for a thread that may wait, and are sent with a lower priority. So
//! a large message on a slow link holds up no small one.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use saltus_host::Sample;
use saltus_relay::{Body, Message, Passage, Priority, Replica, ShowError, Target, WhenFull};
use saltus_rmw::EntityKind;
use saltus_types::{Gid, History, QoS, Reliability, TypeHash, lock};
use zenoh::{
    Wait,
    bytes::ZBytes,
    liveliness::LivelinessToken,
    pubsub::Publisher,
    qos::{CongestionControl, Reliability as Sent},
};
use zenoh_ext::{AdvancedPublisher, AdvancedPublisherBuilderExt, CacheConfig, MissDetectionConfig};

use crate::{
    by_hash::ByHash,
    link::{Announced, Link, Mark, attachment, keeps, number_of, other, zenoh_priority},
    worker::Queue,
};

/// How often a publisher whose messages are kept says which was the last one. It says so again without a new message. Otherwise a message that was sent
/// while a router was away could be missing for ever: the question that is asked when the router is back may not reach the publisher yet.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// Messages of at most this many bytes are sent at once. They fit into one packet of zenoh.
const SMALL: usize = 16 << 10;
/// The most messages of a publisher that wait, if it is reliable. What waits needs shared memory, or memory of the bridge.
const MAX_WAITING: u16 = 64;
/// How long a message waits if there is a newer one of its publisher, unless that keeps its messages.
const MAX_AGE: Duration = Duration::from_millis(200);
/// The longest time that a publisher that must not lose messages waits at once for room.
const FOR_ROOM: Duration = Duration::from_millis(100);

/// A local publisher in the network.
pub(crate) struct NetworkTarget {
    link: Arc<Link>,
    replica: Replica,
    announced: Announced,
    /// The hashes that the types of its subscriptions have.
    hashes: Vec<TypeHash>,
    /// `None` while it is closed.
    open: Option<Open>,
}

/// An open publisher.
struct Open {
    way: Way,
    mark: Arc<Mutex<MarkState>>,
}

/// The mark that says that messages are sent.
enum MarkState {
    /// What was kept is not sent yet.
    Pending,
    There {
        _mark: LivelinessToken,
    },
    /// The publisher was closed.
    Over,
}

/// The way that messages take.
enum Way {
    /// They are sent at once, because all have been small so far.
    Direct(Box<Sending>),
    /// All wait in a queue.
    Queued(Arc<Queue<Message>>, Arc<QueuedPublisher>),
}

/// The publishers of zenoh of one local publisher.
struct Sending {
    own: ZenohPublisher,
    others: ByHash<ZenohPublisher>,
    is_queued: bool,
}

/// A publisher of zenoh.
enum ZenohPublisher {
    Volatile(Publisher<'static>),
    /// Keeps messages for late subscriptions.
    Keeping(AdvancedPublisher<'static>),
}

/// A publisher of zenoh whose messages wait in a queue.
struct QueuedPublisher {
    link: Arc<Link>,
    topic: String,
    /// The gid with which it is announced.
    gid: Gid,
    sending: Sending,
    /// The publisher that has sent at once before. What it keeps is needed until this one keeps as many messages.
    before: Mutex<Option<(Sending, u16)>>,
    /// The number of the last message that was kept. When it was sent, the mark is set.
    kept: i64,
    is_limited: bool,
    mark: Arc<Mutex<MarkState>>,
}

/// A sample in shared memory that zenoh sends from there. It is borrowed until the last link has sent it.
struct Borrowed(Sample);

impl AsRef<[u8]> for Borrowed {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Sending {
    fn put(&self, payload: ZBytes, attachment: ZBytes) -> zenoh::Result<()> {
        let mut result = Ok(());
        self.others.for_each(|other| {
            if let Err(error) = other.put(payload.clone(), attachment.clone()) {
                result = Err(error);
            }
        });
        self.own.put(payload, attachment).and(result)
    }
}

impl ZenohPublisher {
    fn put(&self, payload: ZBytes, attachment: ZBytes) -> zenoh::Result<()> {
        match self {
            Self::Volatile(publisher) => publisher.put(payload).attachment(attachment).wait(),
            Self::Keeping(publisher) => publisher.put(payload).attachment(attachment).wait(),
        }
    }
}

/// Sends a message. What zenoh drops is not reported by it; its receivers see a gap in the numbers.
fn send(link: &Link, topic: &str, sending: &Sending, gid: Gid, message: Message) {
    let attachment = attachment(&message.stamp, gid);
    link.sent.add(message.len());
    let payload = match message.body {
        Body::Sample(sample) => ZBytes::from(Bytes::from_owner(Borrowed(sample))),
        Body::Parts(_) => message.to_vec().into(),
    };
    if let Err(error) = sending.put(payload, attachment) {
        let period = Duration::from_secs(1);
        saltus_node::warn_throttle!(link.logger, period, "can't send on '{topic}': {error}");
    }
}

/// Sets the mark of a publisher, unless it was closed meanwhile.
fn set_mark(link: &Link, mark: &Mutex<MarkState>, sends: &Mark) -> Result<(), ShowError> {
    let mut state = lock(mark);
    if matches!(*state, MarkState::Pending) {
        *state = MarkState::There { _mark: link.mark(sends)? };
    }
    Ok(())
}

impl QueuedPublisher {
    fn send(&self, message: Message) {
        // If the last one that was kept has been dropped, a newer one has come.
        let is_last_kept = number_of(&message.stamp) >= self.kept;
        send(&self.link, &self.topic, &self.sending, self.gid, message);
        self.count_sent();
        let sends = Mark::Sends { gid: self.gid, kept: self.kept, is_limited: self.is_limited };
        if is_last_kept && let Err(error) = set_mark(&self.link, &self.mark, &sends) {
            saltus_node::warn!(self.link.logger, "can't announce '{}': {error}", self.topic);
        }
    }

    /// Counts a message that was sent. The publisher before goes when nothing that it keeps is needed.
    fn count_sent(&self) {
        let mut before = lock(&self.before);
        if let Some((_, needed)) = &mut *before {
            *needed -= 1;
            if *needed == 0 {
                *before = None;
            }
        }
    }
}

impl NetworkTarget {
    pub(crate) fn new(link: &Arc<Link>, replica: Replica) -> Result<Self, ShowError> {
        let announced = link.announce(EntityKind::Publisher, &replica)?;
        Ok(Self { link: link.clone(), replica, announced, hashes: Vec::new(), open: None })
    }

    fn qos(&self) -> &QoS {
        &self.replica.end.qos
    }

    /// Whether all messages are sent through a queue: if they must wait for a link, or have a priority that large messages have.
    fn is_always_queued(&self) -> bool {
        let Passage { priority, when_full, .. } = self.replica.passage;
        when_full == Some(WhenFull::Block)
            || must_not_lose(self.qos())
            || priority.is_some_and(|priority| !is_of_small_messages(priority))
    }

    /// Declares the publishers for small messages, or for those that wait in a queue.
    fn declare(&self, is_queued: bool) -> Result<Sending, ShowError> {
        let own = self.replica.end.type_hash;
        let sending = Sending {
            own: self.declare_one(own, is_queued)?,
            others: ByHash::new(&self.replica.end, &self.link.logger),
            is_queued,
        };
        self.declare_others(&sending)?;
        Ok(sending)
    }

    /// Declares publishers for the hashes that subscriptions have. What is kept, is kept for those that know no hash, too: they may
    /// come late.
    fn declare_others(&self, sending: &Sending) -> Result<(), ShowError> {
        let unknown = keeps(self.qos()).then_some(TypeHash::UNKNOWN);
        let hashes: Vec<TypeHash> = self.hashes.iter().copied().chain(unknown).collect();
        sending.others.reach(&hashes, |hash| self.declare_one(hash, sending.is_queued))
    }

    fn declare_one(&self, type_hash: TypeHash, is_queued: bool) -> Result<ZenohPublisher, ShowError> {
        let (qos, passage) = (self.qos(), &self.replica.passage);
        let is_reliable = qos.reliability == Reliability::Reliable;
        let congestion = match passage.when_full {
            Some(WhenFull::Block) => CongestionControl::Block,
            // The thread of the queue may wait. What is dropped would be dropped when only a part of it has a place.
            None if is_queued => CongestionControl::Block,
            Some(WhenFull::Drop) | None => CongestionControl::Drop,
        };
        // Zenoh drops what is best effort if any message waits for the link, also what may wait.
        let sent = if is_reliable || is_queued { Sent::Reliable } else { Sent::BestEffort };
        let builder = self.link.session.declare_publisher(self.link.key_with(&self.replica.end, type_hash)?);
        let builder = builder.congestion_control(congestion).reliability(sent).express(passage.is_express);
        let builder = builder.priority(zenoh_priority(priority_of(passage.priority, is_queued)));
        if !keeps(qos) {
            return Ok(ZenohPublisher::Volatile(builder.wait().map_err(other)?));
        }
        let cache = CacheConfig::default().max_samples(qos.history.depth().into());
        let mut builder = builder.cache(cache).publisher_detection();
        if is_reliable {
            let detection = MissDetectionConfig::default().heartbeat(HEARTBEAT);
            builder = builder.sample_miss_detection(detection);
        }
        Ok(ZenohPublisher::Keeping(builder.wait().map_err(other)?))
    }

    /// Opens the queue. `before` is what has sent so far, and `kept` are messages that are sent first.
    fn queue(
        &self,
        before: Option<Sending>,
        kept: &[Message],
        mark: &Arc<Mutex<MarkState>>,
    ) -> Result<Way, ShowError> {
        let QoS { reliability, history, .. } = *self.qos();
        // What is best effort is wanted new. Of the rest, as much waits as the publisher keeps, but not for long: a link that is too slow
        // for a publisher carries its newest messages.
        let is_reliable = reliability == Reliability::Reliable;
        let max = if is_reliable { history.depth().clamp(1, MAX_WAITING) } else { 1 };
        let is_kept = keeps(self.qos()) || history == History::KeepAll;
        let publisher = Arc::new(QueuedPublisher {
            link: self.link.clone(),
            topic: self.replica.end.topic.clone(),
            gid: self.announced.gid,
            sending: self.declare(true)?,
            before: Mutex::new(before.filter(|_| keeps(self.qos())).map(|before| (before, history.depth()))),
            kept: last_number(kept),
            is_limited: self.replica.passage.is_limited(),
            mark: mark.clone(),
        });
        let sender = publisher.clone();
        let (max, max_age) = (usize::from(max).max(kept.len()), (!is_kept).then_some(MAX_AGE));
        let queue = self.link.large.queue(max, max_age, move |message| sender.send(message));
        for message in kept {
            // None is dropped: there is room for all.
            queue.push(message.copied());
        }
        Ok(Way::Queued(queue, publisher))
    }

    /// Returns an open publisher that has sent what was kept, or will send it before anything else.
    fn open_with(&self, kept: &[Message]) -> Result<Open, ShowError> {
        let mark = Arc::new(Mutex::new(MarkState::Pending));
        let way = if self.is_always_queued() || kept.iter().any(|message| message.len() > SMALL) {
            self.queue(None, kept, &mark)?
        } else {
            let sending = self.declare(false)?;
            let (gid, topic) = (self.announced.gid, &self.replica.end.topic);
            kept.iter().for_each(|message| send(&self.link, topic, &sending, gid, message.copied()));
            Way::Direct(Box::new(sending))
        };
        // After the kept messages, so that whoever asks for them then gets all. Those in the queue are not sent yet.
        if kept.is_empty() || matches!(way, Way::Direct(_)) {
            let (gid, is_limited) = (self.announced.gid, self.replica.passage.is_limited());
            set_mark(&self.link, &mark, &Mark::Sends { gid, kept: last_number(kept), is_limited })?;
        }
        Ok(Open { way, mark })
    }

    /// Sends a message through the queue, as all later ones: they must not overtake it.
    fn send_queued(&mut self, message: Message) -> Result<u64, ShowError> {
        let Some(Open { way, mark }) = self.open.take() else { return Ok(0) };
        let way = match way {
            Way::Queued(..) => way,
            Way::Direct(before) => self.queue(Some(*before), &[], &mark)?,
        };
        let dropped = if let Way::Queued(queue, _) = &way { queue.push(message) } else { 0 };
        self.open = Some(Open { way, mark });
        Ok(dropped)
    }
}

/// Returns the number of the last of these messages; 0 if there is none.
fn last_number(messages: &[Message]) -> i64 {
    messages.last().map_or(0, |message| number_of(&message.stamp))
}

/// Whether a publisher waits for subscriptions, and does not drop messages.
fn must_not_lose(qos: &QoS) -> bool {
    qos.history == History::KeepAll && qos.reliability == Reliability::Reliable
}

/// Whether only small messages have this priority.
fn is_of_small_messages(priority: Priority) -> bool {
    matches!(priority, Priority::RealTime | Priority::InteractiveHigh | Priority::InteractiveLow)
}

/// Returns the priority of messages, of which a rule may have set another one.
fn priority_of(wanted: Option<Priority>, is_queued: bool) -> Priority {
    match (wanted, is_queued) {
        (None, false) => Priority::InteractiveLow,
        (None, true) => Priority::DataLow,
        (Some(wanted), true) if is_of_small_messages(wanted) => Priority::DataHigh,
        (Some(wanted), _) => wanted,
    }
}

impl Target for NetworkTarget {
    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    fn open(&mut self, kept: &[Message]) -> Result<(), ShowError> {
        self.open = Some(self.open_with(kept)?);
        Ok(())
    }

    fn reach(&mut self, hashes: &[TypeHash]) -> Result<(), ShowError> {
        self.hashes = hashes.to_vec();
        match &self.open {
            Some(Open { way: Way::Direct(sending), .. }) => self.declare_others(sending),
            Some(Open { way: Way::Queued(_, publisher), .. }) => self.declare_others(&publisher.sending),
            None => Ok(()),
        }
    }

    fn send(&mut self, message: Message) -> u64 {
        match &self.open {
            Some(Open { way: Way::Direct(sending), .. }) if message.len() <= SMALL => {
                let topic = &self.replica.end.topic;
                send(&self.link, topic, sending, self.announced.gid, message);
                0
            }
            _ => self.send_queued(message).unwrap_or_else(|error| {
                let topic = &self.replica.end.topic;
                saltus_node::warn!(self.link.logger, "can't send on '{topic}': {error}");
                1
            }),
        }
    }

    fn wait_for_room(&self) -> bool {
        match &self.open {
            Some(Open { way: Way::Queued(queue, _), .. }) if must_not_lose(self.qos()) => {
                queue.wait_for_room(FOR_ROOM)
            }
            _ => true,
        }
    }

    fn close(&mut self) -> Result<bool, ShowError> {
        if let Some(Open { way, mark }) = self.open.take() {
            // The mark goes first: nobody must take it for that of a publisher that sends. What waits in the queue is sent still.
            *lock(&mark) = MarkState::Over;
            drop(way);
        }
        Ok(true)
    }
}

impl Drop for NetworkTarget {
    fn drop(&mut self) {
        // The queue may set the mark otherwise. Closing has no error.
        let _ = self.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_that_may_wait_never_have_a_priority_of_those_that_must_not() {
        let all = [
            Priority::RealTime,
            Priority::InteractiveHigh,
            Priority::InteractiveLow,
            Priority::DataHigh,
            Priority::Data,
            Priority::DataLow,
            Priority::Background,
        ];
        for wanted in all.map(Some).into_iter().chain([None]) {
            assert!(!is_of_small_messages(priority_of(wanted, true)), "{wanted:?}");
        }
        assert!(is_of_small_messages(priority_of(None, false)));
        assert_eq!(priority_of(Some(Priority::RealTime), false), Priority::RealTime);
        assert_eq!(priority_of(Some(Priority::Background), true), Priority::Background);
    }
}
