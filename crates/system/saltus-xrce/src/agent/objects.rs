//! The objects of a client.

use std::collections::BTreeMap;

use super::{host::GraphObject, refusal::Refusal};
use crate::{
    entity::{Definition, Entity, Parent, Profiles, Topic, TopicReference},
    ids::{ObjectId, ObjectKind},
    payload::{DataLimits, ReadRequest},
};

/// The objects of a client.
///
/// **Invariant:** an object is there only if all objects that it refers to were there when it was created.
#[derive(Debug, Default)]
pub(super) struct Objects(BTreeMap<ObjectId, Object>);

#[derive(Debug)]
pub(super) struct Object {
    pub(super) entity: Entity,
    /// The topic of a data writer or data reader.
    topic: Option<Topic>,
    /// The participant that it belongs to; itself for a participant.
    node: ObjectId,
    /// The client's request for its messages, and when it was received.
    pub(super) read: Option<ReadProgress>,
    /// Whether the client has begun another session since it created it.
    pub(super) is_stale: bool,
}

/// The progress of a client's request for messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadProgress {
    pub(super) request: ReadRequest,
    /// When it was received, in monotonic nanoseconds.
    since: u64,
    /// The number of messages that were delivered.
    delivered: u32,
    /// When the last message was delivered, in monotonic nanoseconds.
    last_at: Option<u64>,
    /// The number of bytes that could be delivered at `last_at`, in billionths.
    budget: u64,
}

/// Whether the limits of a request allow a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Allowance {
    /// The request has ended.
    Ended,
    /// The message must wait.
    Limited,
    /// The message may be delivered now.
    Allowed,
}

const SECOND: u64 = 1_000_000_000;

impl ReadProgress {
    pub(super) fn new(request: ReadRequest, now: u64) -> Self {
        let budget = u64::from(request.limits.max_bytes_per_second) * SECOND;
        Self { request, since: now, delivered: 0, last_at: None, budget }
    }

    /// Returns whether the limits of the request allow `len` bytes.
    pub(super) fn allowance(&self, now: u64, len: usize) -> Allowance {
        let limits = &self.request.limits;
        let is_over =
            limits.max_messages != DataLimits::UNLIMITED && self.delivered >= limits.max_messages.into();
        let is_late =
            limits.max_seconds > 0 && now.saturating_sub(self.since) > u64::from(limits.max_seconds) * SECOND;
        let pace = u64::from(limits.min_pace_ms) * 1_000_000;
        let is_early = self.last_at.is_some_and(|last| now.saturating_sub(last) < pace);
        // A message that is longer than a second's bytes is delivered when the budget is full.
        let needed = (len as u64).saturating_mul(SECOND).min(self.full_budget());
        match is_early || self.budget_at(now) < needed {
            _ if is_over || is_late => Allowance::Ended,
            true => Allowance::Limited,
            false => Allowance::Allowed,
        }
    }

    /// Returns how many bytes a second allows, in billionths. 0 if there is no limit.
    fn full_budget(&self) -> u64 {
        u64::from(self.request.limits.max_bytes_per_second) * SECOND
    }

    /// Returns how many bytes may be delivered at once, in billionths.
    fn budget_at(&self, now: u64) -> u64 {
        let rate = u64::from(self.request.limits.max_bytes_per_second);
        let refilled = now.saturating_sub(self.last_at.unwrap_or(self.since)).saturating_mul(rate);
        self.budget.saturating_add(refilled).min(self.full_budget())
    }

    /// Notes that `len` bytes were delivered.
    pub(super) fn note_delivered(&mut self, now: u64, len: usize) {
        self.budget = self.budget_at(now).saturating_sub((len as u64).saturating_mul(SECOND));
        self.delivered = self.delivered.saturating_add(1);
        self.last_at = Some(now);
    }
}

impl Object {
    /// Returns whether it is a data writer or data reader of a topic object.
    fn refers_to(&self, topic: ObjectId) -> bool {
        match &self.entity.definition {
            Definition::DataWriter(end) | Definition::DataReader(end) => {
                end.topic == TopicReference::Object(topic)
            }
            _ => false,
        }
    }

    /// Notes that `len` bytes of the object were delivered to the client.
    pub(super) fn note_delivered(&mut self, now: u64, len: usize) {
        self.read.iter_mut().for_each(|reading| reading.note_delivered(now, len));
    }

    /// Returns the object as a part of the graph, if it is one.
    pub(super) fn in_graph(&self) -> Option<GraphObject<'_>> {
        let node = self.node;
        Some(match &self.entity.definition {
            Definition::Participant { name } => {
                let domain = match self.entity.parent {
                    Parent::Domain(domain) => domain,
                    Parent::Object(_) => 0,
                };
                GraphObject::Node { domain, name: name.as_deref() }
            }
            Definition::DataWriter(writer) => {
                GraphObject::Publisher { node, topic: self.topic.as_ref()?, qos: writer.qos }
            }
            Definition::DataReader(reader) => {
                GraphObject::Subscription { node, topic: self.topic.as_ref()?, qos: reader.qos }
            }
            Definition::Requester(service) => GraphObject::ServiceClient { node, service },
            Definition::Replier(service) => GraphObject::ServiceServer { node, service },
            Definition::Topic(_)
            | Definition::Publisher
            | Definition::Subscriber
            | Definition::Profile { .. } => return None,
        })
    }
}

