//! Nodes.

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use saltus_cdr::{Message, Service};
use saltus_host::{NodeEntry, NodeSpec, OpenError, Sample, Waker};
use saltus_msgs::rosgraph_msgs::msg::Clock as ClockMessage;
use saltus_param::{ParameterError, ParameterStore, ParameterValue};
use saltus_types::{NameError, NodeName, QoS, RemapRules, TopicName};

use crate::{
    CallbackGroup, CallbackGroupKind, ClientBuilder, Clock, Context, GenericClient, GenericPublisher,
    GenericResponder, GenericServer, GenericServiceType, GenericSubscription, GuardCondition, Logger,
    PublisherBuilder, RosArgs, ServerBuilder, SubscriptionBuilder, Timer, TimerBuilder, TypeId, Waitable,
    builder::spec_of,
    clock::TimeSource,
    group::WeakCallbackGroup,
    parameters::{OpenedServers, ParameterServices, Parameters, USE_SIM_TIME},
};

/// Why a node or an entity of it can't be made.
#[derive(thiserror::Error)]
pub enum NodeError {
    /// A name breaks the rules.
    #[error(transparent)]
    Name(#[from] NameError),
    /// Shared memory is full, or the context was inherited over `fork`.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A parameter of the node itself was given a value that it can't have.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A timer needs a period.
    #[error("expected a timer period of at least 1 ns, found 0")]
    Period,
}

saltus_types::debug_as_display!(NodeError);

/// How a node is to be.
#[derive(Debug)]
pub struct NodeBuilder<'a> {
    context: &'a Context,
    name: &'a str,
    namespace: &'a str,
    args: RosArgs,
    global: bool,
    overrides: Vec<(String, ParameterValue)>,
    parameters: ParameterOptions,
}

/// What a node does with its parameters by itself.
#[derive(Clone, Copy, Debug)]
struct ParameterOptions {
    services: bool,
    allow_undeclared: bool,
    declare_overrides: bool,
}

impl<'a> NodeBuilder<'a> {
    pub(crate) fn new(context: &'a Context, name: &'a str) -> Self {
        Self {
            context,
            name,
            namespace: "/",
            args: RosArgs::default(),
            global: true,
            overrides: Vec::new(),
            parameters: ParameterOptions {
                services: true,
                allow_undeclared: false,
                declare_overrides: false,
            },
        }
    }

    /// Arguments for this node alone; they come before those of the whole program.
    pub fn args(mut self, args: RosArgs) -> Self {
        self.args = args;
        self
    }

    /// Whether the arguments of the whole program apply to it (default: yes).
    pub fn use_global_arguments(mut self, global: bool) -> Self {
        self.global = global;
        self
    }

    /// A value for a parameter, in place of its default and of what the user gives, as in rclcpp.
    pub fn parameter_override(mut self, name: impl Into<String>, value: ParameterValue) -> Self {
        self.overrides.push((name.into(), value));
        self
    }

    /// Whether others may read and set its parameters, and are told of changes (default: yes).
    pub fn start_parameter_services(mut self, start: bool) -> Self {
        self.parameters.services = start;
        self
    }

    /// Whether parameters may be set that nobody has declared (default: no).
    pub fn allow_undeclared_parameters(mut self, allow: bool) -> Self {
        self.parameters.allow_undeclared = allow;
        self
    }

    /// Whether each parameter that the user gives a value is declared by that, with a type that may change
    /// (default: no).
    pub fn automatically_declare_parameters_from_overrides(mut self, declare: bool) -> Self {
        self.parameters.declare_overrides = declare;
        self
    }

    /// Its namespace, with or without a leading `/`.
    pub fn namespace(mut self, namespace: &'a str) -> Self {
        self.namespace = namespace;
        self
    }

