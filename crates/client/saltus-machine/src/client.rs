//! Clients of machines: they send triggers, and receive events and states.

use std::{fmt, time::Duration};

use saltus_msgs::example_interfaces::msg::String as Text;
use saltus_node::{Context, Node, NodeError, PublishValueError, Publisher, Subscription};
use saltus_types::QoS;

type OnName = Box<dyn FnMut(&str) + Send>;

/// A builder for clients of machines.
#[must_use = "no client is created before `create`"]
pub struct MachineClientBuilder {
    name: String,
    namespace: String,
    on_event: Option<OnName>,
    on_state: Option<OnName>,
}

impl fmt::Debug for MachineClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MachineClientBuilder").field("namespace", &self.namespace).finish_non_exhaustive()
    }
}

impl MachineClientBuilder {
    /// Sets the name of the client's node. The default is `client`.
    pub fn name(mut self, name: &str) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the machine's namespace. The default is `machine`.
    pub fn namespace(mut self, namespace: &str) -> Self {
        self.namespace = namespace.into();
        self
    }

    /// Sets the callback for events. It gets the name of each trigger that the machine processes and does not refuse.
    pub fn on_event(mut self, callback: impl FnMut(&str) + Send + 'static) -> Self {
        self.on_event = Some(Box::new(callback));
        self
    }

    /// Sets the callback for states. It gets the name of the state after each change.
    pub fn on_state(mut self, callback: impl FnMut(&str) + Send + 'static) -> Self {
        self.on_state = Some(Box::new(callback));
        self
    }

    /// Creates the client and its node.
    pub fn create(self, context: &Context) -> Result<MachineClient, NodeError> {
        let node = context.node(&self.name).namespace(&self.namespace).create()?;
        let subscribe = |topic: &str, callback: Option<OnName>| {
            let Some(mut callback) = callback else { return Ok(None) };
            let subscription = node.subscription::<Text>(topic).qos(QoS::system_default());
            subscription.callback(move |message: Text| callback(&message.data)).map(Some)
        };
        let subscriptions = [subscribe("event", self.on_event)?, subscribe("state", self.on_state)?];
        let trigger = node.publisher::<Text>("trigger").qos(QoS::system_default()).create()?;
        Ok(MachineClient { node, trigger, _subscriptions: subscriptions })
    }
}

/// A client of a machine. It sends triggers to the machine, and receives its events and states.
///
/// ```no_run
/// let context = saltus::Context::new()?;
/// let client = saltus::machine::MachineClient::builder().on_state(|state| println!("{state}")).create(&context)?;
/// client.trigger("melt")?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MachineClient {
    node: Node,
    trigger: Publisher<Text>,
    /// Kept because dropping them ends the callbacks.
    _subscriptions: [Option<Subscription<Text>>; 2],
}

impl fmt::Debug for MachineClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MachineClient").field("node", &self.node).finish_non_exhaustive()
    }
}

impl MachineClient {
    /// Starts to build a client.
    pub fn builder() -> MachineClientBuilder {
        let (name, namespace) = ("client".into(), "machine".into());
        MachineClientBuilder { name, namespace, on_event: None, on_state: None }
    }

    /// Returns the node, for an executor.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// Sends a trigger to the machine. Does not report whether the machine refuses it.
    pub fn trigger(&self, name: &str) -> Result<(), PublishValueError> {
        self.trigger.publish(&Text { data: name.into() })
    }

    /// Waits until a machine is connected, for at most `timeout`. Returns whether a machine is connected.
    pub fn wait_for_machine(&self, timeout: Duration) -> bool {
        self.trigger.wait_for_subscriptions(1, timeout)
    }
}
