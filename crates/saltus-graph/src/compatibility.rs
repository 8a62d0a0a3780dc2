//! Whether two endpoints of one topic can exchange messages.

use saltus_types::{LossCause, QosMismatch, TypeHash};

use crate::{
    Channel,
    entity::{EndpointInfo, Origin},
    event::GraphEvent,
};

/// Whether a publisher and a subscription of one topic have anything to do with each other.
///
/// Two that stand for others elsewhere have not: what one sends would go back to where it came from, or arrive twice. So a
/// message passes at most one process that stands in for another system.
pub fn may_meet(publisher: &EndpointInfo, subscription: &EndpointInfo) -> bool {
    let is_expected = subscription.only_from.is_none_or(|only| only == publisher.id);
    let are_foreign = [publisher, subscription].iter().all(|end| end.origin != Origin::Here);
    is_expected && !are_foreign
}

/// Why two endpoints of one topic can't exchange messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// Their types differ.
    Type,
    /// What one offers falls short of what the other requests.
    Qos(QosMismatch),
}

impl Mismatch {
    /// Why a publisher and a subscription of one topic can't exchange messages; `None` if they can.
    ///
    /// The hash of a type is compared if both know it.
    pub fn between(publisher: &EndpointInfo, subscription: &EndpointInfo) -> Option<Self> {
        let hashes = [publisher.type_hash, subscription.type_hash];
        let differ = hashes[0] != hashes[1] && !hashes.contains(&TypeHash::UNKNOWN);
        if publisher.type_name != subscription.type_name || differ {
            return Some(Self::Type);
        }
        let (offered, requested) = (&publisher.qos, &subscription.qos);
        // Of a client and a server each both sends and receives, under one profile.
        let is_service = publisher.channel() != Channel::Topic;
        let back = || if is_service { requested.offers(offered) } else { Ok(()) };
        offered.offers(requested).and_then(|()| back()).err().map(Self::Qos)
    }

    /// The cause by which messages from one to the other count as lost.
    pub fn loss_cause(self) -> LossCause {
        match self {
            Self::Type => LossCause::TypeMismatch,
            Self::Qos(_) => LossCause::QosMismatch,
        }
    }

    /// As one of the two endpoints, `local`, is told of it.
    pub fn event(self, local: &EndpointInfo, remote: &EndpointInfo) -> GraphEvent {
        let (local, remote) = (local.clone(), remote.clone());
        match self {
            Self::Type => GraphEvent::IncompatibleType { local, remote },
            Self::Qos(policy) => GraphEvent::IncompatibleQos { local, remote, policy },
        }
    }
}