    /// Enters it into the graph, under the name that the remapping rules give it.
    pub fn create(self) -> Result<Node, NodeError> {
        let global = if self.global { self.context.args().clone() } else { RosArgs::default() };
        let remaps = global.remaps.after(&self.args.remaps);
        let name = remaps.node_name(self.namespace, self.name)?;
        let mut overrides: Vec<(String, ParameterValue)> = Vec::new();
        let of_user = global.parameters_of(&name).into_iter().chain(self.args.parameters_of(&name));
        for (parameter, value) in of_user.chain(self.overrides) {
            overrides.retain(|(other, _)| *other != parameter);
            overrides.push((parameter, value));
        }
        let has_parameters = self.parameters.services;
        let entry = self.context.participant.node(&NodeSpec { has_parameters, ..NodeSpec::new(&name) })?;
        let store = ParameterStore::new(overrides.iter().cloned(), self.parameters.allow_undeclared);
        let default_group = CallbackGroup::new(CallbackGroupKind::MutuallyExclusive);
        let inner = Inner {
            logger: Logger::of_node(&name, self.context.rosout()),
            context: self.context.clone(),
            name,
            remaps,
            overrides,
            parameters: Parameters::new(store),
            parameter_services: OnceLock::new(),
            opened_services: Arc::default(),
            entry,
            clock: Clock::ros(),
            time_source: Mutex::default(),
            groups: Mutex::new(Groups { all: vec![default_group.downgrade()], executor: None }),
            default_group,
            version: AtomicU64::new(0),
        };
        let node = Node(Arc::new(inner));
        node.open_parameters(self.parameters)?;
        Ok(node)
    }
}

/// A node: a name under which publishers, subscriptions and timers belong together.
///
/// Cheap to clone; it leaves the graph when the last clone and the last entity of it is gone.
#[derive(Clone, Debug)]
pub struct Node(Arc<Inner>);

struct Inner {
    context: Context,
    name: NodeName,
    logger: Logger,
    remaps: RemapRules,
    overrides: Vec<(String, ParameterValue)>,
    parameters: Parameters,
    /// Held, not used: dropping them ends the services.
    parameter_services: OnceLock<ParameterServices>,
    opened_services: Arc<OpenedServers>,
    entry: NodeEntry,
    clock: Clock,
    /// Where simulated time comes from, and the group that it is in.
    time_source: Mutex<Option<(Arc<dyn Waitable>, CallbackGroup)>>,
    default_group: CallbackGroup,
    groups: Mutex<Groups>,
    /// Counts changes of `groups`, so that an executor sees them with one load.
    version: AtomicU64,
}

/// The groups that whoever spins the node spins too.
struct Groups {
    all: Vec<WeakCallbackGroup>,
    executor: Option<Arc<Waker>>,
}

impl Groups {
    fn alive(&mut self) -> Vec<CallbackGroup> {
        self.all.retain(|group| group.upgrade().is_some());
        self.all.iter().filter_map(WeakCallbackGroup::upgrade).collect()
    }

    fn is_of(&self, executor: &Arc<Waker>) -> bool {
        self.executor.as_ref().is_some_and(|own| Arc::ptr_eq(own, executor))
    }
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node").field("name", &self.name.fully_qualified()).finish_non_exhaustive()
    }
}

/// Two handles are equal if they are of the same node.
impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Node {}

/// What the node's clock is to follow, ready to be followed.
pub(crate) struct ClockSource {
    simulate: bool,
    /// In which messages of simulated time are taken.
    group: Option<CallbackGroup>,
}

/// A node that is not kept alive.
#[derive(Clone)]
pub(crate) struct WeakNode(Weak<Inner>);

impl WeakNode {
    pub(crate) fn upgrade(&self) -> Option<Node> {
        self.0.upgrade().map(Node)
    }
}

impl Node {
    pub(crate) fn downgrade(&self) -> WeakNode {
        WeakNode(Arc::downgrade(&self.0))
    }

    pub(crate) fn parameters(&self) -> &Parameters {
        &self.0.parameters
    }

    /// Declares what every node has, and answers for it from now on.
    fn open_parameters(&self, options: ParameterOptions) -> Result<(), NodeError> {
        if options.services {
            self.context().parameter_events().begin(&self.context().participant)?;
        }
        self.declare_parameter(USE_SIM_TIME, false)?;
        if options.declare_overrides {
            for (name, value) in self.0.overrides.iter().filter(|(name, _)| !self.has_parameter(name)) {
                self.parameter(name).dynamic_typing().declare_value(value.clone())?;
            }
        }
        if options.services {
            let services = ParameterServices::offer(self, &self.0.opened_services)?;
            let _ = self.0.parameter_services.set(services);
        }
        Ok(())
    }

