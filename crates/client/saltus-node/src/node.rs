//! Nodes and their callback groups.

use std::{
    any::Any,
    fmt,
    sync::{
        Arc, Mutex, OnceLock, Weak,
        atomic::{AtomicU64, Ordering},
    },
};

use saltus_host::{NodeEntry, OpenError, Waker};
use saltus_msgs::rosgraph_msgs::msg::Clock as ClockMessage;
use saltus_param::{ParameterError, ParameterStore, ParameterValue};
use saltus_types::{Gid, NameError, NodeName, QoS, RemapRules, TopicName, lock};

use crate::{
    CallbackGroup, CallbackGroupKind, Clock, Context, Logger, Waitable,
    clock::TimeSource,
    clock_thread::ClockThread,
    group::WeakCallbackGroup,
    owners::Owners,
    parameters::state::Parameters,
    silent_clock::SilentClock,
    spec::{Type, spec},
};

/// Why a node, or an entity of a node, could not be created.
#[derive(thiserror::Error)]
pub enum NodeError {
    /// A name is invalid.
    #[error(transparent)]
    Name(#[from] NameError),
    /// Shared memory is full, or the context was inherited over `fork` or expelled from its domain.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A parameter that every node has was given an invalid value.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The period of a timer is 0.
    #[error("expected a timer period of at least 1 ns, found 0")]
    Period,
    /// The thread for simulated time can't be started.
    #[error("can't start a thread for the clock: {0}")]
    Thread(std::io::Error),
}

saltus_types::debug_as_display!(NodeError);

/// A node: a named group of publishers, subscriptions, services, parameters and timers.
///
/// Cheap to clone. The node leaves the graph when its last clone and its last entity are dropped.
///
/// ```
/// use saltus::{Context, msgs::std_msgs::msg::String as Text};
/// let context = Context::new()?;
/// let node = context.node("camera").namespace("/robot1").create()?;
/// assert_eq!(node.name().fully_qualified(), "/robot1/camera");
/// let publisher = node.publisher::<Text>("~/status").create()?;
/// assert_eq!(publisher.info().topic, "/robot1/camera/status");
/// saltus::info!(node.logger(), "the camera is ready");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Node(Arc<NodeState>);

struct NodeState {
    context: Context,
    name: NodeName,
    logger: Logger,
    remaps: RemapRules,
    overrides: Vec<(String, ParameterValue)>,
    own_overrides: Vec<OwnOverride>,
    parameters: Parameters,
    /// Whether changes of parameters are published.
    has_parameter_events: bool,
    /// Whether a thread follows simulated time, instead of the executor that spins the node.
    has_clock_thread: bool,
    /// The offer of the parameter services. It is created after the node, because the services use the node at once.
    parameter_services: OnceLock<Box<dyn Any + Send + Sync>>,
    entry: NodeEntry,
    clock: Clock,
    simulated_time: Mutex<Option<SimulatedTime>>,
    default_group: CallbackGroup,
    /// The callback group of futures that wait for a time. It is created for the first such future.
    sleep_group: OnceLock<CallbackGroup>,
    groups: Mutex<Groups>,
    /// Counts changes of `groups`, so that an executor sees them with one load.
    version: AtomicU64,
}

/// The callback groups that an executor runs when it spins the node.
struct Groups {
    all: Vec<WeakCallbackGroup>,
    owners: Owners,
}

impl Groups {
    fn alive(&mut self) -> Vec<CallbackGroup> {
        self.all.retain(|group| group.upgrade().is_some());
        self.all.iter().filter_map(WeakCallbackGroup::upgrade).collect()
    }
}

impl fmt::Debug for NodeState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node").field("name", &self.name.fully_qualified()).finish_non_exhaustive()
    }
}

/// Two handles are equal if they belong to the same node.
impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Node {}

/// A prepared switch of the node's clock to another source of time.
pub(crate) struct ClockSource {
    simulate: bool,
    /// The callback group of the subscription to simulated time. `None` for the time of day, and if a thread follows it.
    group: Option<CallbackGroup>,
}

/// What follows simulated time for a node.
enum SimulatedTime {
    /// The executor that spins the node.
    Spun {
        /// The subscription, and the warning if no time comes. The group does not keep them alive.
        _waitables: [Arc<dyn Waitable>; 2],
        group: CallbackGroup,
    },
    /// A thread.
    Thread(ClockThread),
}

/// A handle that does not keep its node alive.
#[derive(Clone, Debug)]
pub struct WeakNode(Weak<NodeState>);

impl WeakNode {
    /// Returns the node, if it still exists.
    pub fn upgrade(&self) -> Option<Node> {
        self.0.upgrade().map(Node)
    }

    /// Whether this is a handle of a node.
    pub fn is(&self, node: &Node) -> bool {
        std::ptr::eq(self.0.as_ptr(), Arc::as_ptr(&node.0))
    }
}

/// A parameter that a user has given for one node, not for all nodes that a pattern matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnOverride {
    /// The name of the parameter.
    pub name: String,
    /// The place where the user has given it, such as `params.yaml, line 3`, if it is known.
    pub location: Option<String>,
}

