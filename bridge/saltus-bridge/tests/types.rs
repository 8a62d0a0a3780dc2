//! Types that only one host knows.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Spun, TwoHosts, ZenohNode, command, wait};
use saltus::{
    QoS,
    advanced::TypeHash,
    cdr::{Message, Service, decode, encode},
    generic::TypeId,
    msgs::{
        std_msgs::msg::UInt8MultiArray,
        type_description_interfaces::{
            msg::{Field, FieldType, IndividualTypeDescription, TypeDescription},
            srv::{GetTypeDescription, GetTypeDescription_Request, GetTypeDescription_Response},
        },
    },
    types::Time,
};
use saltus_e2e::ShmFolder;
use std::sync::{Arc, Mutex};

use saltus_idl::{Interfaces, SourceKind};
use saltus_rmw::{Attachment, EntityKind, data_key};
use zenoh::Wait;

/// Returns the type `demo/msg/Thing` with a definition.
fn thing(definition: &str) -> TypeId {
    let mut interfaces = Interfaces::default();
    interfaces.add("demo", SourceKind::Message, "Thing", definition).unwrap();
    let name = "demo/msg/Thing".to_owned();
    let hash = interfaces.type_hash(&name).unwrap();
    TypeId { hash, description: Some(interfaces.description_json(&name).unwrap()), name }
}

/// Waits until the graph of a host has the description of a type.
fn wait_for_description(host: &Spun, hash: TypeHash) {
    wait("the description", || host.context.participant().description(hash).is_some());
}

