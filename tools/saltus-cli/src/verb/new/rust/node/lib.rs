//! A node that publishes its status twice a second.

use std::time::Duration;

use saltus::{Node, Timer, msgs::std_msgs::msg::String, node::NodeError};

/// Publishes to `status` for as long as the returned timer exists.
pub fn publish_status(node: &Node) -> Result<Timer, NodeError> {
    let status = node.publisher::<String>("status").create()?;
    let logger = node.logger();
    let mut count = 0;
    node.wall_timer(Duration::from_millis(500)).callback(move || {
        count += 1;
        let message = String { data: format!("step {count}") };
        saltus::info!(logger, "publishing `{}`", message.data);
        if let Err(error) = status.publish(&message) {
            saltus::error!(logger, "{error}");
        }
    })
}
