//! A client of a service that adds two numbers: `cargo run --example add_two_ints_client -- 2 40`.

use saltus::{
    Context,
    msgs::example_interfaces::srv::{AddTwoInts, AddTwoInts_Request},
};
use std::time::Duration;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = Context::from_args()?;
    let number = |index: usize| context.args().rest.get(index).and_then(|word| word.parse().ok());
    let (Some(a), Some(b)) = (number(1), number(2)) else {
        return Err("usage: add_two_ints_client A B".into());
    };
    let node = context.node("add_two_ints_client").create()?;
    let client = node.client::<AddTwoInts>("add_two_ints").create()?;
    if !client.wait_for_service(Duration::from_secs(10)) {
        return Err("no server of 'add_two_ints' was found within 10 s; start add_two_ints_server".into());
    }
    let response = client.call(&AddTwoInts_Request { a, b }, Duration::from_secs(1))?;
    println!("{a} + {b} = {}", response.sum);
    Ok(())
}