impl Objects {
    /// Notes that the client has begun another session, and has to create its objects again.
    pub(super) fn mark_stale(&mut self) {
        self.0.values_mut().for_each(|object| object.is_stale = true);
    }

    /// Notes that the client has created an object in its present session. Returns whether it has not yet done so.
    pub(super) fn confirm(&mut self, id: ObjectId) -> bool {
        self.get_mut(id).is_some_and(|object| std::mem::replace(&mut object.is_stale, false))
    }

    /// Returns the objects that the client has not created again. One to which an object belongs that it has created stays.
    pub(super) fn stale(&self) -> Vec<ObjectId> {
        let is_stale = |id: &ObjectId| self.get(*id).is_some_and(|object| object.is_stale);
        self.0.keys().copied().filter(|id| self.belonging_to(*id).iter().all(is_stale)).collect()
    }

    /// Gives the endpoints that refer to a topic object its present topic. Returns those that had another one.
    pub(super) fn rebind(&mut self, topic: ObjectId) -> Vec<ObjectId> {
        let Some(Definition::Topic(present)) = self.get(topic).map(|found| found.entity.definition.clone())
        else {
            return Vec::new();
        };
        let mut changed = Vec::new();
        for (id, object) in self.0.iter_mut().filter(|(_, object)| object.refers_to(topic)) {
            if object.topic.as_ref() != Some(&present) {
                object.topic = Some(present.clone());
                changed.push(*id);
            }
        }
        changed
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn get(&self, id: ObjectId) -> Option<&Object> {
        self.0.get(&id)
    }

    pub(super) fn get_mut(&mut self, id: ObjectId) -> Option<&mut Object> {
        self.0.get_mut(&id)
    }

    /// Checks that all objects that a new object refers to are there. Returns the object.
    ///
    /// # Errors
    /// Returns why the object is refused.
    pub(super) fn resolve(
        &self,
        id: ObjectId,
        mut entity: Entity,
        profiles: &Profiles,
    ) -> Result<Object, Refusal> {
        if let Definition::Profile { kind, name } = &entity.definition {
            let known = profiles.get(*kind, name);
            entity.definition = known.ok_or_else(|| Refusal::UnknownProfile(name.clone()))?.clone();
        }
        let kind = entity.definition.kind();
        if id.kind() != Some(kind) {
            return Err(Refusal::WrongKind);
        }
        let node = match (kind, entity.parent) {
            (ObjectKind::Participant, Parent::Domain(_)) => id,
            (ObjectKind::Participant, Parent::Object(_)) | (_, Parent::Domain(_)) => {
                return Err(Refusal::WrongKind);
            }
            (_, Parent::Object(parent)) => self.parent_node(kind, parent)?,
        };
        let topic = match &entity.definition {
            Definition::DataWriter(end) | Definition::DataReader(end) => Some(self.topic(&end.topic)?),
            _ => None,
        };
        Ok(Object { entity, topic, node, read: None, is_stale: false })
    }

    /// Returns the participant of the object `parent`, which must be of the right kind for a child of kind `kind`.
    fn parent_node(&self, kind: ObjectKind, parent: ObjectId) -> Result<ObjectId, Refusal> {
        let expected = match kind {
            ObjectKind::DataWriter => ObjectKind::Publisher,
            ObjectKind::DataReader => ObjectKind::Subscriber,
            _ => ObjectKind::Participant,
        };
        let found = self.get(parent).filter(|found| found.entity.definition.kind() == expected);
        found.map(|found| found.node).ok_or(Refusal::Missing(parent))
    }

    fn topic(&self, reference: &TopicReference) -> Result<Topic, Refusal> {
        match reference {
            TopicReference::Named(topic) => Ok(topic.clone()),
            TopicReference::Object(id) => match self.get(*id).map(|found| &found.entity.definition) {
                Some(Definition::Topic(topic)) => Ok(topic.clone()),
                _ => Err(Refusal::Missing(*id)),
            },
        }
    }

    pub(super) fn insert(&mut self, id: ObjectId, object: Object) {
        self.0.insert(id, object);
    }

    /// Removes an object and those that belong to it. Returns the ids of those that are part of the graph, with the
    /// ones that depend on others first. `None` if the object is not there.
    pub(super) fn remove(&mut self, id: ObjectId) -> Option<Vec<ObjectId>> {
        self.0.contains_key(&id).then(|| {
            let mut removed = self.belonging_to(id);
            removed.sort_by_key(|id| std::cmp::Reverse(id.kind()));
            removed.retain(|id| self.0.remove(id).is_some_and(|object| object.in_graph().is_some()));
            removed
        })
    }

    fn belonging_to(&self, id: ObjectId) -> Vec<ObjectId> {
        let mut found = vec![id];
        let mut index = 0;
        while let Some(parent) = found.get(index).copied() {
            let is_child = |(child, object): (&ObjectId, &Object)| {
                (object.entity.parent == Parent::Object(parent) && *child != parent).then_some(*child)
            };
            found.extend(self.0.iter().filter_map(is_child));
            index += 1;
        }
        found
    }

    /// Returns the objects that are part of the graph, nodes first.
    pub(super) fn in_graph(&self) -> Vec<(ObjectId, &Object)> {
        let mut objects: Vec<(ObjectId, &Object)> = self.0.iter().map(|(id, object)| (*id, object)).collect();
        objects.retain(|(_, object)| object.in_graph().is_some());
        objects.sort_by_key(|(id, _)| id.kind());
        objects
    }
}
