//! A node that publishes its status twice a second, as a message of its own type.

use std::time::Duration;

use saltus::{Node, Timer, msgs::std_msgs::msg::Header, node::NodeError};

/// The types of the interfaces in the folder `interfaces`.
pub mod interfaces {
    saltus::interfaces!();
}

use interfaces::@name@_msgs::msg::Status;

/// Publishes to `status` for as long as the returned timer exists.
pub fn publish_status(node: &Node) -> Result<Timer, NodeError> {
    let status = node.publisher::<Status>("status").create()?;
    let (logger, clock) = (node.logger(), node.clock().clone());
    let mut count = 0;
    node.wall_timer(Duration::from_millis(500)).callback(move || {
        count += 1;
        let header = Header { stamp: clock.now().into(), ..Header::default() };
        saltus::info!(logger, "publishing step {count}");
        if let Err(error) = status.publish(&Status { header, count }) {
            saltus::error!(logger, "{error}");
        }
    })
}