/// The parts of a new node.
pub(crate) struct NodeParts {
    pub(crate) name: NodeName,
    pub(crate) remaps: RemapRules,
    /// The parameter values that the user has given.
    pub(crate) overrides: Vec<(String, ParameterValue)>,
    /// Those of them that are for this node only.
    pub(crate) own_overrides: Vec<OwnOverride>,
    pub(crate) store: ParameterStore,
    pub(crate) entry: NodeEntry,
    pub(crate) has_parameter_events: bool,
    pub(crate) has_clock_thread: bool,
}

impl Node {
    pub(crate) fn new(context: &Context, parts: NodeParts) -> Self {
        let default_group = CallbackGroup::new(CallbackGroupKind::MutuallyExclusive);
        let inner = NodeState {
            logger: Logger::of_node(&parts.name, context.rosout()),
            context: context.clone(),
            name: parts.name,
            remaps: parts.remaps,
            overrides: parts.overrides,
            own_overrides: parts.own_overrides,
            parameters: Parameters::new(parts.store),
            has_parameter_events: parts.has_parameter_events,
            has_clock_thread: parts.has_clock_thread,
            parameter_services: OnceLock::new(),
            entry: parts.entry,
            clock: Clock::ros(),
            simulated_time: Mutex::default(),
            groups: Mutex::new(Groups { all: vec![default_group.downgrade()], owners: Owners::default() }),
            default_group,
            sleep_group: OnceLock::new(),
            version: AtomicU64::new(0),
        };
        Self(Arc::new(inner))
    }

    /// Keeps the offer of the parameter services as long as the node. Called once, by the builder.
    pub(crate) fn keep_parameter_services(&self, offer: Box<dyn Any + Send + Sync>) {
        let _ = self.0.parameter_services.set(offer);
    }

    /// Returns a handle that does not keep the node alive.
    pub fn downgrade(&self) -> WeakNode {
        WeakNode(Arc::downgrade(&self.0))
    }

    pub(crate) fn parameters(&self) -> &Parameters {
        &self.0.parameters
    }

    /// Returns the context that the node belongs to.
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// Returns the name of the node.
    pub fn name(&self) -> &NodeName {
        &self.0.name
    }

    /// Returns the gid of the node, which identifies it in the graph.
    pub fn gid(&self) -> Gid {
        self.0.entry.info().gid
    }

    /// Returns the values that override the defaults of the node's parameters.
    pub fn parameter_overrides(&self) -> &[(String, ParameterValue)] {
        &self.0.overrides
    }

    /// Returns the parameters that the user has given for this node only, and that it has not declared. They have no effect;
    /// maybe they are misspelt.
    pub fn unused_overrides(&self) -> impl Iterator<Item = &OwnOverride> {
        self.0.own_overrides.iter().filter(|one| !self.has_parameter(&one.name))
    }

    /// Returns the full name of the topic that the program calls `name`, after the user's remappings.
    pub fn resolve_topic_name(&self, name: &str) -> Result<TopicName, NameError> {
        self.0.remaps.topic(TopicName::expand(name, self.name())?, self.name())
    }

    /// Returns the full name of the service that the program calls `name`, after the user's remappings.
    pub fn resolve_service_name(&self, name: &str) -> Result<TopicName, NameError> {
        TopicName::expand(name, self.name())
            .and_then(|name| self.0.remaps.service(name, self.name()))
            .map_err(|error| NameError { kind: "service name", ..error })
    }

    pub(crate) fn entry(&self) -> &NodeEntry {
        &self.0.entry
    }

    /// Returns the callback group of all entities for which no group was set. Its callbacks are mutually exclusive.
    pub fn default_callback_group(&self) -> &CallbackGroup {
        &self.0.default_group
    }

