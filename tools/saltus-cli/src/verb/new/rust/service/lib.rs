//! A node with a service that adds two numbers.

use saltus::{
    Node, Server,
    msgs::example_interfaces::srv::{AddTwoInts, AddTwoInts_Response},
    node::NodeError,
};

/// Serves `add_two_ints` for as long as the returned server exists.
pub fn serve(node: &Node) -> Result<Server<AddTwoInts>, NodeError> {
    let logger = node.logger();
    node.service::<AddTwoInts>("add_two_ints").callback(move |request| {
        saltus::info!(logger, "adding {} and {}", request.a, request.b);
        AddTwoInts_Response { sum: request.a.wrapping_add(request.b) }
    })
}
