//! Components for tests: they keep a value, fail, panic, abort, or hang.

use saltus::{
    Node, QoS, Subscription,
    component::{Component, ComponentError, NodeOptions},
    msgs::std_msgs::msg::UInt64,
    qos::History,
};

saltus::component!("test::Latch", Latch);
saltus::component!("test::Faulty", Faulty);
saltus::component!("test::Flood", Flood);

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
        // A load in the same thread may take longer than it takes to send ten numbers.
        let numbers =
            node.subscription::<UInt64>("set").qos(1000).callback(move |number| match number.data {
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

/// Publishes as many numbers as a number of `flood` says, to be kept for late subscriptions, and then on `failures` how
/// many of them could not be published.
#[derive(Debug)]
pub struct Flood {
    node: Node,
    _counts: Subscription<UInt64>,
}

impl Component for Flood {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        let node = options.node("flood").create()?;
        let all = QoS { history: History::KeepAll, ..QoS::keep_last(1).transient_local() };
        let numbers = node.publisher::<UInt64>("numbers").qos(all).create()?;
        let failures = node.publisher("failures").qos(QoS::keep_last(1).transient_local()).create()?;
        let counts = node.subscription::<UInt64>("flood").callback(move |count| {
            let data =
                (0..count.data).filter(|number| numbers.publish(&UInt64 { data: *number }).is_err()).count();
            drop(failures.publish(&UInt64 { data: data as u64 }));
        })?;
        Ok(Self { node, _counts: counts })
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
            // A program that outlives this process.
            "child" => {
                std::process::Command::new("sleep").arg("30").spawn()?;
                std::process::abort()
            }
            _ => Err("the device is missing".into()),
        }
    }

    fn node(&self) -> &Node {
        &self.0
    }
}
