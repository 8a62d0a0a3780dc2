//! Tests with tokens of ROS 2 graphs, and with what others may send.

use std::time::Duration;

use proptest::prelude::*;
use saltus_types::{Durability, History, Liveliness, NodeName, QoS, Reliability, Time, TypeHash};

use crate::{
    Attachment, AttachmentError, EndpointToken, EntityKind, Token, TokenError, data_key, gid_of,
    name::{dds_type, ros_type},
    qos,
};

const STRING: &str = "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18";
const ADD: &str = "RIHS01_e118de6bf5eeb66a2491b5bda11202e7b68f198d6f67922cf30364858239c81a";

/// Tokens of rmw_zenoh on Jazzy and of other implementations, each with its gid where one was captured or computed by another
/// implementation.
fn captured() -> Vec<(String, Option<&'static str>)> {
    let zid = "@ros2_lv/0/8b20917502ee955ac4476e0266340d5c/0";
    let action = "@ros2_lv/0/b2df7289ac18ba116bc629bc95fc97af/0";
    let client = "@ros2_lv/0/542c8d95fe51acb7ecd5066322030d31/0";
    let fibonacci = "action_tutorials_interfaces::action::dds_::Fibonacci";
    vec![
        (format!("{zid}/0/NN/%/%/talker"), Some("82f480988f49d464f0f2c507f2f1a8c6")),
        (
            format!("{zid}/10/MP/%/%/talker/%chatter/std_msgs::msg::dds_::String_/{STRING}/::,7:,:,:,,"),
            Some("eb85fa883b7846dc448a4501890ad062"),
        ),
        (
            format!(
                "{zid}/10/MP/%/%robot1/talker/%robot1%chatter/std_msgs::msg::dds_::String_/{STRING}/::,7:,:,:,,"
            ),
            Some("800ff240d6ceac8243e3d6d5a20c6459"),
        ),
        (
            format!(
                "{zid}/10/SS/%/%/add_two_ints_server/%add_two_ints/example_interfaces::srv::dds_::AddTwoInts_/{ADD}/::,10:,:,:,,"
            ),
            Some("a355a28fefb0b05aaac5df22b7d56bd0"),
        ),
        (
            format!(
                "{zid}/10/SC/%/%/add_two_ints_client/%add_two_ints/example_interfaces::srv::dds_::AddTwoInts_/{ADD}/::,10:,:,:,,"
            ),
            Some("080930284bdc1082214e8819fe0faf37"),
        ),
        (
            "@ros2_lv/0/943f9ebc32acd3e072bfda12ce8c7ed2/0/2/MP/%/%/_ros2cli_31/%parameter_events/rcl_interfaces::msg::dds_::ParameterEvent_/RIHS01_043e627780fcad87a22d225bc2a037361dba713fca6a6b9f4b869a5aa0393204/::,1000:,:,:,,"
                .into(),
            None,
        ),
        (
            "@ros2_lv/0/ae35e834a80cb2398c738e251c05e716/0/1/MP/%/%/talker/%rosout/rcl_interfaces::msg::dds_::Log_/RIHS01_e28ce254ca8abc06abf92773b74602cdbf116ed34fbaf294fb9f81da9f318eac/:1:,1000:,:10,0:,,"
                .into(),
            None,
        ),
        (
            "@ros2_lv/0/943f9ebc32acd3e072bfda12ce8c7ed2/0/4/MS/%/%/_ros2cli_31/%cmd_vel/geometry_msgs::msg::dds_::TwistStamped_/RIHS01_5f0fcd4f81d5d06ad9b4c4c63e3ea51b82d6ae4d0558f1d475229b1121db6f64/2::,1:,:,:,,"
                .into(),
            None,
        ),
        (
            format!(
                "{action}/9/MP/%/%/zenoh_fibonacci_server/%fibonacci%_action%feedback/{fibonacci}_FeedbackMessage_/RIHS01_50fc26b9cac313652ecbeab3adf9b5414d59fd4d4d5f9058ddcc7525169927f1/2::,1:,:,:,,"
            ),
            Some("2041d9fc1b502356fb6c25007260ed11"),
        ),
        (
            format!(
                "{action}/11/MP/%/%/zenoh_fibonacci_server/%fibonacci%_action%status/action_msgs::msg::dds_::GoalStatusArray_/RIHS01_6c1684b00f177d37438febe6e709fc4e2b0d4248dca4854946f9ed8b30cda83e/2::,1:,:,:,,"
            ),
            Some("20bcb9b287d5fe9a472b20f9377f00d6"),
        ),
        (
            format!(
                "{client}/7/SC/%/%/zenoh_fibonacci_client/%fibonacci%_action%send_goal/{fibonacci}_SendGoal_/RIHS01_a0603060ed69fe2dfbd1a6f3b982a1749957ef346e4a4d2b311a05e305ec37bb/2::,1:,:,:,,"
            ),
            Some("73f12a77cf1332e4c943f6e620de62c3"),
        ),
        (
            format!(
                "{client}/8/SC/%/%/zenoh_fibonacci_client/%fibonacci%_action%get_result/{fibonacci}_GetResult_/RIHS01_8b47e383f1e31f6d8df6417ab54957e7d5ea24dad315646ad711ac3fdea81d58/2::,1:,:,:,,"
            ),
            Some("ac04a09c3f103bc7808904738ba18814"),
        ),
        (
            format!(
                "@ros2_lv/0/d108e5ae13baf6232cec23616ad12c0d/0/7/MP/%/%/zenoh_talker/%chatter/std_msgs::msg::dds_::String_/{STRING}/::,1:,:,:,,"
            ),
            Some("38a92abcf7b021b19abfcb926a2cd008"),
        ),
        (
            format!(
                "@ros2_lv/0/c4bd66e8c4e7dbc7c894f115edb016b6/1/1/MP/%/%/latcher/%latched/std_msgs::msg::dds_::String_/{STRING}/:1:,1:,:,:,,"
            ),
            None,
        ),
    ]
}

