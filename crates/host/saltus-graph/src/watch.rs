//! The changes of a graph since they were last taken.

use std::collections::{HashMap, VecDeque};

use saltus_types::Gid;

use crate::{
    entity::{EndpointId, EndpointInfo, NodeInfo},
    entry::Entry,
    listing::offered,
};

/// An entity of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entity {
    /// A node.
    Node(NodeInfo),
    /// A publisher or subscription. A client has one of each, and so has a server. An endpoint that is
    /// [offered](EndpointInfo::is_offered) represents a server that is not open.
    Endpoint(EndpointInfo),
}

/// The kind of change of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphChange {
    /// It is new.
    Added(Entity),
    /// Its properties have changed. These are the new ones.
    Changed(Entity),
    /// It is gone. These are its last properties.
    Removed(Entity),
}

/// The identity of an entity among those of its process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Id {
    Node(Gid),
    Endpoint(EndpointId),
    Offered(Gid, String),
}

impl Id {
    fn of(entity: &Entity) -> Self {
        match entity {
            Entity::Node(node) => Self::Node(node.gid),
            Entity::Endpoint(end) if end.is_offered() => Self::Offered(end.node, end.topic.clone()),
            Entity::Endpoint(end) => Self::Endpoint(end.id),
        }
    }
}

/// The present entities of a process.
#[derive(Debug, Default)]
struct OfProcess {
    /// The entities, each with the record that has it.
    entities: HashMap<Id, (Entity, u64)>,
    /// The ids of the entities of each record.
    records: HashMap<u64, Vec<Id>>,
}

/// The present entities of a graph, and the changes that its watcher has not taken yet.
///
/// **Invariant:** a watcher that takes and applies all changes has exactly the present entities. If an entity
/// comes and goes before its change is taken, there is no change. So there are never more changes to
/// take than present entities and entities that the watcher knows.
#[derive(Debug, Default)]
pub struct Watch {
    /// The present entities, by the process that has them.
    present: HashMap<u64, OfProcess>,
    /// The entities that have changed, each as the watcher knows it; `None` if the watcher does not know it.
    changed: HashMap<(u64, Id), Option<Entity>>,
    /// The keys of `changed`, in the order of their first changes.
    order: VecDeque<(u64, Id)>,
}

impl Watch {
    /// Replaces what is known of some records of a process, by the numbers of the records. Those without an entry have no
    /// entities any more. Returns whether there may be changes to take.
    pub fn update(
        &mut self,
        process: u64,
        records: impl IntoIterator<Item = (u64, Option<Entry>), IntoIter: Clone>,
    ) -> bool {
        let records = records.into_iter();
        // An entity may move to another record. So all old content is removed before the new content is added.
        for (record, _) in records.clone() {
            self.remove(process, record);
        }
        for (record, entry) in records {
            entry.into_iter().flat_map(entities).for_each(|entity| self.add(process, record, entity));
        }
        !self.changed.is_empty()
    }

    fn remove(&mut self, process: u64, record: u64) {
        let Some(present) = self.present.get_mut(&process) else { return };
        for id in present.records.remove(&record).unwrap_or_default() {
            if let Some((entity, _)) = present.entities.remove(&id) {
                note(&mut self.changed, &mut self.order, (process, id), Some(entity));
            }
        }
    }

    fn add(&mut self, process: u64, record: u64, entity: Entity) {
        let present = self.present.entry(process).or_default();
        let id = Id::of(&entity);
        let before = present.entities.insert(id.clone(), (entity, record));
        if let Some((_, other)) = &before
            && let Some(ids) = present.records.get_mut(other)
        {
            ids.retain(|other| *other != id);
        }
        present.records.entry(record).or_default().push(id.clone());
        note(&mut self.changed, &mut self.order, (process, id), before.map(|(entity, _)| entity));
    }

    /// Removes a process that has left or is dead. Returns whether there may be changes to take.
    pub fn forget(&mut self, process: u64) -> bool {
        let present = self.present.remove(&process).unwrap_or_default();
        for (id, (entity, _)) in present.entities {
            note(&mut self.changed, &mut self.order, (process, id), Some(entity));
        }
        !self.changed.is_empty()
    }

    /// Takes the next change.
    pub fn take(&mut self) -> Option<GraphChange> {
        loop {
            let key = self.order.pop_front()?;
            let before = self.changed.remove(&key).flatten();
            let now = self.present.get(&key.0).and_then(|present| present.entities.get(&key.1));
            let now = now.map(|(entity, _)| entity.clone());
            match (before, now) {
                (None, Some(now)) => return Some(GraphChange::Added(now)),
                (Some(before), None) => return Some(GraphChange::Removed(before)),
                (Some(before), Some(now)) if before != now => return Some(GraphChange::Changed(now)),
                // It came and went, or its properties are again what the watcher knows.
                _ => {}
            }
        }
    }
}

