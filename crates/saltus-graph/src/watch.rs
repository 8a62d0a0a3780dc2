//! What has changed in a graph since somebody last looked.

use std::collections::{HashMap, VecDeque};

use saltus_types::Gid;

use crate::{
    entity::{EndpointId, EndpointInfo, NodeInfo},
    entry::Entry,
    listing::offered,
};

/// Something in a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entity {
    /// A node.
    Node(NodeInfo),
    /// A publisher or subscription; of a client or server there are two. One that is
    /// [offered](EndpointInfo::is_offered) stands for a server that is not open.
    Endpoint(EndpointInfo),
}

/// What has happened to an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// It is new.
    Came(Entity),
    /// It says something else of itself than before.
    Changed(Entity),
    /// It is gone; this is what it said last.
    Went(Entity),
}

/// Which entity.
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

/// What a watcher knows of a graph, and what it was not told yet.
///
/// **Invariant:** whoever takes all differences and does what they say has the entities that are there. What came and went
/// before anybody looked is not told of, so what waits is never more than what there is and what was known.
#[derive(Debug, Default)]
pub struct Watch {
    /// What there is, by the process that says so.
    known: HashMap<u64, HashMap<Id, Entity>>,
    /// What was not told, with what the watcher knows of it; in the order in which it began to differ.
    untold: HashMap<(u64, Id), Option<Entity>>,
    order: VecDeque<(u64, Id)>,
}

impl Watch {
    /// Takes in everything that a process says of itself now. Whether there is something to tell.
    pub fn update(&mut self, process: u64, entries: impl IntoIterator<Item = Entry>) -> bool {
        let entities = entries.into_iter().flat_map(entities);
        let now: HashMap<Id, Entity> = entities.map(|entity| (Id::of(&entity), entity)).collect();
        let mut before = self.known.insert(process, now.clone()).unwrap_or_default();
        for (id, entity) in now {
            match before.remove(&id) {
                Some(same) if same == entity => {}
                other => self.note(process, id, other),
            }
        }
        before.into_iter().for_each(|(id, gone)| self.note(process, id, Some(gone)));
        !self.untold.is_empty()
    }

    /// A process has left or is dead. Whether there is something to tell.
    pub fn forget(&mut self, process: u64) -> bool {
        let told = self.update(process, []);
        self.known.remove(&process);
        told
    }

    /// An entity is not what the watcher knows: that was `before`, unless it differed already.
    fn note(&mut self, process: u64, id: Id, before: Option<Entity>) {
        let key = (process, id);
        if !self.untold.contains_key(&key) {
            self.untold.insert(key.clone(), before);
            self.order.push_back(key);
        }
    }

    /// The next difference.
    pub fn take(&mut self) -> Option<Difference> {
        loop {
            let key = self.order.pop_front()?;
            let before = self.untold.remove(&key).flatten();
            let now = self.known.get(&key.0).and_then(|known| known.get(&key.1)).cloned();
            match (before, now) {
                (None, Some(now)) => return Some(Difference::Came(now)),
                (Some(before), None) => return Some(Difference::Went(before)),
                (Some(before), Some(now)) if before != now => return Some(Difference::Changed(now)),
                // It came and went, or is again what it was.
                _ => {}
            }
        }
    }
}

fn entities(entry: Entry) -> Vec<Entity> {
    match entry {
        Entry::Node(node) => vec![Entity::Node(node)],
        Entry::Endpoint(endpoint) if endpoint.only_from.is_some() => Vec::new(),
        Entry::Endpoint(endpoint) => vec![Entity::Endpoint(endpoint)],
        Entry::Offer(offer) => offered(offer).map(Entity::Endpoint).collect(),
        Entry::Connection(_) | Entry::Type(_) => Vec::new(),
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
            origin: Origin::Here,
        })
    }

    #[test]
    fn what_came_and_went_before_anybody_looked_is_not_told_of() {
        let mut watch = Watch::default();
        assert!(watch.update(1, [node(1, 0), node(2, 0)]));
        assert!(watch.update(1, [node(2, 1)]));
        let Some(Difference::Came(Entity::Node(told))) = watch.take() else { panic!("nothing came") };
        assert_eq!((told.gid.entity(), told.name.as_str()), (2, "node_1"));
        assert_eq!(watch.take(), None);
        assert!(!watch.update(1, [node(2, 1)]));
        assert!(watch.update(1, [node(2, 2)]));
        assert!(matches!(watch.take(), Some(Difference::Changed(_))));
        assert!(watch.forget(1));
        assert!(matches!(watch.take(), Some(Difference::Went(_))));
    }

    proptest! {
        #[test]
        fn whoever_does_what_the_differences_say_has_what_there_is(
            steps in prop::collection::vec(
                (0_u64..3, prop::collection::btree_map(0_u64..5, 0_u8..3, 0..5), 0_usize..4), 0..60,
            ),
        ) {
            let (mut watch, mut there) = (Watch::default(), HashMap::<u64, Vec<NodeInfo>>::new());
            let mut copy = HashMap::<Gid, NodeInfo>::new();
            let follow = |copy: &mut HashMap<Gid, NodeInfo>, difference: Difference| match difference {
                Difference::Came(Entity::Node(node)) => assert_eq!(copy.insert(node.gid, node), None),
                Difference::Changed(Entity::Node(node)) => {
                    assert!(copy.insert(node.gid, node).is_some());
                }
                Difference::Went(Entity::Node(node)) => assert_eq!(copy.remove(&node.gid), Some(node)),
                other => panic!("{other:?}"),
            };
            for (process, nodes, takes) in steps {
                let entries: Vec<Entry> =
                    nodes.into_iter().map(|(number, name)| node(process * 10 + number, name)).collect();
                let says = entries.iter().filter_map(|entry| match entry {
                    Entry::Node(node) => Some(node.clone()),
                    _ => None,
                });
                there.insert(process, says.collect());
                watch.update(process, entries);
                for _ in 0..takes {
                    let Some(difference) = watch.take() else { break };
                    follow(&mut copy, difference);
                }
            }
            while let Some(difference) = watch.take() {
                follow(&mut copy, difference);
            }
            let expected: HashMap<Gid, NodeInfo> =
                there.into_values().flatten().map(|node| (node.gid, node)).collect();
            prop_assert_eq!(copy, expected);
        }
    }
}