#[test]
fn captured_tokens_are_read_and_written() {
    for (text, gid) in captured() {
        let token: Token = text.parse().unwrap();
        assert_eq!(token.to_string(), text);
        if let Some(gid) = gid {
            assert_eq!(gid_of(&text).to_string(), gid, "{text}");
        }
    }
}

#[test]
fn a_token_has_the_names_the_type_and_the_profile() {
    let text = &captured()[2].0;
    let token: Token = text.parse().unwrap();
    let endpoint = token.endpoint.unwrap();
    assert_eq!((token.domain, token.node_id, token.id, token.enclave.as_str()), (0, 0, 10, "/"));
    assert_eq!(token.node.fully_qualified(), "/robot1/talker");
    assert_eq!((endpoint.kind, endpoint.name.as_str()), (EntityKind::Publisher, "/robot1/chatter"));
    assert_eq!(endpoint.type_name, "std_msgs/msg/String");
    assert_eq!((endpoint.type_hash, endpoint.qos), (STRING.parse().unwrap(), QoS::keep_last(7)));
    let key = data_key(0, &endpoint.name, &endpoint.type_name, endpoint.type_hash).unwrap();
    assert_eq!(key, format!("0/robot1/chatter/std_msgs::msg::dds_::String_/{STRING}"));
}

#[test]
fn humble_has_no_hashes_and_lyrical_has_one_part_more() {
    let humble = captured()[1].0.replace(STRING, "TypeHashNotSupported");
    let token: Token = humble.parse().unwrap();
    assert_eq!(token.endpoint.as_ref().unwrap().type_hash, TypeHash::UNKNOWN);
    assert_eq!(token.to_string(), humble);
    let zeros = captured()[1].0.replace(STRING, &TypeHash::UNKNOWN.to_string());
    assert_eq!(zeros.parse::<Token>().unwrap().endpoint.unwrap().type_hash, TypeHash::UNKNOWN);
    let lyrical = format!("{}/backends:cpu:", captured()[1].0);
    let token: Token = lyrical.parse().unwrap();
    assert_eq!(token.endpoint.as_ref().unwrap().backends.as_deref(), Some("cpu:"));
    assert_eq!(token.to_string(), lyrical);
    // Later versions may add parts.
    let later = format!("{lyrical}/more/parts");
    assert_eq!(later.parse::<Token>().unwrap().to_string(), lyrical);
}