    /// Creates a callback group. The executor that spins the node also runs the callbacks of the group.
    ///
    /// ```no_run
    /// # use saltus::{executor::CallbackGroupKind, Node};
    /// # fn f(node: &Node) -> Result<(), saltus::node::NodeError> {
    /// let group = node.callback_group(CallbackGroupKind::Reentrant);
    /// # type Msg = saltus::msgs::std_msgs::msg::String;
    /// let _text = node.subscription::<Msg>("text").callback_group(&group).callback(|text| println!("{}", text.data))?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn callback_group(&self, kind: CallbackGroupKind) -> CallbackGroup {
        let group = CallbackGroup::new(kind);
        self.add_group(&group);
        group
    }

    /// Creates a callback group that is not spun with its node. Its callbacks run when the group itself is added to an
    /// executor.
    pub fn manual_callback_group(&self, kind: CallbackGroupKind) -> CallbackGroup {
        CallbackGroup::new(kind)
    }

    /// Returns the callback group of futures that wait for a time. If the executor has enough threads, no other
    /// callback of the node delays these futures.
    pub(crate) fn sleep_group(&self) -> &CallbackGroup {
        let create = || self.callback_group(CallbackGroupKind::Reentrant);
        self.0.sleep_group.get_or_init(create)
    }

    /// Returns the node's logger. It prints messages on the console and publishes them on `/rosout`.
    pub fn logger(&self) -> Logger {
        self.0.logger.clone()
    }

    /// Returns the node's clock. It shows ROS time.
    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// Whether changes of parameters are published.
    pub(crate) fn has_parameter_events(&self) -> bool {
        self.0.has_parameter_events
    }

    /// Prepares the switch to simulated time, or back to the time of day: does everything that can fail. Returns `None`
    /// if the node uses that time already.
    pub(crate) fn prepare_clock(&self, simulate: bool) -> Result<Option<ClockSource>, NodeError> {
        let mut source = lock(&self.0.simulated_time);
        let mut new_group = None;
        if simulate == source.is_some() {
            return Ok(None);
        }
        if simulate {
            let topic = self.resolve_topic_name("/clock")?;
            let ty = Type::of::<ClockMessage>();
            let spec = spec(self.entry(), &topic, &ty, QoS::clock(), None);
            let subscription = self.context().participant.subscription(&spec)?;
            let warning = SilentClock::new(self.clock().clone(), topic.as_str().to_owned(), self.logger());
            let waitables: [Arc<dyn Waitable>; 2] =
                [Arc::new(TimeSource::new(self.clock().clone(), subscription)), Arc::new(warning)];
            *source = Some(match self.0.has_clock_thread {
                true => SimulatedTime::Thread(self.start_clock_thread(waitables)?),
                false => {
                    // A separate group: if there are enough threads, no other callback of the node can delay the time.
                    let group = self.manual_callback_group(CallbackGroupKind::MutuallyExclusive);
                    waitables.iter().for_each(|one| group.add(Arc::downgrade(one)));
                    new_group = Some(group.clone());
                    SimulatedTime::Spun { _waitables: waitables, group }
                }
            });
        } else if let Some(SimulatedTime::Spun { group, .. }) = source.take() {
            lock(&self.0.groups).all.retain(|other| other.upgrade().is_some_and(|other| other != group));
            self.0.version.fetch_add(1, Ordering::Release);
        }
        Ok(Some(ClockSource { simulate, group: new_group }))
    }

    fn start_clock_thread(&self, waitables: [Arc<dyn Waitable>; 2]) -> Result<ClockThread, NodeError> {
        ClockThread::start(self.context().waiter()?, waitables.into()).map_err(NodeError::Thread)
    }

    /// Switches the clock to a prepared source. Calls the jump callbacks, which may call any method of the node.
    pub(crate) fn follow_clock(&self, source: ClockSource) {
        self.clock().simulate(source.simulate);
        if let Some(SimulatedTime::Thread(thread)) = &*lock(&self.0.simulated_time) {
            thread.run();
        }
        // The group is added after the switch. Before the switch the clock ignores messages, and there may be only one.
        source.group.iter().for_each(|group| self.add_group(group));
    }

    /// Returns a number that changes whenever a callback group is added or removed, or another executor takes the node.
    pub fn version(&self) -> u64 {
        self.0.version.load(Ordering::Acquire)
    }

    /// Gives the node and its callback groups to an executor. This does not include manual groups. The executor's waker
    /// is rung whenever something is added. The executor before does not run the node meanwhile, and is rung too.
    pub fn set_executor(&self, waker: &Arc<Waker>) {
        let mut groups = lock(&self.0.groups);
        let before = groups.owners.add(waker);
        groups.alive().iter().for_each(|group| group.set_executor(waker));
        self.0.version.fetch_add(1, Ordering::Release);
        before.iter().for_each(|before| before.ring());
    }

    /// Takes the node away from an executor. If that executor runs it, the one before runs it again, and is rung. Does
    /// nothing if the node was not added to that executor.
    pub fn clear_executor(&self, waker: &Arc<Waker>) {
        let mut groups = lock(&self.0.groups);
        if !groups.owners.contains(waker) {
            return;
        }
        let has_changed = groups.owners.remove(waker);
        groups.alive().iter().for_each(|group| group.clear_executor(waker));
        if let Some(current) = groups.owners.current().filter(|_| has_changed) {
            self.0.version.fetch_add(1, Ordering::Release);
            current.ring();
        }
    }

    /// Whether `executor` runs the node.
    pub fn belongs_to(&self, executor: &Arc<Waker>) -> bool {
        lock(&self.0.groups).owners.is_current(executor)
    }

    /// Whether the node was added to `executor`, and not removed. Another executor may run it now.
    pub fn was_added_to(&self, executor: &Arc<Waker>) -> bool {
        lock(&self.0.groups).owners.contains(executor)
    }

    /// Returns the callback groups that `executor` must run, or `None` if the node does not belong to `executor`.
    pub fn callback_groups(&self, executor: &Arc<Waker>) -> Option<Vec<CallbackGroup>> {
        let mut groups = lock(&self.0.groups);
        groups.owners.is_current(executor).then(|| groups.alive())
    }

    fn add_group(&self, group: &CallbackGroup) {
        let mut groups = lock(&self.0.groups);
        groups.all.push(group.downgrade());
        self.0.version.fetch_add(1, Ordering::Release);
        group.set_owners(&groups.owners);
        groups.owners.current().into_iter().for_each(|executor| executor.ring());
    }
}
