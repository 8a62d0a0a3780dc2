//! Generic endpoints, messages that the program keeps, offered services, and callbacks for changes of the graph.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, mpsc},
    time::Duration,
};

use saltus_cdr::Message;
use saltus_executor::{Executor, MultiThreadedExecutor, SingleThreadedExecutor};
use saltus_msgs::std_msgs::msg::{String as Text, UInt64};
use saltus_node::{
    Context, ContextOptions, EndpointInfo, EndpointKind, Entity, GraphChange, Node, Origin, Received,
    RosArgs, Stamp, TypeId, observe_graph,
};
use saltus_types::{Gid, Time, TypeHash};

const LONG: Duration = Duration::from_secs(20);

/// A context with a node, in a folder that is removed when the test ends.
struct Scene {
    node: Node,
    context: Context,
    folder: tempfile::TempDir,
}

impl Scene {
    fn new(arguments: &[&str]) -> Self {
        let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
        let args = RosArgs::parse(arguments.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>()).unwrap();
        let options = ContextOptions::default().folder(folder.path()).handle_signals(false);
        let context = options.args(args).create().unwrap();
        let node = context.node("node").create().unwrap();
        Self { node, context, folder }
    }

    fn spin_until(&self, mut condition: impl FnMut() -> bool) {
        let mut executor = SingleThreadedExecutor::new(&self.context).unwrap();
        executor.add_node(&self.node);
        while !condition() {
            assert!(executor.spin_once(Some(LONG)).unwrap());
        }
    }
}

fn untyped(name: &str) -> TypeId {
    TypeId { name: name.into(), hash: TypeHash::UNKNOWN, description: None }
}

#[test]
fn a_publisher_for_another_system_has_its_origin_gid_stamps_and_numbers() {
    let scene = Scene::new(&[]);
    let gid = Gid::from_parts(77, 1234);
    let endpoint = scene.node.generic_endpoint("chatter", &untyped(Text::TYPE_NAME));
    let publisher = endpoint.origin("other_robot", Some(gid)).publisher().unwrap();
    let subscription = scene.node.subscription::<Text>("chatter").create().unwrap();
    assert!(publisher.wait_for_subscriptions(1, LONG), "an unknown hash matches every hash");
    let bytes = saltus_cdr::encode(&Text { data: "from another robot".into() }).unwrap();
    let stamp = Stamp { source_time: Time::from_nanos(42), sequence: 1000, gid: None };
    publisher.publish_stamped(&bytes, stamp).unwrap();
    let (message, info) = subscription.take().unwrap().unwrap();
    assert_eq!(message.data, "from another robot");
    assert_eq!((info.publisher, info.source_time, info.sequence), (gid, stamp.source_time, stamp.sequence));
    assert_eq!(info.received_sequence, 1);
    assert!(info.received_time > info.source_time);
    // One publisher may send the messages of several.
    let first = Gid::from_parts(78, 5);
    publisher.publish_stamped(&bytes, Stamp { gid: Some(first), ..stamp }).unwrap();
    assert_eq!(subscription.take().unwrap().unwrap().1.publisher, first);
    let graph = scene.context.graph();
    let seen =
        graph.endpoints.iter().find(|one| one.kind == EndpointKind::Publisher && one.gid == gid).unwrap();
    assert_eq!(seen.origin, Origin::Foreign("other_robot".into()));
    let hash = saltus_types::TypeHash::from_digest(*UInt64::TYPE_HASH.digest());
    let other = TypeId { hash, ..untyped(Text::TYPE_NAME) };
    let other_hash = scene.node.generic_subscription("chatter", &other, 10).unwrap();
    assert_eq!(subscription.status().incompatible, 0);
    assert_eq!(other_hash.publisher_count(), 1, "the hash of the publisher is unknown");
}

#[test]
fn an_executor_calls_back_with_bytes() {
    let scene = Scene::new(&[]);
    let (sender, receiver) = mpsc::channel();
    let ty = TypeId { hash: Text::TYPE_HASH, ..untyped(Text::TYPE_NAME) };
    let _called = scene
        .node
        .generic_endpoint("chatter", &ty)
        .callback(move |sample| drop(sender.send(sample.to_vec())))
        .unwrap();
    let publisher = scene.node.publisher::<Text>("chatter").create().unwrap();
    publisher.publish(&Text { data: "bytes".into() }).unwrap();
    let mut got = None;
    scene.spin_until(|| {
        got = receiver.try_recv().ok();
        got.is_some()
    });
    assert_eq!(saltus_cdr::decode::<Text>(&got.unwrap()).unwrap().data, "bytes");
}

