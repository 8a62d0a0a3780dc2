//! The mark of a publisher that comes late, as on a link that loses many packets.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{BridgeProcess, Received, Spun, ZenohNode, wait};
use saltus::QoS;
use saltus_e2e::ShmFolder;
use saltus_rmw::{Attachment, EntityKind, data_key};
use zenoh::Wait;

/// The numbers of the messages that are kept when the mark is set.
const KEPT: std::ops::RangeInclusive<i64> = 1..=3;

#[test]
fn a_volatile_subscription_receives_what_was_sent_before_a_late_mark_and_not_what_was_kept() {
    let folder = ShmFolder::new();
    let bridge = BridgeProcess::start(&folder, &["--router", "--listen", "tcp/127.0.0.1:0"]);
    let host = Spun::new(&folder, "host");
    let received = Received::new(&host, "/traffic", QoS::keep_last(100));
    let end = received.subscription.info().clone();
    // It stands for a bridge whose mark comes after the question for what is kept.
    let other = ZenohNode::connected_to(&bridge);
    let session = other.session.zid().to_string();
    let declare = |text: String| other.session.liveliness().declare_token(text).wait().unwrap();
    let _bridge = declare(format!("@saltus/0/{session}/bridge/0.1.0/other"));
    let key = data_key(0, "/traffic", &end.type_name, end.type_hash).unwrap();
    let questions = other.session.declare_queryable(format!("{key}/@adv/pub/{session}/**")).wait().unwrap();
    let kept = QoS::keep_last(10).transient_local();
    let gid = other.announce(EntityKind::Publisher, "/traffic", (&end.type_name, end.type_hash), kept);
    let message = |number: i64| {
        let payload = [&[0, 1, 0, 0][..], &number.to_le_bytes()].concat();
        let attachment = Attachment { sequence: number, source_time: Default::default(), gid };
        (payload, attachment.to_bytes())
    };
    // The first question is that of a subscription of Zenoh. The bridge's own comes when it does not wait for the mark any more.
    drop(questions.recv().unwrap());
    let question = questions.recv().unwrap();
    let _mark = declare(format!("@saltus/0/{session}/sends/{gid}/{}", KEPT.end()));
    let new = KEPT.end() + 1;
    // What was sent before the answer is in the answer, too.
    for number in KEPT.chain([new]) {
        let (payload, attachment) = message(number);
        question.reply(key.as_str(), payload).attachment(attachment).wait().unwrap();
    }
    let (payload, attachment) = message(new);
    other.session.put(key.as_str(), payload).attachment(attachment).wait().unwrap();
    drop(question);
    wait("the new message", || !received.numbers.lock().unwrap().is_empty());
    let (payload, attachment) = message(new + 1);
    other.session.put(key.as_str(), payload).attachment(attachment).wait().unwrap();
    received.wait_for(&[4, 5]);
}
