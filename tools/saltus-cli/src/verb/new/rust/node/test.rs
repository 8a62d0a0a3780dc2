//! Tests that the node publishes.

mod own_domain;

use std::time::Duration;

use own_domain::OwnDomain;
use saltus::{Executor, SingleThreadedExecutor};
use @messages@::@message@;

#[test]
fn the_node_publishes_its_status() {
    let domain = OwnDomain::new();
    let context = domain.context();
    let node = context.node("@name@").create().unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    let _subscription = node
        .subscription::<@message@>("status")
        .callback(move |message| sender.send(message.@field@).unwrap_or_default())
        .unwrap();
    let _timer = @name@::publish_status(&node).unwrap();
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&node);
    let received = (0..100).find_map(|_| {
        executor.spin_once(Some(Duration::from_millis(100))).unwrap();
        receiver.try_recv().ok()
    });
    assert_eq!(received.expect("no message within 10 s"), @first@);
}