#[test]
fn kept_messages_do_not_change_and_count_against_the_borrow_limit() {
    let scene = Scene::new(&[]);
    let kept = Arc::<Mutex<Vec<Received<UInt64>>>>::default();
    let keep = kept.clone();
    let subscription = scene
        .node
        .subscription::<UInt64>("numbers")
        .qos(100)
        .borrow_limit(4)
        .received(move |message| keep.lock().unwrap().push(message))
        .unwrap();
    let publisher = scene.node.publisher::<UInt64>("numbers").qos(100).create().unwrap();
    assert!(publisher.wait_for_subscriptions(1, LONG));
    (0..10).for_each(|data| publisher.publish(&UInt64 { data }).unwrap());
    scene.spin_until(|| kept.lock().unwrap().len() == 10);
    assert_eq!(subscription.status().copied, 6, "four are borrowed");
    // The messages are read on other threads, while messages are published that reuse all memory that is not borrowed.
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let kept = kept.lock().unwrap().clone();
            std::thread::spawn(move || {
                for (number, message) in (0..).zip(kept) {
                    assert_eq!(message.value().unwrap().data, number);
                    assert_eq!(message.info().sequence, number + 1);
                    assert_eq!(message.info().received_sequence, number + 1);
                }
            })
        })
        .collect();
    (10..200).for_each(|data| publisher.publish(&UInt64 { data }).unwrap());
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let copied = subscription.status().copied;
    kept.lock().unwrap().clear();
    scene.spin_until(|| !kept.lock().unwrap().is_empty());
    assert_eq!(subscription.status().copied, copied, "the dropped messages do not count any more");
}

#[test]
fn a_kept_message_outlives_its_publisher() {
    let scene = Scene::new(&[]);
    let mut executor = MultiThreadedExecutor::new(&scene.context).unwrap().threads(2);
    executor.add_node(&scene.node);
    let last = Arc::new(Mutex::new(None::<Received<Text>>));
    let (keep, handle) = (last.clone(), executor.handle());
    let _subscription = scene
        .node
        .subscription::<Text>("chatter")
        .received(move |message| {
            *keep.lock().unwrap() = Some(message);
            handle.cancel();
        })
        .unwrap();
    let publisher = scene.node.publisher::<Text>("chatter").create().unwrap();
    publisher.publish(&Text { data: "kept".into() }).unwrap();
    executor.spin().unwrap();
    drop(publisher);
    let message = last.lock().unwrap().take().unwrap();
    assert_eq!(message.view().unwrap().data(), "kept", "the publisher has gone");
}

/// A node's parameter services are offered under the names that the user remaps them to.
#[test]
fn an_offered_service_is_shown_under_its_remapped_name() {
    let remap = ["--ros-args", "-r", "~/list_parameters:=/everything"];
    let scene = Scene::new(&remap);
    let options = ContextOptions::default().folder(scene.folder.path()).handle_signals(false);
    let domain = options.domain_id().unwrap();
    for graph in [scene.context.graph(), observe_graph(&domain).unwrap()] {
        let mut names: Vec<&str> = graph.servers.iter().map(|server| server.topic.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names.len(), 6);
        assert!(names.contains(&"/everything") && !names.contains(&"/node/list_parameters"));
        assert!(graph.servers.iter().all(EndpointInfo::is_offered));
    }
}

/// A program that applies all differences knows every entity of every process, without polling.
#[test]
fn a_graph_callback_is_called_for_each_entity_that_comes_or_goes() {
    let scene = Scene::new(&[]);
    let names = Arc::<Mutex<BTreeSet<String>>>::default();
    let seen = names.clone();
    let name_of = |entity: Entity| match entity {
        Entity::Node(node) => format!("node {}", node.name),
        Entity::Endpoint(end) => format!("{:?} {}", end.kind, end.name()),
    };
    let watch = scene.node.watch_graph(move |difference| match difference {
        GraphChange::Added(entity) => assert!(seen.lock().unwrap().insert(name_of(entity))),
        GraphChange::Changed(entity) => panic!("{entity:?} has changed"),
        GraphChange::Removed(entity) => assert!(seen.lock().unwrap().remove(&name_of(entity))),
    });
    let watch = watch.unwrap();
    let has = |name: &str| names.lock().unwrap().contains(name);
    scene.spin_until(|| has("node node") && has("Subscription /node/get_parameters"));
    let other = ContextOptions::default().folder(scene.folder.path()).handle_signals(false).create().unwrap();
    let node = other.node("other").start_parameter_services(false).create().unwrap();
    let publisher = node.publisher::<Text>("chatter").create().unwrap();
    scene.spin_until(|| has("node other") && has("Publisher /chatter"));
    drop(publisher);
    scene.spin_until(|| !has("Publisher /chatter"));
    assert!(has("node other"));
    drop((node, other));
    scene.spin_until(|| !has("node other"));
    drop(watch);
    let _more = scene.node.publisher::<Text>("more").create().unwrap();
    let mut executor = SingleThreadedExecutor::new(&scene.context).unwrap();
    executor.add_node(&scene.node);
    executor.spin_some().unwrap();
    assert!(!has("Publisher /more"));
}
