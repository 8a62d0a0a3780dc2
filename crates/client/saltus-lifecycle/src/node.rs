//! Lifecycle nodes: a node with a state machine, its callbacks, its transitions and its topic `transition_event`.
//!
//! | module | content |
//! |---|---|
//! | `gate` | whether the publishers of a node may publish |
//! | `publisher` | publishers that publish only while their node is active |
//! | `services` | the five services of a lifecycle node |

mod gate;
mod publisher;
mod services;

use std::{
    any::Any,
    error::Error,
    fmt,
    ops::Deref,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, OnceLock, Weak},
};

use saltus_cdr::Message;
use saltus_msgs::lifecycle_msgs::msg::TransitionEvent;
use saltus_node::{Node, NodeError, Publisher};
use saltus_types::{QoS, lock, panic_text};

use crate::{CallbackReturn, State, StateMachine, Step, Transition, TransitionError};

pub use publisher::LifecyclePublisher;

use gate::Gate;
use services::Managed;

/// The result of a callback. An error counts as [`CallbackReturn::Error`], and is logged.
pub type CallbackResult = Result<CallbackReturn, Box<dyn Error + Send + Sync>>;

/// The callbacks of a lifecycle node. Each has a default, which does nothing and succeeds.
///
/// `previous` is the state before the transition. A callback that panics or returns an error makes the node call
/// `on_error`. While a callback runs, no other transition can begin.
///
/// ```no_run
/// use saltus::{Context, lifecycle::*, msgs::std_msgs::msg::String as Text};
/// #[derive(Default)]
/// struct Talker {
///     chatter: Option<LifecyclePublisher<Text>>,
/// }
/// impl Lifecycle for Talker {
///     fn on_configure(&mut self, node: &LifecycleNode, _previous: State) -> CallbackResult {
///         self.chatter = Some(node.lifecycle_publisher("chatter", 10)?);
///         Ok(CallbackReturn::Success)
///     }
///     fn on_cleanup(&mut self, _node: &LifecycleNode, _previous: State) -> CallbackResult {
///         self.chatter = None;
///         Ok(CallbackReturn::Success)
///     }
/// }
/// let context = Context::new()?;
/// let node = LifecycleNode::new(&context.node("talker").create()?, Talker::default())?;
/// saltus::spin(&node)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Lifecycle: Send {
    /// Called in the state `Configuring`: reads parameters and opens publishers, subscriptions and devices.
    fn on_configure(&mut self, _node: &LifecycleNode, _previous: State) -> CallbackResult {
        Ok(CallbackReturn::Success)
    }

    /// Called in the state `CleaningUp`: gives back what `on_configure` has opened.
    fn on_cleanup(&mut self, _node: &LifecycleNode, _previous: State) -> CallbackResult {
        Ok(CallbackReturn::Success)
    }

    /// Called in the state `Activating`. The publishers of the node are already activated.
    fn on_activate(&mut self, _node: &LifecycleNode, _previous: State) -> CallbackResult {
        Ok(CallbackReturn::Success)
    }

    /// Called in the state `Deactivating`. The publishers of the node are still activated.
    fn on_deactivate(&mut self, _node: &LifecycleNode, _previous: State) -> CallbackResult {
        Ok(CallbackReturn::Success)
    }

    /// Called in the state `ShuttingDown`.
    fn on_shutdown(&mut self, _node: &LifecycleNode, _previous: State) -> CallbackResult {
        Ok(CallbackReturn::Success)
    }

    /// Called in the state `ErrorProcessing`, after another callback has returned an error or has panicked. If it
    /// succeeds, the node is unconfigured, and can be configured again. Otherwise the node is finalized.
    fn on_error(&mut self, _node: &LifecycleNode, _previous: State) -> CallbackResult {
        Ok(CallbackReturn::Success)
    }
}

/// A node with a lifecycle: a state machine whose transitions other nodes request.
///
/// It wraps a [`Node`], and derefs to it. Cheap to clone. When the last clone is dropped, the services of the lifecycle
/// end. It has the services `~/change_state`, `~/get_state`, `~/get_available_states`, `~/get_available_transitions` and
/// `~/get_transition_graph`, and publishes each step on `~/transition_event`.
///
/// See [`Lifecycle`] for an example.
#[derive(Clone)]
pub struct LifecycleNode(Arc<LifecycleCore>);