    /// The context that it belongs to.
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// Its name.
    pub fn name(&self) -> &NodeName {
        &self.0.name
    }

    /// The values that the user gave its parameters from outside.
    pub fn parameter_overrides(&self) -> &[(String, ParameterValue)] {
        &self.0.overrides
    }

    /// The full name of a topic that the program calls `name`, as the user has remapped it.
    pub fn resolve_topic_name(&self, name: &str) -> Result<TopicName, NameError> {
        self.0.remaps.topic(TopicName::expand(name, self.name())?, self.name())
    }

    /// The full name of a service that the program calls `name`, as the user has remapped it.
    pub fn resolve_service_name(&self, name: &str) -> Result<TopicName, NameError> {
        TopicName::expand(name, self.name())
            .and_then(|name| self.0.remaps.service(name, self.name()))
            .map_err(|error| NameError { kind: "service name", ..error })
    }

    pub(crate) fn entry(&self) -> &NodeEntry {
        &self.0.entry
    }

    /// A publisher on a topic; `chatter` lies in the node's namespace, `~/chatter` below the node.
    pub fn publisher<M: Message>(&self, topic: &str) -> PublisherBuilder<M> {
        PublisherBuilder::new(self, topic)
    }

    /// A subscription to a topic, named as for [`Node::publisher`].
    pub fn subscription<M: Message>(&self, topic: &str) -> SubscriptionBuilder<M> {
        SubscriptionBuilder::new(self, topic)
    }

    /// A publisher of a type that is known only at run time.
    pub fn generic_publisher(
        &self,
        topic: &str,
        ty: &TypeId,
        qos: impl Into<QoS>,
    ) -> Result<GenericPublisher, NodeError> {
        GenericPublisher::new(self, topic, ty, qos.into())
    }

    /// A subscription to a type that is known only at run time.
    pub fn generic_subscription(
        &self,
        topic: &str,
        ty: &TypeId,
        qos: impl Into<QoS>,
    ) -> Result<GenericSubscription, NodeError> {
        GenericSubscription::new(self, topic, ty, qos.into())
    }

    /// A server of a service, named as for [`Node::publisher`].
    pub fn service<S: Service>(&self, service: &str) -> ServerBuilder<S> {
        ServerBuilder::new(self, service)
    }

    /// A client of a service, named as for [`Node::publisher`].
    pub fn client<S: Service>(&self, service: &str) -> ClientBuilder<S> {
        ClientBuilder::new(self, service)
    }

    /// A server of a type that is known only at run time; an executor calls back with each request.
    pub fn generic_service(
        &self,
        service: &str,
        ty: impl Into<GenericServiceType>,
        callback: impl FnMut(Sample, GenericResponder) + Send + 'static,
    ) -> Result<GenericServer, NodeError> {
        GenericServer::generic(self, service, &ty.into(), callback)
    }

    /// A client of a type that is known only at run time.
    pub fn generic_client(
        &self,
        service: &str,
        ty: impl Into<GenericServiceType>,
    ) -> Result<GenericClient, NodeError> {
        GenericClient::generic(self, service, &ty.into())
    }

    /// The group of all callbacks that name none: mutually exclusive.
    pub fn default_callback_group(&self) -> &CallbackGroup {
        &self.0.default_group
    }

    /// A callback group of its own kind. If it is `automatic`, whoever spins the node spins it too; else
    /// an executor must be given it.
    pub fn create_callback_group(&self, kind: CallbackGroupKind, automatic: bool) -> CallbackGroup {
        let group = CallbackGroup::new(kind);
        if automatic {
            self.add_group(&group);
        }
        group
    }

    /// Who speaks for the node: on the console, and on `/rosout`.
    pub fn logger(&self) -> Logger {
        self.0.logger.clone()
    }

    /// The node's clock: ROS time.
    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// Whether the node's clock shows simulated time, from `/clock`, instead of the time of day.
    ///
    /// Simulated time is 0 until the first message. It goes on while an executor spins the node. The same is
    /// done by setting the node's parameter `use_sim_time`.
    pub fn use_sim_time(&self, simulate: bool) -> Result<(), NodeError> {
        Ok(self.set_parameter(USE_SIM_TIME, simulate)?)
    }

