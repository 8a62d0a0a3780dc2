//! The containers of the subject. A command of the suite creates one.

use std::sync::Mutex;

use saltus::{
    Context, Node, Publisher, QoS,
    component::{Component, ComponentError, ComponentManager, Isolation, NodeOptions, Registry},
    executor::ExecutorHandle,
    msgs::std_msgs::msg::UInt64,
    node::NodeError,
    types::lock,
};

/// Publishes its parameter `factor` for late subscriptions.
struct Factor {
    node: Node,
    _factors: Publisher<UInt64>,
}

impl Component for Factor {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        let node = options.node("factor").create()?;
        let factor: i64 = node.declare_parameter("factor", 2)?;
        let factors = node.publisher::<UInt64>("factor").qos(QoS::keep_last(1).transient_local()).create()?;
        factors.publish(&UInt64 { data: factor.try_into()? })?;
        Ok(Self { node, _factors: factors })
    }

    fn node(&self) -> &Node {
        &self.node
    }
}

/// Can't be created.
struct Faulty(Node);

impl Component for Faulty {
    fn new(_options: &NodeOptions) -> Result<Self, ComponentError> {
        Err("the device is missing".into())
    }

    fn node(&self) -> &Node {
        &self.0
    }
}

/// The containers.
pub(crate) struct Containers {
    context: Context,
    executor: ExecutorHandle,
    all: Mutex<Vec<(Node, ComponentManager)>>,
}

impl Containers {
    pub(crate) fn new(context: &Context, executor: ExecutorHandle) -> Self {
        Self { context: context.clone(), executor, all: Mutex::default() }
    }

    pub(crate) fn create(&self, name: &str) -> Result<String, NodeError> {
        let node = self.context.node(name).create()?;
        let registry = Registry::default()
            .with::<Factor>("suite", "suite::Factor")
            .with::<Faulty>("suite", "suite::Faulty");
        let manager = ComponentManager::new(&node, self.executor.clone(), registry, Isolation::Shared)?;
        self.executor.add_node(&node);
        lock(&self.all).push((node, manager));
        Ok(String::new())
    }
}
