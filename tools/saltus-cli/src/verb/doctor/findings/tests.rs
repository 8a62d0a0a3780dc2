//! Tests of the findings on reports.

use saltus::{QoS, context::ContextOptions, graph::FolderReport, msgs::std_msgs::msg::String as Text};

use super::*;

#[test]
fn messages_that_wait_too_long_and_full_memory_are_found() {
    let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
    let options = ContextOptions::default().domain(0).folder(folder.path()).handle_signals(false);
    let context = options.clone().create().unwrap();
    let node = context.node("sleeper").create().unwrap();
    let _subscription = node.subscription::<Text>("chatter").create().unwrap();
    let chatter = node.publisher::<Text>("chatter").create().unwrap();
    chatter.publish(&Text::default()).unwrap();
    let mut report = Report::observe(options.domain_id().unwrap()).unwrap();
    report.space = (100 << 20, 100 << 20);
    let minute = Duration::from_secs(60);
    assert_eq!(find(&report, &[], minute), []);
    report.connections[0].oldest = Some(Duration::from_secs(12));
    report.space = (9 << 20, 100 << 20);
    report.endpoints.entry(chatter.info().gid).or_default().failed = 3;
    report.endpoints.entry(chatter.info().gid).or_default().last_losses[LossCause::OutOfMemory as usize] =
        Some(Duration::from_secs(2));
    let found: Vec<String> = find(&report, &[], minute).iter().map(ToString::to_string).collect();
    let want = [
        "/chatter: /sleeper could not publish 3 messages because shared memory was full, the last 2 s ago",
        "/chatter: 1 message waits at /sleeper, the oldest for 12 s: spin the node or take the messages",
        "only 9.4 MB of 104.9 MB of shared memory is free: enlarge shared memory",
    ];
    assert!(found.iter().zip(want).all(|(found, want)| found.starts_with(want)), "{found:#?}");
    assert_eq!(found.len(), want.len(), "{found:#?}");
}

#[test]
fn a_subscription_that_takes_nothing_is_found_although_its_messages_are_new() {
    let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
    let options = ContextOptions::default().domain(0).folder(folder.path()).handle_signals(false);
    let context = options.clone().create().unwrap();
    let node = context.node("sleeper").create().unwrap();
    let latest = node.subscription::<Text>("chatter").qos(QoS::keep_last(1)).create().unwrap();
    let chatter = node.publisher::<Text>("chatter").create().unwrap();
    let report = || {
        let report = Report::observe(options.domain_id().unwrap()).unwrap();
        Report { space: (1 << 30, 1 << 30), ..report }
    };
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
}

#[test]
fn an_empty_graph_is_found_if_another_user_has_one() {
    let other = OtherGraph::Unreadable { owner: saltus::graph::GraphOwner::User(1000) };
    let report = Report { space: (1 << 30, 1 << 30), ..Report::default() };
    let found = find(&report, std::slice::from_ref(&other), Duration::ZERO);
    assert_eq!(found.len(), 1);
    assert!(found[0].to_string().contains("no nodes, but there is another one: user 1000 has graphs"));
}

/// Returns the findings of a report as texts, with enough free memory.
fn texts(report: Report) -> Vec<String> {
    let report = Report { space: (1 << 30, 1 << 30), ..report };
    find(&report, &[], Duration::ZERO).iter().map(Finding::to_string).collect()
}

#[test]
fn a_folder_that_can_not_be_used_is_found() {
    let folder = FolderReport {
        unwritable: Some("Read-only file system".into()),
        is_on_disk: true,
        elsewhere: vec![12, 13],
    };
    let found = texts(Report { folder, ..Report::default() });
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(
        found[0].starts_with("the folder of shared memory can't be written: Read-only file system: mount it")
    );
    assert!(found[1].contains("not on a memory file system"));
    assert!(found[2].contains("some in another /dev/shm: processes 12, 13: share /dev/shm"));
}

#[test]
fn a_file_system_without_room_for_a_process_is_found() {
    let report = Report { space: (60_000, 65_536), ..Report::default() };
    let found = find(&report, &[], Duration::ZERO);
    assert!(found.len() == 1 && found[0].problem.starts_with("only "), "{found:?}");
}

#[test]
fn a_process_in_another_time_namespace_is_found() {
    let process = |id, time_namespace| ProcessReport {
        id,
        pid: id as u32,
        memory: 0,
        descriptors: None,
        is_stopped: false,
        time_namespace,
    };
    let processes = vec![process(7, 1), process(8, 2)];
    let found = texts(Report { processes, time_namespace: 1, ..Report::default() });
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("process 8 (no nodes) is in another time namespace"));
}
