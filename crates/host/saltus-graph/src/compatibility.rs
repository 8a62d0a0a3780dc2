//! Whether two endpoints of one topic can exchange messages.

use saltus_types::{LossCause, QosMismatch};

use crate::{Channel, entity::EndpointInfo, event::GraphEvent};

/// Whether a publisher and a subscription of one topic may be matched.
///
/// Two endpoints that both represent entities of other systems are not matched: a message would go back to the
/// system that it came from, or arrive twice. So a message passes at most one process that represents another system.
pub fn may_meet(publisher: &EndpointInfo, subscription: &EndpointInfo) -> bool {
    let is_expected = subscription.only_from.is_none_or(|only| only == publisher.id);
    let are_foreign = [publisher, subscription].iter().all(|end| end.origin.is_foreign());
    is_expected && !are_foreign
}

/// Why two endpoints of one topic can't exchange messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// Their types differ.
    Type,
    /// The QoS that one offers is weaker than the QoS that the other requests.
    Qos(QosMismatch),
}

impl Mismatch {
    /// Returns why a publisher and a subscription of one topic can't exchange messages, or `None` if they can.
    ///
    /// The hashes of the types are compared if both are known.
    pub fn between(publisher: &EndpointInfo, subscription: &EndpointInfo) -> Option<Self> {
        let is_same_type = publisher.type_name == subscription.type_name
            && publisher.type_hash.may_equal(subscription.type_hash);
        if !is_same_type {
            return Some(Self::Type);
        }
        let (offered, requested) = (&publisher.qos, &subscription.qos);
        // A client and a server each send and receive with one profile, so both directions are checked.
        let is_service = publisher.channel() != Channel::Topic;
        let back = || if is_service { requested.offers(offered) } else { Ok(()) };
        offered.offers(requested).and_then(|()| back()).err().map(Self::Qos)
    }

    /// Returns the cause under which messages between the two are counted as lost.
    pub fn loss_cause(self) -> LossCause {
        match self {
            Self::Type => LossCause::TypeMismatch,
            Self::Qos(_) => LossCause::QosMismatch,
        }
    }

    /// Returns the event that reports the mismatch to the endpoint `local`.
    pub(crate) fn event(self, local: &EndpointInfo, remote: &EndpointInfo) -> GraphEvent {
        let (local, remote) = (local.clone(), remote.clone());
        match self {
            Self::Type => GraphEvent::IncompatibleType { local, remote },
            Self::Qos(policy) => GraphEvent::IncompatibleQos { local, remote, policy },
        }
    }
}
