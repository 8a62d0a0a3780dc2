//! `/parameter_events`: the topic of parameter changes.
//!
//! There is one publisher per context, so a subscription has one connection for all nodes of the context. Each event
//! names its node. The publisher belongs to a hidden node, and is opened when the first subscription is opened.

use std::sync::{
    Arc, Mutex, OnceLock,
    atomic::{AtomicBool, Ordering},
};

use saltus_host::{Channel, NodeEntry, NodeSpec, Offer, OpenError, Participant, PublishError};
use saltus_msgs::rcl_interfaces::msg::ParameterEvent;
use saltus_param::{Changes, Parameter, ParameterValue};
use saltus_types::{NodeName, QoS, Time, TopicName, lock};

use super::messages::parameter_message;
use crate::{
    Logger, PublishValueError,
    spec::{Type, spec},
};

/// The topic of all nodes of a domain.
const TOPIC: &str = "/parameter_events";

/// A context's publisher on `/parameter_events`.
#[derive(Debug, Default)]
pub(crate) struct ParameterEvents {
    /// The offer to open the publisher. It is created with the first node that publishes such events.
    offer: OnceLock<Offer>,
    opened: Arc<Mutex<Option<Opened>>>,
    /// Whether a thread is opening the publisher. All offers share it, because there may be two offers for a moment.
    is_opening: Arc<AtomicBool>,
}

#[derive(Debug)]
struct Opened {
    publisher: Arc<saltus_host::Publisher>,
    _node: NodeEntry,
}

impl ParameterEvents {
    /// Offers the publisher. It is opened when there is a subscription.
    pub(crate) fn begin(&self, participant: &Participant) -> Result<(), OpenError> {
        if self.offer.get().is_some() {
            return Ok(());
        }
        let Ok(root) = NodeName::new("/", "_") else { return Ok(()) };
        let Ok(topic) = TopicName::expand(TOPIC, &root) else { return Ok(()) };
        let (opened, weak) = (self.opened.clone(), participant.downgrade());
        let name = topic.clone();
        let is_opening = self.is_opening.clone();
        let offer = participant.offer([(Channel::Topic, topic)], move |_, _| {
            let Some(participant) = weak.upgrade() else { return };
            // Opening the publisher calls this closure again.
            if is_opening.swap(true, Ordering::AcqRel) {
                return;
            }
            // The publisher is opened under the lock. So every change after a subscription has found the publisher is
            // published.
            let mut opened = lock(&opened);
            if opened.is_none() {
                // If there is no memory, changes are not published. It is tried again for the next subscription.
                *opened = open(&participant, &name).ok().flatten();
            }
            is_opening.store(false, Ordering::Release);
        })?;
        // This fails if another thread has set an offer meanwhile.
        let _ = self.offer.set(offer);
        Ok(())
    }

    /// Publishes changes of a node's parameters, if the publisher is open.
    pub(crate) fn publish(&self, node: &NodeName, stamp: Time, changes: Changes, logger: &Logger) {
        let publisher = lock(&self.opened).as_ref().map(|opened| opened.publisher.clone());
        let Some(publisher) = publisher else { return };
        let all = |list: Vec<Parameter>| list.into_iter().map(parameter_message).collect();
        let gone = |one: Parameter| Parameter { value: ParameterValue::NotSet, ..one };
        let event = ParameterEvent {
            stamp: stamp.into(),
            node: node.fully_qualified(),
            new_parameters: all(changes.new),
            changed_parameters: all(changes.changed),
            deleted_parameters: all(changes.deleted.into_iter().map(gone).collect()),
        };
        let write = |bytes: &mut [u8]| Ok(saltus_cdr::encode_into(&event, bytes)?);
        let sent = publisher.publish_with(saltus_cdr::encoded_len(&event), write);
        if let Err(PublishValueError::Send(PublishError::Memory(error))) = sent {
            crate::log_at!(logger, Error, ERROR, {}, "can't publish a parameter event: {error}");
        }
    }
}

fn open(participant: &Participant, topic: &TopicName) -> Result<Option<Opened>, OpenError> {
    let Ok(hidden) = NodeName::new("/", &format!("_parameter_events_{}", std::process::id())) else {
        return Ok(None);
    };
    let node = participant.node(&NodeSpec::new(&hidden))?;
    let publisher = participant.publisher(&spec(
        &node,
        topic,
        &Type::of::<ParameterEvent>(),
        QoS::parameter_events(),
        None,
    ))?;
    Ok(Some(Opened { publisher: Arc::new(publisher), _node: node }))
}
