//! Components for tests: they keep a value, fail, panic, abort, or hang.

use saltus::{
    Node, QoS, Subscription,
    component::{Component, ComponentError, NodeOptions},
    msgs::std_msgs::msg::UInt64,
};

saltus::component!("test::Latch", Latch);
saltus::component!("test::Faulty", Faulty);

/// Publishes each number of `set` on the transient-local topic `value`. The number 13 makes it abort, 99 makes it hang.
/// It publishes nothing by itself.
#[derive(Debug)]
pub struct Latch {
    node: Node,
    _numbers: Subscription<UInt64>,
}

impl Component for Latch {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        let node = options.node("latch").create()?;
        let add: i64 = node.declare_parameter("add", 0)?;
        let values = node.publisher::<UInt64>("value").qos(QoS::keep_last(1).transient_local()).create()?;
        let numbers = node.subscription::<UInt64>("set").callback(move |number| match number.data {
            13 => std::process::abort(),
            99 => loop {
                std::thread::park();
            },
            data => drop(values.publish(&UInt64 { data: data.wrapping_add_signed(add) })),
        })?;
        Ok(Self { node, _numbers: numbers })
    }

    fn node(&self) -> &Node {
        &self.node
    }
}

/// Can't be created. The parameter `how` says how its constructor fails.
#[derive(Debug)]
pub struct Faulty(Node);

impl Component for Faulty {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        let node = options.node("faulty").create()?;
        match &*node.declare_parameter("how", String::from("error"))? {
            "panic" => panic!("the constructor panicked"),
            "abort" => std::process::abort(),
            _ => Err("the device is missing".into()),
        }
    }

    fn node(&self) -> &Node {
        &self.0
    }
}