/// Returns what a command of a host prints.
fn output(shm: &ShmFolder, words: &[&str]) -> String {
    let output = command(shm, "saltus", words).output().unwrap();
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_type_that_only_the_other_host_knows_can_be_read() {
    let hosts = TwoHosts::new();
    let (here, there) = (Spun::new(&hosts.folders[0], "talker"), Spun::new(&hosts.folders[1], "listener"));
    let ty = thing("int32 number\nfloat64 other");
    let kept = QoS::keep_last(1).transient_local();
    let publisher = here.node.generic_publisher("/thing", &ty, kept).unwrap();
    let fields = [&42_i32.to_le_bytes()[..], &[0; 4], &0.5_f64.to_le_bytes()].concat();
    publisher.publish(&[&[0, 1, 0, 0][..], &fields].concat()).unwrap();
    wait_for_description(&there, ty.hash);
    let shown = output(&hosts.folders[1], &["topic", "echo", "--once", "/thing"]);
    assert_eq!(shown, "number: 42\nother: 0.5\n---\n");
}

#[test]
fn two_definitions_of_a_type_are_told_with_the_first_field_that_differs() {
    let hosts = TwoHosts::new();
    let (here, there) = (Spun::new(&hosts.folders[0], "talker"), Spun::new(&hosts.folders[1], "listener"));
    let [one, other] = ["int32 number\nfloat64 other", "int32 number\nfloat32 other"].map(thing);
    let _publisher = here.node.generic_publisher("/thing", &one, QoS::keep_last(1)).unwrap();
    let _subscription = there.node.generic_subscription("/thing", &other, QoS::keep_last(1)).unwrap();
    for host in [&here, &there] {
        wait("both ends", || {
            host.context.graph().endpoints.iter().filter(|end| end.topic == "/thing").count() == 2
        });
        wait_for_description(host, one.hash);
        wait_for_description(host, other.hash);
    }
    let expected = format!(
        "/thing: /talker publishes messages that /listener can't take (type mismatch, demo/msg/Thing: {} and {}; `other` is float64 \
         and float32): give both the same type",
        one.hash, other.hash
    );
    for folder in &hosts.folders {
        let found = output(folder, &["doctor"]);
        assert!(found.contains(&expected), "{found}");
    }
}

/// Returns the description of `demo/msg/Thing` with one field.
fn description(name: &str, type_id: u8) -> TypeDescription {
    let r#type = FieldType { type_id, ..FieldType::default() };
    let fields = vec![Field { name: name.into(), r#type, default_value: String::new() }];
    let type_description = IndividualTypeDescription { type_name: "demo/msg/Thing".into(), fields };
    TypeDescription { type_description, referenced_type_descriptions: Vec::new() }
}

#[test]
fn a_node_that_is_no_bridge_is_asked_for_its_types_and_only_the_true_answer_is_used() {
    let hosts = TwoHosts::new();
    let there = Spun::new(&hosts.folders[1], "there");
    let node = ZenohNode::connected_to(&hosts.bridges[0]);
    let (name, hash) = (GetTypeDescription::TYPE.name, GetTypeDescription::TYPE.hash);
    let key = data_key(0, "/zenoh_node/get_type_description", name, hash).unwrap();
    let answer = |query: zenoh::query::Query| {
        let request: GetTypeDescription_Request = decode(&query.payload().unwrap().to_bytes()).unwrap();
        assert_eq!(request.type_name, "demo/msg/Thing");
        // It lies about the second type.
        let id = if request.type_hash == thing("int32 number").hash.to_string() { 6 } else { 7 };
        let response = GetTypeDescription_Response {
            successful: true,
            type_description: description("number", id),
            ..GetTypeDescription_Response::default()
        };
        query.reply(query.key_expr(), encode(&response).unwrap()).wait().unwrap();
    };
    let _queryable = node.session.declare_queryable(key).complete(true).callback(answer).wait().unwrap();
    let [one, other] = ["int32 number", "float32 number"].map(thing);
    for (topic, ty) in [("/other", &other), ("/one", &one)] {
        node.announce(EntityKind::Publisher, topic, (&ty.name, ty.hash), QoS::keep_last(10));
    }
    wait_for_description(&there, one.hash);
    assert_eq!(there.context.participant().description(other.hash), None);
}

#[test]
fn bytes_are_received_on_the_key_of_buffers_too() {
    let hosts = TwoHosts::new();
    let here = Spun::new(&hosts.folders[0], "here");
    let node = ZenohNode::connected_to(&hosts.bridges[0]);
    let received = Arc::<Mutex<Vec<u8>>>::default();
    let into = received.clone();
    let subscription = here.node.subscription::<UInt8MultiArray>("/bytes").callback(move |message| {
        into.lock().unwrap().push(message.data[0]);
    });
    let subscription = subscription.unwrap();
    let ty = (UInt8MultiArray::TYPE_NAME, UInt8MultiArray::TYPE_HASH);
    let gid = node.announce(EntityKind::Publisher, "/bytes", ty, QoS::keep_last(10));
    wait("the publisher", || subscription.status().matched == 1);
    // A publisher of Lyrical sends there only if all subscriptions have announced that they read it.
    let tokens = node.session.liveliness().get("@ros2_lv/0/**/MS/**").wait().unwrap();
    let tokens: Vec<String> =
        tokens.into_iter().map(|reply| reply.result().unwrap().key_expr().to_string()).collect();
    assert!(tokens.iter().all(|token| token.ends_with("/backends:cpu:")), "{tokens:?}");
    assert_eq!(tokens.len(), 1, "{tokens:?}");
    let key = data_key(0, "/bytes", ty.0, ty.1).unwrap();
    for (number, key) in [(1, format!("{key}/_buf_cpu")), (2, key)] {
        let message = UInt8MultiArray { data: vec![number], ..UInt8MultiArray::default() };
        let attachment = Attachment { sequence: number.into(), source_time: Time::from_nanos(1), gid };
        let put = node.session.put(key, encode(&message).unwrap());
        put.attachment(attachment.to_bytes()).wait().unwrap();
        wait("the message", || received.lock().unwrap().len() == usize::from(number));
    }
    assert_eq!(*received.lock().unwrap(), [1, 2]);
    assert_eq!(subscription.status().losses.total(), 0);
}