#[test]
fn profiles_are_those_of_rmw_zenoh() {
    let rosout = QoS { lifespan: Some(Duration::from_secs(10)), ..QoS::keep_last(1000).transient_local() };
    for (qos, text) in [
        (QoS::keep_last(42), "::,:,:,:,,"),
        (QoS::keep_last(10), "::,10:,:,:,,"),
        (QoS::keep_last(5).best_effort(), "2::,5:,:,:,,"),
        (QoS::keep_last(1).transient_local(), ":1:,1:,:,:,,"),
        (rosout, ":1:,1000:,:10,0:,,"),
        (QoS { history: History::KeepAll, ..QoS::default() }, "::2,:,:,:,,"),
    ] {
        assert_eq!(qos::encode(&qos), text);
        assert_eq!(qos::decode(text), Some(qos), "{text}");
    }
    // What another implementation may write.
    assert_eq!(qos::decode("1:2:1,10:,:0,0:1,9223372036,854775807"), Some(QoS::keep_last(10)));
    assert_eq!(qos::decode("::,0:,:,:,,").unwrap().history, History::KeepLast(1));
    assert_eq!(qos::decode("::,9999999:,:,:,,").unwrap().history, History::KeepLast(u16::MAX));
    for wrong in [
        "",
        ":::::",
        "4::,1:,:,:,,",
        ":3:,1:,:,:,,",
        "::3,1:,:,:,,",
        "::,-1:,:,:,,",
        "::,1:,:,:,,:",
        "::,1:1:,:,,",
        "::,1:,:,:5,,",
        "::,1:1,1000000000:,:,,",
        "::,99999999999999999999999:,:,:,,",
    ] {
        assert_eq!(qos::decode(wrong), None, "{wrong}");
    }
}

#[test]
fn what_is_no_token_is_an_error_that_says_why() {
    let good = &captured()[1].0;
    let error = |text: &str| text.parse::<Token>().unwrap_err().to_string();
    for (from, to, want) in [
        ("@ros2_lv", "@ros2", "the first part `@ros2` of the token"),
        ("/0/8b", "/-1/8b", "the domain `-1` of the token"),
        ("/0/8b", "/4294967296/8b", "the domain `4294967296` of the token"),
        ("8b2091", "xb2091", "the session `xb2091"),
        ("/MP/", "/XX/", "the kind `XX` of the token"),
        ("%chatter", "chatter", "the name `chatter` of the token"),
        ("%chatter", "%a-b", "topic name"),
        ("/talker", "/tal ker", "node name"),
        ("dds_::String_", "dds_::String", "the type `std_msgs::msg::dds_::String` of the token"),
        ("RIHS01", "RIHS02", "the hash `RIHS02"),
        ("::,7", "::7", "the profile `::7"),
        ("/%/%/", "//%/", "the token has 13 parts"),
        ("/::,7:,:,:,,", "", "the token has 12 parts"),
        ("/10/", "/99999999999999999999/", "the number of the entity `99999999999999999999` of the token"),
    ] {
        let text = good.replacen(from, to, 1);
        assert!(error(&text).contains(want), "{text}\n{}", error(&text));
    }
    assert_eq!("x".repeat(2000).parse::<Token>(), Err(TokenError::Length(2000)));
}

