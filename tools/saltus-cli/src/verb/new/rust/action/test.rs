//! Tests that the action computes a result.

mod own_domain;

use std::time::Duration;

use own_domain::OwnDomain;
use saltus::{
    ActionClient, Executor, SingleThreadedExecutor,
    msgs::example_interfaces::action::{Fibonacci, Fibonacci_Goal},
};

#[test]
fn the_action_computes_fibonacci_numbers() {
    let domain = OwnDomain::new();
    let context = domain.context();
    let node = context.node("@name@").create().unwrap();
    let _server = @name@::serve(&node).unwrap();
    let client = ActionClient::<Fibonacci>::on(&node, "fibonacci").create().unwrap();
    assert!(client.wait_for_server(Duration::from_secs(10)));
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&node);
    let sent = client.send_goal(&Fibonacci_Goal { order: 5 }).unwrap();
    let work = async { sent.await?.result()?.await };
    let result = executor.spin_until_future_complete(work, Some(Duration::from_secs(10))).unwrap();
    let result = result.expect("no result within 10 s").unwrap();
    assert_eq!(result.value().unwrap().sequence, [0, 1, 1, 2, 3, 5]);
}
