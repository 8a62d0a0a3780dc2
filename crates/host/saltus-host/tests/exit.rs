//! A process that exits is not listed any more, and keeps what it has borrowed until it has ended.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(unsafe_code, reason = "the child registers a function that runs while it exits")]

mod common;

use std::{
    io::{Read, Write},
    process::{Command, Stdio},
    sync::Mutex,
    time::{Duration, Instant},
};

use common::TestGraph;
use saltus_host::Sample;
use saltus_types::QoS;

/// Longer than two checks of the housekeeping thread.
const TWO_CHECKS: Duration = Duration::from_millis(2500);
/// The time for which the child waits for a message.
const LONG: Duration = Duration::from_secs(20);
/// The variable that tells the child the folder of the domain.
const FOLDER: &str = "SALTUS_TEST_EXIT";
/// The message that the child has borrowed.
static BORROWED: Mutex<Option<Sample>> = Mutex::new(None);

#[test]
fn a_process_that_exits_keeps_what_it_borrowed_and_is_not_listed_again() {
    match std::env::var_os(FOLDER) {
        Some(folder) => child(&TestGraph::of(folder.into())),
        None => parent(&TestGraph::new()),
    }
}

/// Runs after the exit functions of Saltus, because it was registered before them.
extern "C" fn check_borrowed() {
    let Some(sample) = BORROWED.lock().unwrap().take() else { return };
    std::io::stderr().write_all(b"x").unwrap();
    std::io::stdin().read_exact(&mut [0]).unwrap();
    std::io::stderr().write_all(&sample[..]).unwrap();
}

fn child(graph: &TestGraph) {
    // SAFETY: the function may be called at any time.
    assert_eq!(unsafe { libc::atexit(check_borrowed) }, 0);
    let own = graph.context("child");
    let subscription = own.subscription("t", QoS::keep_last(1));
    let begun = Instant::now();
    let take = || {
        // No message comes if the parent has failed.
        assert!(begun.elapsed() < LONG, "no message came");
        subscription.take()
    };
    let sample = std::iter::repeat_with(take).find_map(|taken| taken).unwrap();
    *BORROWED.lock().unwrap() = Some(sample);
    // This drops nothing.
    std::process::exit(0);
}

fn parent(graph: &TestGraph) {
    let own = graph.context("parent");
    let publisher = own.publisher("t", QoS::keep_last(1));
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.env(FOLDER, graph.folder()).arg("--nocapture");
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut to_child, mut from_child) = (child.stdin.take().unwrap(), child.stderr.take().unwrap());
    graph.wait(&own, || publisher.status().matched == 1);
    publisher.publish_bytes(b"borrowed").unwrap();
    let mut signal = [0];
    from_child.read_exact(&mut signal).unwrap();
    assert_eq!(signal, *b"x");

    let begun = Instant::now();
    while begun.elapsed() < TWO_CHECKS {
        publisher.publish_bytes(b"replaced").unwrap();
        // Writes to free memory, which must not be the borrowed message.
        let mut loans = [(); 8].map(|()| publisher.loan(8).unwrap());
        loans.iter_mut().for_each(|loan| loan[..8].copy_from_slice(b"replaced"));
    }
    let nodes = graph.context("late").participant.graph().nodes;
    assert!(nodes.iter().all(|node| node.name != "child"), "{nodes:?}");
    to_child.write_all(b"!").unwrap();
    let mut kept = Vec::new();
    from_child.read_to_end(&mut kept).unwrap();
    assert_eq!(kept, b"borrowed");
    assert!(child.wait().unwrap().success());
    graph.wait(&own, || publisher.status().matched == 0);
}
