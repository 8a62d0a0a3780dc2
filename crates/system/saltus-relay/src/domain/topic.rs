//! Topics of a domain: replicas of publishers, and what takes the messages of publishers.

use std::sync::Arc;

use saltus_host::{
    EndpointInfo, EndpointKind, EndpointSpec, Foreign, OpenError, Origin, Publisher, Subscription, TypeText,
    monotonic_now,
};
use saltus_types::{History, Liveliness, NetworkLoss, QoS};

use super::{
    forwarder::{Forwarder, Input},
    joined::{Domain, Shown},
};
use crate::{
    ends::{ShowError, Source, Target},
    message::{Body, Message},
    name::expand,
    output::Output,
};

/// The replica of a publisher in a domain.
#[derive(Debug)]
pub(crate) struct DomainTarget {
    domain: Domain,
    shown: Shown,
    state: ReplicaState,
}

/// The state of the replica in the graph of the domain.
#[derive(Debug)]
enum ReplicaState {
    /// Nothing, for a moment between the two other states.
    Nothing,
    /// An endpoint that is not open.
    Shown { _entry: saltus_host::Shown },
    /// An open publisher.
    Open(Publisher),
}

impl DomainTarget {
    pub(crate) fn new(domain: Domain, shown: Shown) -> Result<Self, OpenError> {
        let entry = domain.participant().show(EndpointKind::Publisher, &shown.spec())?;
        Ok(Self { domain, shown, state: ReplicaState::Shown { _entry: entry } })
    }
}

impl Target for DomainTarget {
    fn is_open(&self) -> bool {
        matches!(self.state, ReplicaState::Open(_))
    }

    fn open(&mut self, kept: &[Message]) -> Result<(), ShowError> {
        let publisher = self.domain.participant().publisher_that_kept(&self.shown.spec(), |past| {
            for message in kept {
                // An error is ignored: the publisher counts messages that it can't keep.
                let _ = match &message.body {
                    Body::Sample(sample) => past.publish_stamped(sample, message.stamp),
                    Body::Parts(_) => past.publish_stamped(&message.to_vec(), message.stamp),
                };
            }
        })?;
        self.state = ReplicaState::Open(publisher);
        Ok(())
    }

    fn send(&mut self, message: Message) -> u64 {
        let ReplicaState::Open(publisher) = &self.state else { return 0 };
        // An error is ignored: the publisher counts messages that it could not send.
        let _ = match &message.body {
            Body::Sample(sample) => publisher.publish_stamped(sample, message.stamp),
            Body::Parts(parts) => publisher.loan(parts.len()).and_then(|mut loan| {
                parts.copy_to(&mut loan[..parts.len()]);
                loan.publish_stamped(parts.len(), message.stamp)
            }),
        };
        0
    }

    fn count_missing(&self, loss: NetworkLoss, number: u64) {
        if let ReplicaState::Open(publisher) = &self.state {
            publisher.count_missing(loss, number);
        }
    }

    fn may_wait(&self) -> bool {
        matches!(&self.state, ReplicaState::Open(publisher) if publisher.may_wait())
    }

    fn wait_for_room(&self) -> bool {
        match &self.state {
            ReplicaState::Open(publisher) => publisher.wait_for_room(),
            ReplicaState::Nothing | ReplicaState::Shown { .. } => true,
        }
    }

    fn close(&mut self) -> Result<bool, ShowError> {
        let ReplicaState::Open(publisher) = &self.state else { return Ok(true) };
        // The new entry is added before the publisher is closed, so that the graph shows the replica all the time.
        let shown = self.domain.participant().show(EndpointKind::Publisher, &self.shown.spec());
        if !publisher.retire() {
            return Ok(false);
        }
        let _before = std::mem::replace(&mut self.state, ReplicaState::Nothing);
        self.state = ReplicaState::Shown { _entry: shown? };
        Ok(true)
    }
}

/// What takes the messages of one publisher of a domain. It has a forwarder while messages are wanted.
pub(crate) struct DomainSource {
    domain: Domain,
    /// The origin of the graph that the messages go to.
    other: Origin,
    output: Arc<Output>,
    forwarder: Option<(Arc<Forwarder>, History)>,
}

impl DomainSource {
    pub(crate) fn new(domain: Domain, other: Origin, output: Arc<Output>) -> Self {
        Self { domain, other, output, forwarder: None }
    }

    fn stop(&mut self) {
        self.forwarder.take().iter().for_each(|(forwarder, _)| forwarder.stop());
    }

    /// Opens a subscription that takes the messages of one publisher.
    fn subscribe(&self, publisher: &EndpointInfo, qos: QoS) -> Result<Subscription, ShowError> {
        let topic = expand(&publisher.topic)?;
        let participant = self.domain.participant();
        let foreign = Foreign { origin: self.other.clone(), gid: participant.new_gid() };
        let description = participant.description(publisher.type_hash);
        let spec = EndpointSpec {
            node: self.domain.node().gid(),
            topic: &topic,
            type_name: &publisher.type_name,
            type_hash: publisher.type_hash,
            qos,
            description: description.as_deref().map_or(TypeText::Unknown, TypeText::Whole),
            foreign: Some(&foreign),
            only_from: Some(publisher.id),
            skips_own: false,
        };
        Ok(participant.subscription(&spec)?)
    }
}

impl Source for DomainSource {
    fn want(&mut self, publisher: &EndpointInfo, wanted: Option<History>) -> Result<(), ShowError> {
        let present = self.forwarder.as_ref().map(|(_, history)| *history);
        match (present, wanted) {
            (Some(_), None) => {
                let output = self.output.clone();
                // The lock is held, so that the forwarder does not open it again.
                let mut output = output.lock();
                if output.close()? {
                    self.stop();
                }
            }
            (_, Some(history)) if present.is_none_or(|present| !has_room_of(present, history)) => {
                let before = self.forwarder.as_ref().map(|(forwarder, _)| forwarder.clone());
                let opened_at = monotonic_now() as i64;
                let subscription = self.subscribe(publisher, input_qos(&publisher.qos, history))?;
                let input = Input { subscription, opened_at };
                let waiter = match history {
                    History::KeepAll => Some(self.domain.context().waiter()?),
                    History::KeepLast(_) => None,
                };
                let group = &self.domain.0.group;
                let forwarder = Forwarder::start(input, &self.output, before, group, waiter)?;
                self.forwarder = Some((forwarder, history));
            }
            _ => {}
        }
        Ok(())
    }

    fn end(mut self: Box<Self>) {
        self.forwarder.take().iter().for_each(|(forwarder, _)| forwarder.end());
    }
}

impl Drop for DomainSource {
    fn drop(&mut self) {
        self.stop();
    }
}

fn has_room_of(present: History, wanted: History) -> bool {
    match (present, wanted) {
        (History::KeepAll, _) => true,
        (History::KeepLast(_), History::KeepAll) => false,
        (History::KeepLast(present), History::KeepLast(wanted)) => present >= wanted,
    }
}

/// Returns the profile of a subscription that receives everything that a publisher offers.
fn input_qos(offered: &QoS, history: History) -> QoS {
    QoS {
        history,
        deadline: None,
        lifespan: None,
        liveliness: Liveliness::Automatic,
        lease: None,
        ..*offered
    }
}
