//! The other side of a machine: triggers it, and hears of it.

use std::{fmt, time::Duration};

use saltus_msgs::example_interfaces::msg::String as Text;
use saltus_node::{Context, Node, NodeError, PublishValueError, Publisher, Subscription};
use saltus_types::QoS;

type Heard = Box<dyn FnMut(&str) + Send>;

/// How a client is to be.
#[must_use = "there is no client before `create`"]
pub struct MachineClientBuilder {
    name: String,
    namespace: String,
    on_event: Option<Heard>,
    on_state: Option<Heard>,
}

impl fmt::Debug for MachineClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MachineClientBuilder").field("namespace", &self.namespace).finish_non_exhaustive()
    }
}

impl MachineClientBuilder {
    /// Its name, instead of `client`.
    pub fn name(mut self, name: &str) -> Self {
        self.name = name.into();
        self
    }

    /// The machine's namespace, instead of `machine`.
    pub fn namespace(mut self, namespace: &str) -> Self {
        self.namespace = namespace.into();
        self
    }

    /// Calls back with the name of each trigger that does something.
    pub fn on_event(mut self, callback: impl FnMut(&str) + Send + 'static) -> Self {
        self.on_event = Some(Box::new(callback));
        self
    }

    /// Calls back with the state after each change.
    pub fn on_state(mut self, callback: impl FnMut(&str) + Send + 'static) -> Self {
        self.on_state = Some(Box::new(callback));
        self
    }

    /// Enters it into the graph.
    pub fn create(self, context: &Context) -> Result<MachineClient, NodeError> {
        let node = context.node(&self.name).namespace(&self.namespace).create()?;
        let hear = |topic: &str, heard: Option<Heard>| {
            let Some(mut heard) = heard else { return Ok(None) };
            let subscription = node.subscription::<Text>(topic).qos(QoS::system_default());
            subscription.callback(move |message: Text| heard(&message.data)).map(Some)
        };
        let kept = [hear("event", self.on_event)?, hear("state", self.on_state)?];
        let trigger = node.publisher::<Text>("trigger").qos(QoS::system_default()).create()?;
        Ok(MachineClient { node, trigger, _kept: kept })
    }
}

/// Triggers a machine, and hears of it.
///
/// ```no_run
/// let context = saltus_node::Context::new()?;
/// let client = saltus_machine::MachineClient::builder().on_state(|state| println!("{state}")).create(&context)?;
/// client.trigger("melt")?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MachineClient {
    node: Node,
    trigger: Publisher<Text>,
    /// Held, not used: dropping them ends the calls.
    _kept: [Option<Subscription<Text>>; 2],
}

impl fmt::Debug for MachineClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MachineClient").field("node", &self.node).finish_non_exhaustive()
    }
}

impl MachineClient {
    /// Begins one.
    pub fn builder() -> MachineClientBuilder {
        let (name, namespace) = ("client".into(), "machine".into());
        MachineClientBuilder { name, namespace, on_event: None, on_state: None }
    }

    /// The node, for an executor.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// Triggers the machine. Whether it may in its state, it says itself.
    pub fn trigger(&self, name: &str) -> Result<(), PublishValueError> {
        self.trigger.publish(&Text { data: name.into() })
    }

    /// Waits until a machine takes triggers, for at most so long. Whether one does.
    pub fn wait_for_machine(&self, timeout: Duration) -> bool {
        self.trigger.wait_for_subscriptions(1, timeout)
    }
}
