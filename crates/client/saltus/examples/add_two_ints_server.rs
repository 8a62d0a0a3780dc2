//! A server of a service that adds two numbers: `cargo run --example add_two_ints_server`.

use saltus::{
    Context,
    msgs::example_interfaces::srv::{AddTwoInts, AddTwoInts_Response},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = Context::from_args()?;
    let node = context.node("add_two_ints_server").create()?;
    let logger = node.logger();
    let _server = node.service::<AddTwoInts>("add_two_ints").callback(move |request| {
        saltus::info!(logger, "Incoming request: a = {}, b = {}", request.a, request.b);
        AddTwoInts_Response { sum: request.a.wrapping_add(request.b) }
    })?;
    Ok(saltus::spin(&node)?)
}
