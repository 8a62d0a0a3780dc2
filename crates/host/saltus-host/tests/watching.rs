//! Watches of the graph, and changes that other processes are told of together.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::{collections::BTreeSet, time::Duration};

use common::{TestContext, TestGraph};
use saltus_host::{
    EndpointKind, EndpointSpec, Entity, Foreign, GraphChange, GraphWatch, Origin, Shown, TypeText,
};
use saltus_types::{NodeName, QoS, TopicName, TypeHash};

const LONG: Duration = Duration::from_secs(10);

/// What a watch has told by now.
struct Seen {
    watch: GraphWatch,
    topics: BTreeSet<String>,
    nodes: BTreeSet<String>,
}

impl Seen {
    fn new(watch: GraphWatch) -> Self {
        Self { watch, topics: BTreeSet::new(), nodes: BTreeSet::new() }
    }

    fn take(&mut self) {
        while let Some(change) = self.watch.take() {
            match change {
                GraphChange::Added(Entity::Endpoint(end)) => assert!(self.topics.insert(end.topic)),
                GraphChange::Removed(Entity::Endpoint(end)) => assert!(self.topics.remove(&end.topic)),
                GraphChange::Added(Entity::Node(node)) => assert!(self.nodes.insert(node.name)),
                GraphChange::Removed(Entity::Node(node)) => assert!(self.nodes.remove(&node.name)),
                GraphChange::Changed(entity) => panic!("{entity:?}"),
            }
        }
    }

    fn wait_for_topics(&mut self, context: &TestContext, count: usize) {
        let has_count = || {
            self.take();
            self.topics.len() == count
        };
        assert!(context.participant.wait_until(LONG, has_count), "{} topics", self.topics.len());
    }
}

fn names<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.map(str::to_owned).into()
}

/// Shows a publisher of another system.
fn show(context: &TestContext, batch: &mut saltus_host::Batch<'_>, number: usize) -> Shown {
    let topic = TopicName::expand(&format!("/t{number}"), &NodeName::new("/", "n").unwrap()).unwrap();
    let foreign = Foreign { origin: Origin::Foreign("far".into()), gid: context.participant.new_gid() };
    let spec = EndpointSpec {
        node: context.node.info().gid,
        topic: &topic,
        type_name: "test/msg/Type",
        type_hash: TypeHash::UNKNOWN,
        qos: QoS::default(),
        description: TypeText::Unknown,
        foreign: Some(&foreign),
        only_from: None,
        skips_own: false,
    };
    batch.show(EndpointKind::Publisher, &spec).unwrap()
}

#[test]
fn a_watch_has_all_entities_or_those_of_others() {
    let graph = TestGraph::new();
    let (a, b) = (graph.context("a"), graph.context("b"));
    let _before = a.publisher("own", QoS::default());
    let _other = b.publisher("other", QoS::default());
    graph.wait(&a, || a.participant.graph().endpoints.len() == 2);
    let mut all = Seen::new(a.participant.watch().unwrap());
    let mut others = Seen::new(a.participant.watch_others().unwrap());
    let _after = a.publisher("own_later", QoS::default());
    let later = b.publisher("other_later", QoS::default());
    all.wait_for_topics(&a, 4);
    others.wait_for_topics(&a, 2);
    assert_eq!((&all.nodes, &others.nodes), (&names(["a", "b"]), &names(["b"])));
    assert_eq!(others.topics, names(["/other", "/other_later"]));
    // A watch that comes later begins with what is there.
    let mut late = Seen::new(a.participant.watch().unwrap());
    drop(later);
    all.wait_for_topics(&a, 3);
    late.wait_for_topics(&a, 3);
    others.wait_for_topics(&a, 1);
    drop((all, late));
    let _last = a.publisher("last", QoS::default());
    assert!(Seen::new(a.participant.watch().unwrap()).watch.take().is_some());
}

#[test]
fn a_batch_is_seen_as_a_whole_when_it_ends() {
    let graph = TestGraph::new();
    let (a, b) = (graph.context("a"), graph.context("b"));
    let mut seen = Seen::new(b.participant.watch_others().unwrap());
    let mut batch = a.participant.batch().unwrap();
    let mut shown: Vec<Shown> = (0..3000).map(|number| show(&a, &mut batch, number)).collect();
    drop(batch);
    seen.wait_for_topics(&b, 3000);
    let mut batch = a.participant.batch().unwrap();
    batch.remove(shown.drain(1000..2000));
    shown.extend((3000..3100).map(|number| show(&a, &mut batch, number)));
    drop(batch);
    seen.wait_for_topics(&b, 2100);
    assert!(seen.topics.contains("/t0") && !seen.topics.contains("/t1500") && seen.topics.contains("/t3099"));
    drop(shown.pop());
    seen.wait_for_topics(&b, 2099);
    drop(shown);
    seen.wait_for_topics(&b, 0);
    assert_eq!(b.participant.graph().endpoints.len(), 0);
}

#[test]
fn a_batch_removes_entries_of_other_participants_from_their_own_domain() {
    let graph = TestGraph::new();
    let (a, b) = (graph.context("a"), graph.context("b"));
    let c = graph.context("c");
    let mut seen = Seen::new(c.participant.watch_others().unwrap());
    let mut batch = b.participant.batch().unwrap();
    let of_b = show(&b, &mut batch, 1);
    drop(batch);
    let mut batch = a.participant.batch().unwrap();
    let of_a = show(&a, &mut batch, 2);
    drop(batch);
    seen.wait_for_topics(&c, 2);
    let mut batch = a.participant.batch().unwrap();
    // Both have the same place in the memory of their participants.
    batch.remove([of_b]);
    drop(batch);
    seen.wait_for_topics(&c, 1);
    assert_eq!(seen.topics, names(["/t2"]));
    drop(of_a);
    seen.wait_for_topics(&c, 0);
}
