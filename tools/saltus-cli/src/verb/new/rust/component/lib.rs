//! A component that publishes its status.

use std::time::Duration;

use saltus::{
    Node, Timer,
    component::{Component, ComponentError, NodeOptions},
    msgs::std_msgs::msg::String,
};

/// Publishes to `status`. The parameter `rate` is the number of messages per second.
pub struct Status {
    node: Node,
    _timer: Timer,
}

impl Component for Status {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        let node = options.node("@name@").create()?;
        let rate: f64 = node.parameter("rate").floating_point_range(0.1, 1000.0, 0.0).declare(2.0)?;
        let status = node.publisher::<String>("status").create()?;
        let logger = node.logger();
        let mut count = 0;
        let timer = node.wall_timer(Duration::from_secs_f64(1.0 / rate)).callback(move || {
            count += 1;
            if let Err(error) = status.publish(&String { data: format!("step {count}") }) {
                saltus::error!(logger, "{error}");
            }
        })?;
        Ok(Self { node, _timer: timer })
    }

    fn node(&self) -> &Node {
        &self.node
    }
}

saltus::component!("@name@::Status", Status);
