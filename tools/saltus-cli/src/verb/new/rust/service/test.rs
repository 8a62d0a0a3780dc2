//! Tests that the service answers.

mod own_domain;

use std::time::Duration;

use own_domain::OwnDomain;
use saltus::{
    Executor, SingleThreadedExecutor,
    msgs::example_interfaces::srv::{AddTwoInts, AddTwoInts_Request},
};

#[test]
fn the_service_adds_two_numbers() {
    let domain = OwnDomain::new();
    let context = domain.context();
    let node = context.node("@name@").create().unwrap();
    let _server = @name@::serve(&node).unwrap();
    let client = node.client::<AddTwoInts>("add_two_ints").create().unwrap();
    assert!(client.wait_for_service(Duration::from_secs(10)));
    let mut executor = SingleThreadedExecutor::new(&context).unwrap();
    executor.add_node(&node);
    let call = client.call_async(&AddTwoInts_Request { a: 2, b: 40 }).unwrap();
    let response = executor.spin_until_future_complete(call, Some(Duration::from_secs(10))).unwrap();
    assert_eq!(response.expect("no response within 10 s").unwrap().sum, 42);
}
