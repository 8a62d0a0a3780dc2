//! A real-time process locks its memory. That must not commit the whole window of shared memory.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::os::unix::fs::MetadataExt;

use common::TestGraph;
use rustix::mm::{MlockAllFlags, mlockall};
use saltus_types::QoS;

/// This test is alone in its file, because it changes the whole process.
#[test]
fn locking_all_memory_locks_what_is_used_and_not_the_whole_window() {
    if let Err(error) = mlockall(MlockAllFlags::CURRENT | MlockAllFlags::FUTURE) {
        return println!("skipped: this process may not lock memory ({error})");
    }
    let graph = TestGraph::new();
    let (a, b) = (graph.context("a"), graph.context("b"));
    let publisher = a.publisher("t", QoS::default());
    let subscription = b.subscription("t", QoS::default());
    graph.match_up(&a, &publisher, &subscription);
    publisher.publish_bytes(b"locked").unwrap();
    assert_eq!(*subscription.take().unwrap(), *b"locked");
    let bytes: u64 = graph.paths().iter().map(|path| path.metadata().unwrap().blocks() * 512).sum();
    assert!(bytes < 1 << 20, "{bytes} bytes of shared memory");
}
