//! Tests of the findings on reports.

use saltus::{QoS, context::ContextOptions, msgs::std_msgs::msg::String as Text};

use super::*;

#[test]
fn messages_that_wait_too_long_and_full_memory_are_found() {
    let folder = std::env::temp_dir().join(format!("saltus-findings-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let options = ContextOptions::default().domain(0).folder(&folder).handle_signals(false);
    let context = options.clone().create().unwrap();
    let node = context.node("sleeper").create().unwrap();
    let _subscription = node.subscription::<Text>("chatter").create().unwrap();
    let chatter = node.publisher::<Text>("chatter").create().unwrap();
    chatter.publish(&Text::default()).unwrap();
    let mut report = Report::observe(options.domain_id().unwrap()).unwrap();
    report.space = (100, 100);
    let minute = Duration::from_secs(60);
    assert_eq!(find(&report, &[], minute), []);
    report.connections[0].oldest = Some(Duration::from_secs(12));
    report.space = (9, 100);
    report.endpoints.entry(chatter.info().gid).or_default().failed = 3;
    report.endpoints.entry(chatter.info().gid).or_default().last_losses[LossCause::OutOfMemory as usize] =
        Some(Duration::from_secs(2));
    let found: Vec<String> = find(&report, &[], minute).iter().map(ToString::to_string).collect();
    let want = [
        "/chatter: /sleeper could not publish 3 messages because shared memory was full, the last 2 s ago",
        "/chatter: 1 message waits at /sleeper, the oldest for 12 s: spin the node or take the messages",
        "only 0.0 KB of 0.1 KB of shared memory is free: enlarge shared memory",
    ];
    assert!(found.iter().zip(want).all(|(found, want)| found.starts_with(want)), "{found:#?}");
    assert_eq!(found.len(), want.len(), "{found:#?}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_subscription_that_takes_nothing_is_found_although_its_messages_are_new() {
    let folder = std::env::temp_dir().join(format!("saltus-idle-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let options = ContextOptions::default().domain(0).folder(&folder).handle_signals(false);
    let context = options.clone().create().unwrap();
    let node = context.node("sleeper").create().unwrap();
    let latest = node.subscription::<Text>("chatter").qos(QoS::keep_last(1)).create().unwrap();
    let chatter = node.publisher::<Text>("chatter").create().unwrap();
    let report = || Report::observe(options.domain_id().unwrap()).unwrap();
    let found = |report: &Report| -> Vec<String> {
        find(report, &[], Duration::from_secs(60)).iter().map(ToString::to_string).collect()
    };
    (0..3).for_each(|_| chatter.publish(&Text::default()).unwrap());
    let mut report = report();
    assert_eq!(found(&report), [""; 0], "the subscription is new");
    report.endpoints.get_mut(&latest.info().gid).unwrap().last_taken = Some(Duration::from_secs(12));
    let text =
        "/chatter: /sleeper has taken no message for 12 s, and newer messages have replaced others: spin";
    assert!(found(&report)[0].starts_with(text), "{:?}", found(&report));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn an_empty_graph_is_found_if_another_user_has_one() {
    let other = OtherGraph::Unreadable { owner: saltus::graph::GraphOwner::User(1000) };
    let report = Report { space: (1, 1), ..Report::default() };
    let found = find(&report, std::slice::from_ref(&other), Duration::ZERO);
    assert_eq!(found.len(), 1);
    assert!(found[0].to_string().contains("no nodes, but there is another one: user 1000 has graphs"));
}