struct LifecycleCore {
    node: Node,
    machine: Mutex<StateMachine>,
    callbacks: Mutex<Box<dyn Lifecycle>>,
    gate: Gate,
    /// `None` if the node is managed only by its own program.
    events: Option<Publisher<TransitionEvent>>,
    /// The servers. They are opened after the core has been created, because a request may come at once.
    services: OnceLock<Box<dyn Any + Send + Sync>>,
}

/// A lifecycle node that does not keep the node open. For callbacks that outlive a call, such as those of timers and
/// subscriptions that the node itself owns: a clone in them would keep the node open for ever.
///
/// ```
/// # use saltus::{Context, lifecycle::*};
/// # struct Nothing;
/// # impl Lifecycle for Nothing {}
/// # let folder = tempfile::tempdir()?;
/// # let context = saltus::context::ContextOptions::default().folder(folder.path()).create()?;
/// let node = LifecycleNode::new(&context.node("talker").create()?, Nothing)?;
/// let weak = node.downgrade();
/// assert!(weak.upgrade().is_some());
/// drop(node);
/// assert!(weak.upgrade().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct WeakLifecycleNode(Weak<LifecycleCore>);

impl fmt::Debug for WeakLifecycleNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WeakLifecycleNode").finish_non_exhaustive()
    }
}

impl WeakLifecycleNode {
    /// Returns the node, or `None` if its last clone was dropped.
    pub fn upgrade(&self) -> Option<LifecycleNode> {
        self.0.upgrade().map(LifecycleNode)
    }
}

impl Managed for LifecycleCore {
    fn state(&self) -> State {
        lock(&self.machine).state()
    }

    fn change_state(self: Arc<Self>, transition: Transition) -> Result<CallbackReturn, TransitionError> {
        LifecycleNode(self).change_state(transition)
    }
}

impl fmt::Debug for LifecycleNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LifecycleNode")
            .field("name", &self.name().fully_qualified())
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}

impl Deref for LifecycleNode {
    type Target = Node;

    fn deref(&self) -> &Node {
        &self.0.node
    }
}

impl LifecycleNode {
    /// Returns a handle that does not keep the node open.
    pub fn downgrade(&self) -> WeakLifecycleNode {
        WeakLifecycleNode(Arc::downgrade(&self.0))
    }

    /// Gives a node a lifecycle. Its state is `Unconfigured`.
    ///
    /// # Errors
    ///
    /// Returns an error if a service or the topic `transition_event` can't be opened.
    pub fn new(node: &Node, callbacks: impl Lifecycle + 'static) -> Result<Self, NodeError> {
        let events = node.publisher("~/transition_event").create()?;
        let this = Self::with_events(node, callbacks, Some(events));
        let managed: Arc<dyn Managed> = this.0.clone();
        // Nothing else sets it, so this succeeds.
        let _ = this.0.services.set(services::open(node, Arc::downgrade(&managed))?);
        Ok(this)
    }

    /// Gives a node a lifecycle without services and without the topic `transition_event`: only its own program executes
    /// transitions.
    pub fn local(node: &Node, callbacks: impl Lifecycle + 'static) -> Self {
        Self::with_events(node, callbacks, None)
    }

    fn with_events(
        node: &Node,
        callbacks: impl Lifecycle + 'static,
        events: Option<Publisher<TransitionEvent>>,
    ) -> Self {
        Self(Arc::new(LifecycleCore {
            node: node.clone(),
            machine: Mutex::default(),
            callbacks: Mutex::new(Box::new(callbacks)),
            gate: Gate::default(),
            events,
            services: OnceLock::new(),
        }))
    }

    /// Opens a publisher that publishes only while the node is active.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Node::publisher`].
    pub fn lifecycle_publisher<M: Message>(
        &self,
        topic: &str,
        qos: impl Into<QoS>,
    ) -> Result<LifecyclePublisher<M>, NodeError> {
        Ok(self.gated(self.publisher(topic).qos(qos).create()?))
    }

    /// Lets a publisher publish only while the node is active. For publishers with settings that
    /// [`lifecycle_publisher`](Self::lifecycle_publisher) does not have.
    pub fn gated<M: Message>(&self, publisher: Publisher<M>) -> LifecyclePublisher<M> {
        LifecyclePublisher::new(publisher, self.0.gate.clone(), self.logger())
    }

    /// Returns the current state.
    pub fn state(&self) -> State {
        self.0.state()
    }

