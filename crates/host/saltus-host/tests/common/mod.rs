//! A domain for each test, and participants in it.

#![allow(dead_code, reason = "each test file uses its own part of this")]

use std::{
    path::PathBuf,
    sync::{Arc, Condvar, Mutex, atomic::AtomicU32, atomic::Ordering},
    time::Duration,
};

use saltus_host::{
    DomainId, EndpointSpec, GraphEvent, NodeEntry, NodeSpec, Participant, Publisher, Subscription, TypeText,
};
use saltus_types::{NodeName, QoS, TopicName, TypeHash};

const LONG: Duration = Duration::from_secs(10);

/// The folder in `/dev/shm` of one test's domains. Dropping it removes the folder.
pub(crate) struct TestGraph(PathBuf);

impl TestGraph {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = PathBuf::from(format!("/dev/shm/saltus-test-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    /// Opens the folder that another process has created. When either is dropped, the folder is removed.
    pub(crate) fn of(folder: PathBuf) -> Self {
        Self(folder)
    }

    pub(crate) fn folder(&self) -> &PathBuf {
        &self.0
    }

    /// Creates a context in domain 0, with a node of this name.
    pub(crate) fn context(&self, name: &str) -> TestContext {
        self.context_in(0, name)
    }

    /// Creates a context in a domain, with a node of this name.
    pub(crate) fn context_in(&self, number: u32, name: &str) -> TestContext {
        let events = Arc::<(Mutex<Vec<GraphEvent>>, Condvar)>::default();
        let sink = events.clone();
        let domain = DomainId::in_folder(&self.0, number);
        let on_event = Box::new(move |event: &GraphEvent| {
            sink.0.lock().unwrap().push(event.clone());
            sink.1.notify_all();
        });
        let participant = Participant::join(domain, on_event).unwrap();
        let name = NodeName::new("/", name).unwrap();
        let node = participant.node(&NodeSpec::new(&name)).unwrap();
        TestContext { participant, node, name, events }
    }

    /// Waits until a publisher and a subscription are matched.
    pub(crate) fn match_up(&self, context: &TestContext, publisher: &Publisher, subscription: &Subscription) {
        let before = (publisher.status().matched, subscription.status().matched);
        let matched = || publisher.status().matched > 0 && subscription.status().matched > 0;
        assert!(context.participant.wait_until(LONG, matched), "not matched: {before:?}");
    }

    pub(crate) fn wait(&self, context: &TestContext, is_so: impl FnMut() -> bool) {
        assert!(context.participant.wait_until(LONG, is_so), "the condition has not become true in time");
    }

    /// Returns the names of all files in the users' folders in this folder.
    pub(crate) fn files(&self) -> Vec<String> {
        self.paths().iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
    }

    /// Returns the paths of all files in the users' folders in this folder.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        let inside = |folder: &PathBuf| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        inside(&self.0).collect::<Vec<_>>().iter().flat_map(inside).collect()
    }
}

impl Drop for TestGraph {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A participant with a node.
pub(crate) struct TestContext {
    pub(crate) participant: Participant,
    pub(crate) node: NodeEntry,
    name: NodeName,
    events: Arc<(Mutex<Vec<GraphEvent>>, Condvar)>,
}

impl TestContext {
    pub(crate) fn publisher(&self, topic: &str, qos: QoS) -> Publisher {
        self.with_spec(topic, "test/msg/Type", qos, |spec| self.participant.publisher(spec).unwrap())
    }

    pub(crate) fn subscription(&self, topic: &str, qos: QoS) -> Subscription {
        self.subscription_of(topic, "test/msg/Type", qos)
    }

    pub(crate) fn subscription_of(&self, topic: &str, type_name: &str, qos: QoS) -> Subscription {
        self.with_spec(topic, type_name, qos, |spec| self.participant.subscription(spec).unwrap())
    }

    /// Opens a client: the publisher of its requests, and the subscription to the responses.
    pub(crate) fn client(&self, name: &str) -> (Publisher, Subscription) {
        self.with_spec(name, "test/srv/Type", QoS::default(), |spec| self.participant.client(spec).unwrap())
    }

    /// Opens a server: the subscription to requests, and the publisher of its responses.
    pub(crate) fn server(&self, name: &str, type_name: &str) -> (Subscription, Publisher) {
        self.with_spec(name, type_name, QoS::default(), |spec| self.participant.server(spec).unwrap())
    }

    pub(crate) fn with_spec<T>(
        &self,
        topic: &str,
        type_name: &str,
        qos: QoS,
        open: impl FnOnce(&EndpointSpec<'_>) -> T,
    ) -> T {
        let topic = TopicName::expand(topic, &self.name).unwrap();
        let type_hash = TypeHash::from_digest([1; 32]);
        open(&EndpointSpec {
            node: self.node.info().gid,
            foreign: None,
            only_from: None,
            skips_own: false,
            topic: &topic,
            type_name,
            type_hash,
            qos,
            description: TypeText::Unknown,
        })
    }

    pub(crate) fn events(&self) -> Vec<GraphEvent> {
        self.events.0.lock().unwrap().clone()
    }

    /// Waits until there are `count` events, and returns them.
    pub(crate) fn wait_for_events(&self, count: usize) -> Vec<GraphEvent> {
        let (events, changed) = &*self.events;
        let few = |events: &mut Vec<GraphEvent>| events.len() < count;
        let (events, _) = changed.wait_timeout_while(events.lock().unwrap(), LONG, few).unwrap();
        events.clone()
    }
}