/// Notes that an entity has changed. The watcher knows it as `before`, unless it had changed already.
fn note(
    changed: &mut HashMap<(u64, Id), Option<Entity>>,
    order: &mut VecDeque<(u64, Id)>,
    key: (u64, Id),
    before: Option<Entity>,
) {
    if !changed.contains_key(&key) {
        changed.insert(key.clone(), before);
        order.push_back(key);
    }
}

fn entities(entry: Entry) -> Vec<Entity> {
    match entry {
        Entry::Node(node) => vec![Entity::Node(node)],
        Entry::Endpoint(endpoint) if endpoint.only_from.is_some() => Vec::new(),
        Entry::Endpoint(endpoint) => vec![Entity::Endpoint(endpoint)],
        Entry::Offer(offer) => offered(offer).map(Entity::Endpoint).collect(),
        Entry::Connection(_) | Entry::Type(_) | Entry::Device(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;
    use crate::Origin;

    fn node(number: u64, name: u8) -> Entry {
        Entry::Node(NodeInfo {
            gid: Gid::from_parts(1, number),
            namespace: "/".into(),
            name: format!("node_{name}"),
            origin: Origin::Local,
        })
    }

    #[test]
    fn an_entity_that_came_and_went_before_it_was_taken_is_not_reported() {
        let mut watch = Watch::default();
        assert!(watch.update(1, [(10, Some(node(1, 0))), (20, Some(node(2, 0)))]));
        assert!(watch.update(1, [(10, None), (20, Some(node(2, 1)))]));
        let Some(GraphChange::Added(Entity::Node(taken))) = watch.take() else { panic!("nothing came") };
        assert_eq!((taken.gid.entity(), taken.name.as_str()), (2, "node_1"));
        assert_eq!(watch.take(), None);
        watch.update(1, [(20, Some(node(2, 1)))]);
        assert_eq!(watch.take(), None);
        // It moves to another record.
        watch.update(1, [(10, Some(node(2, 1))), (20, None)]);
        assert_eq!(watch.take(), None);
        assert!(watch.update(1, [(10, Some(node(2, 2)))]));
        assert!(matches!(watch.take(), Some(GraphChange::Changed(_))));
        assert!(watch.forget(1));
        assert!(matches!(watch.take(), Some(GraphChange::Removed(_))));
    }

    proptest! {
        #[test]
        fn applying_all_differences_yields_the_present_entities(
            steps in prop::collection::vec(
                (0_u64..3, prop::collection::btree_map(0_u64..5, 0_u8..3, 0..5), 0_u64..5, 0_usize..4), 0..60,
            ),
        ) {
            let (mut watch, mut present) = (Watch::default(), HashMap::<u64, Vec<NodeInfo>>::new());
            let mut copy = HashMap::<Gid, NodeInfo>::new();
            let apply = |copy: &mut HashMap<Gid, NodeInfo>, change: GraphChange| match change {
                GraphChange::Added(Entity::Node(node)) => assert_eq!(copy.insert(node.gid, node), None),
                GraphChange::Changed(Entity::Node(node)) => {
                    assert!(copy.insert(node.gid, node).is_some());
                }
                GraphChange::Removed(Entity::Node(node)) => assert_eq!(copy.remove(&node.gid), Some(node)),
                other => panic!("{other:?}"),
            };
            for (process, nodes, shift, takes) in steps {
                // The nodes are in other records in each step.
                let records: Vec<(u64, Option<Entry>)> = (0..5)
                    .map(|number| {
                        let entry = nodes.get(&number).map(|name| node(process * 10 + number, *name));
                        ((number + shift) % 5, entry)
                    })
                    .collect();
                let infos = records.iter().filter_map(|(_, entry)| match entry {
                    Some(Entry::Node(node)) => Some(node.clone()),
                    _ => None,
                });
                present.insert(process, infos.collect());
                watch.update(process, records);
                for _ in 0..takes {
                    let Some(change) = watch.take() else { break };
                    apply(&mut copy, change);
                }
            }
            while let Some(change) = watch.take() {
                apply(&mut copy, change);
            }
            let expected: HashMap<Gid, NodeInfo> =
                present.into_values().flatten().map(|node| (node.gid, node)).collect();
            prop_assert_eq!(copy, expected);
        }
    }
}
