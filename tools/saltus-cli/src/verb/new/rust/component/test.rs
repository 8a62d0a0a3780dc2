//! Tests that the component publishes.

mod own_domain;

use std::time::Duration;

use own_domain::OwnDomain;
use saltus::{
    Executor, SingleThreadedExecutor,
    component::{Component, NodeOptions},
    msgs::std_msgs::msg::String,
};

#[test]
fn the_component_publishes_its_status() {
    let domain = OwnDomain::new();
    let context = domain.context();
    let component = @name@::Status::new(&NodeOptions::new(&context)).unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    let _subscription = component
        .node()
        .subscription::<String>("status")
        .callback(move |message| sender.send(message.data).unwrap_or_default())
        .unwrap();
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(component.node());
    let received = (0..100).find_map(|_| {
        executor.spin_once(Some(Duration::from_millis(100))).unwrap();
        receiver.try_recv().ok()
    });
    assert_eq!(received.expect("no message within 10 s"), "step 1");
}