    /// Whether others may read and set its parameters, and are told of changes.
    pub(crate) fn has_parameter_services(&self) -> bool {
        self.entry().info().has_parameters
    }

    /// Gets ready for what `use_sim_time` stands for: what can fail of it. Nothing, if it is so already.
    pub(crate) fn prepare_clock(&self, simulate: bool) -> Result<Option<ClockSource>, NodeError> {
        let mut source = lock(&self.0.time_source);
        let mut new_group = None;
        if simulate == source.is_some() {
            return Ok(None);
        }
        if simulate {
            let topic = self.resolve_topic_name("/clock")?;
            let spec = spec_of::<ClockMessage>(self.entry(), &topic, QoS::clock());
            let subscription = self.context().participant.subscription(&spec)?;
            let followed: Arc<dyn Waitable> = Arc::new(TimeSource::new(self.clock().clone(), subscription));
            // A group of its own: no other callback of the node can hold time up, given threads enough.
            let group = self.create_callback_group(CallbackGroupKind::MutuallyExclusive, false);
            group.add(Arc::downgrade(&followed));
            new_group = Some(group.clone());
            *source = Some((followed, group));
        } else if let Some((_, group)) = source.take() {
            lock(&self.0.groups).all.retain(|other| other.upgrade().is_some_and(|other| other != group));
            self.0.version.fetch_add(1, Ordering::Release);
        }
        Ok(Some(ClockSource { simulate, group: new_group }))
    }

    /// Does it. Jump callbacks run now, and may ask for anything.
    pub(crate) fn follow_clock(&self, source: ClockSource) {
        self.clock().simulate(source.simulate);
        // Not before: the clock would not take what came, and there may be one message only.
        source.group.iter().for_each(|group| self.add_group(group));
    }

    /// A timer on the node's clock, in its default callback group, unless said otherwise.
    pub fn timer(&self, period: Duration) -> TimerBuilder {
        TimerBuilder::new(self, period)
    }

    /// Calls back once per `period` on the steady clock; see [`TimerBuilder::callback`]. The timer
    /// stops when its handle is dropped.
    pub fn wall_timer(
        &self,
        period: Duration,
        callback: impl FnMut() + Send + 'static,
    ) -> Result<Timer, NodeError> {
        self.timer(period).clock(&Clock::steady()).callback(callback)
    }

    /// Calls back whenever it is triggered, until it is dropped.
    pub fn guard_condition(&self, callback: impl FnMut() + Send + 'static) -> GuardCondition {
        GuardCondition::new(self.default_callback_group(), Box::new(callback))
    }

    /// Changes whenever there is a new callback group, or another executor.
    pub fn version(&self) -> u64 {
        self.0.version.load(Ordering::Acquire)
    }

    /// Gives the node and its automatic groups to an executor, which is rung whenever there is something
    /// new; the executor that had it is rung too, and has it no more.
    pub fn set_executor(&self, waker: &Arc<Waker>) {
        let mut groups = lock(&self.0.groups);
        let before = groups.executor.replace(waker.clone());
        groups.alive().iter().for_each(|group| group.set_executor(waker));
        self.0.version.fetch_add(1, Ordering::Release);
        before.iter().for_each(|before| before.ring());
    }

    /// Takes the node from an executor. Nothing happens if another executor has it by now.
    pub fn clear_executor(&self, waker: &Arc<Waker>) {
        let mut groups = lock(&self.0.groups);
        if groups.is_of(waker) {
            groups.executor = None;
            groups.alive().iter().for_each(|group| group.clear_executor(waker));
        }
    }

    /// The groups that its executor has to run; `None` if another executor has the node by now.
    pub fn callback_groups(&self, executor: &Arc<Waker>) -> Option<Vec<CallbackGroup>> {
        let mut groups = lock(&self.0.groups);
        groups.is_of(executor).then(|| groups.alive())
    }

    fn add_group(&self, group: &CallbackGroup) {
        let mut groups = lock(&self.0.groups);
        groups.all.push(group.downgrade());
        self.0.version.fetch_add(1, Ordering::Release);
        if let Some(executor) = &groups.executor {
            group.set_executor(executor);
            executor.ring();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