    /// Executes a transition: calls its callback, and `on_error` if that reports an error. Returns the result of the
    /// callback.
    ///
    /// # Errors
    ///
    /// Returns an error if the transition is not possible in the current state. That is also so while another transition
    /// is in progress.
    pub fn change_state(&self, transition: Transition) -> Result<CallbackReturn, TransitionError> {
        let begun = self.step(|machine| machine.begin(transition))?;
        let mut callbacks = lock(&self.0.callbacks);
        let is_active = begun.start == State::Active;
        self.0.gate.set(is_active || transition == Transition::Activate);
        let result = self.call(&mut **callbacks, begun.goal, begun.start);
        if self.after(begun.goal, result)? == State::ErrorProcessing {
            let handled = self.call(&mut **callbacks, State::ErrorProcessing, begun.start);
            self.after(State::ErrorProcessing, handled)?;
        }
        Ok(result)
    }

    /// Configures the node. See [`LifecycleNode::change_state`].
    ///
    /// # Errors
    ///
    /// Returns an error if this is not possible in the current state.
    pub fn configure(&self) -> Result<CallbackReturn, TransitionError> {
        self.change_state(Transition::Configure)
    }

    /// Activates the node. See [`LifecycleNode::change_state`].
    ///
    /// # Errors
    ///
    /// Returns an error if this is not possible in the current state.
    pub fn activate(&self) -> Result<CallbackReturn, TransitionError> {
        self.change_state(Transition::Activate)
    }

    /// Deactivates the node. See [`LifecycleNode::change_state`].
    ///
    /// # Errors
    ///
    /// Returns an error if this is not possible in the current state.
    pub fn deactivate(&self) -> Result<CallbackReturn, TransitionError> {
        self.change_state(Transition::Deactivate)
    }

    /// Cleans the node up. See [`LifecycleNode::change_state`].
    ///
    /// # Errors
    ///
    /// Returns an error if this is not possible in the current state.
    pub fn cleanup(&self) -> Result<CallbackReturn, TransitionError> {
        self.change_state(Transition::Cleanup)
    }

    /// Shuts the node down, from whichever state it is in. See [`LifecycleNode::change_state`].
    ///
    /// # Errors
    ///
    /// Returns an error if this is not possible in the current state.
    pub fn shutdown(&self) -> Result<CallbackReturn, TransitionError> {
        let of_state = Transition::from_label("shutdown", self.state());
        self.change_state(of_state.unwrap_or(Transition::UnconfiguredShutdown))
    }

    /// Changes the state, closes the publishers if the node is not active then, and returns the new state.
    fn after(&self, state: State, result: CallbackReturn) -> Result<State, TransitionError> {
        debug_assert!(state.is_transition_state());
        let step = self.step(|machine| machine.end(result))?;
        self.0.gate.set(step.goal == State::Active);
        Ok(step.goal)
    }

    /// Changes the state and publishes the step. Both happen under one lock, so that steps are published in order.
    fn step(
        &self,
        change: impl FnOnce(&mut StateMachine) -> Result<Step, TransitionError>,
    ) -> Result<Step, TransitionError> {
        let mut machine = lock(&self.0.machine);
        let step = change(&mut machine)?;
        let Some(events) = &self.0.events else { return Ok(step) };
        let event = TransitionEvent {
            timestamp: u64::try_from(self.clock().now().as_nanos()).unwrap_or(0),
            transition: services::transition(&step),
            start_state: services::state(step.start),
            goal_state: services::state(step.goal),
        };
        if let Err(error) = events.publish(&event) {
            saltus_node::error!(self.logger(), "can't publish the transition '{}': {error}", step.label);
        }
        Ok(step)
    }

    /// Runs the callback of a transition state.
    fn call(&self, callbacks: &mut dyn Lifecycle, state: State, previous: State) -> CallbackReturn {
        let callback = || match state {
            State::Configuring => callbacks.on_configure(self, previous),
            State::CleaningUp => callbacks.on_cleanup(self, previous),
            State::Activating => callbacks.on_activate(self, previous),
            State::Deactivating => callbacks.on_deactivate(self, previous),
            State::ShuttingDown => callbacks.on_shutdown(self, previous),
            _ => callbacks.on_error(self, previous),
        };
        // The callbacks may be in any state after a panic. `on_error` is called next, whose task is to repair that.
        match catch_unwind(AssertUnwindSafe(callback)) {
            Ok(Ok(result)) => result,
            Ok(Err(error)) => {
                saltus_node::error!(self.logger(), "the callback failed while {state}: {error}");
                CallbackReturn::Error
            }
            Err(panic) => {
                saltus_node::error!(
                    self.logger(),
                    "the callback panicked while {state}: {}",
                    panic_text(&*panic)
                );
                CallbackReturn::Error
            }
        }
    }
}