#[test]
fn types_have_their_names_in_dds() {
    let long = "action_tutorials_interfaces/action/Fibonacci_SendGoal";
    assert_eq!(dds_type(long).unwrap(), "action_tutorials_interfaces::action::dds_::Fibonacci_SendGoal_");
    assert_eq!(ros_type(&dds_type(long).unwrap()).unwrap(), long);
    for wrong in ["std_msgs", "a/b", "a/b/c/d", "a//c", "a/b/c*", "a/msg/é"] {
        assert_eq!(dds_type(wrong), None, "{wrong}");
    }
    for wrong in ["a::msg::String_", "a::msg::dds_::String", "a::msg::dds_::_", "a::msg::dds_::b::c_"] {
        assert_eq!(ros_type(wrong), None, "{wrong}");
    }
}

#[test]
fn an_attachment_is_33_bytes() {
    let gid = gid_of(&captured()[1].0);
    let sent = Attachment { sequence: 1, source_time: Time::from_nanos(1_700_000_000_123_456_789), gid };
    let bytes = sent.to_bytes();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, "010000000000000015cd853dfe9c971710eb85fa883b7846dc448a4501890ad062");
    assert_eq!(Attachment::from_bytes(&bytes), Ok(sent));
    assert_eq!(Attachment::from_bytes(&bytes[..32]), Err(AttachmentError::Length(32)));
    let mut wrong = bytes;
    wrong[16] = 17;
    assert_eq!(Attachment::from_bytes(&wrong), Err(AttachmentError::GidLength(17)));
    wrong = bytes;
    wrong[7] = 0x80;
    assert!(matches!(Attachment::from_bytes(&wrong), Err(AttachmentError::Negative { .. })));
}

fn any_duration() -> impl Strategy<Value = Option<Duration>> {
    prop::option::of(
        (1_u64..1 << 33, 0_u32..1_000_000_000).prop_map(|(secs, nanos)| Duration::new(secs, nanos)),
    )
}

fn any_qos() -> impl Strategy<Value = QoS> {
    let times = (any_duration(), any_duration(), any_duration());
    (any::<[bool; 4]>(), 1..=u16::MAX, times).prop_map(|(is, depth, (deadline, lifespan, lease))| QoS {
        reliability: if is[0] { Reliability::Reliable } else { Reliability::BestEffort },
        durability: if is[1] { Durability::Volatile } else { Durability::TransientLocal },
        history: if is[2] { History::KeepLast(depth) } else { History::KeepAll },
        liveliness: if is[3] { Liveliness::Automatic } else { Liveliness::ManualByTopic },
        deadline,
        lifespan,
        lease,
    })
}

proptest! {
    #[test]
    fn each_token_is_read_as_it_was_written(
        (domain, node_id, id, session) in (any::<u32>(), any::<u64>(), any::<u64>(), "[1-9a-f][0-9a-f]{0,31}"),
        (namespace, base, name) in ("(/[a-z_][a-z0-9]{0,8}){1,3}", "[a-z_][a-z0-9_]{0,10}", "(/[a-z][a-z0-9]{0,8}){1,4}"),
        kind in 1_usize..5,
        (digest, qos) in (any::<[u8; 32]>(), any_qos()),
    ) {
        let endpoint = EndpointToken {
            kind: [EntityKind::Node, EntityKind::Publisher, EntityKind::Subscription, EntityKind::Server, EntityKind::Client][kind],
            name,
            type_name: "geometry_msgs/msg/Twist".into(),
            type_hash: TypeHash::from_digest(digest),
            qos,
            backends: None,
        };
        let node = NodeName::new(&namespace, &base).unwrap();
        let token = Token { domain, session, node_id, id, enclave: "/".into(), node, endpoint: Some(endpoint) };
        prop_assert_eq!(token.to_string().parse::<Token>(), Ok(token));
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC{0,200}", parts in prop::collection::vec("[@a-z0-9%:,_]{0,12}", 0..16)) {
        let _ = text.parse::<Token>();
        let _ = format!("@ros2_lv/{}", parts.join("/")).parse::<Token>();
        let _ = qos::decode(&parts.join(":"));
        let _ = Attachment::from_bytes(text.as_bytes());
    }
}
