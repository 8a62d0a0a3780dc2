//! Tests that the node publishes.

use std::time::Duration;

use saltus::{Executor, SingleThreadedExecutor, context::ContextOptions};
use @messages@::@message@;

#[test]
fn the_node_publishes_its_status() {
    // The test has its own domain, so that it receives nothing from other processes.
    let context = ContextOptions::default().domain(101).create().unwrap();
    let node = context.node("@name@").create().unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    let _subscription = node
        .subscription::<@message@>("status")
        .callback(move |message| sender.send(message.@field@).unwrap_or_default())
        .unwrap();
    let _timer = @name@::publish_status(&node).unwrap();
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&node);
    let received = (0..100).any(|_| {
        executor.spin_once(Some(Duration::from_millis(100))).unwrap();
        receiver.try_recv().is_ok()
    });
    assert!(received, "no message within 10 s");
}
