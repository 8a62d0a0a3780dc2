//! Nodes.

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
    group::WeakCallbackGroup,
    parameters::state::Parameters,
    spec::{Type, spec},
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
    /// Whether others may read and set its parameters, and are told of changes.
    has_parameter_services: bool,
    /// Held, not used: what lasts as long as the node.
    kept: OnceLock<Box<dyn Any + Send + Sync>>,
    entry: NodeEntry,
    clock: Clock,
    /// Where simulated time comes from, and the group that it is in.
    time_source: Mutex<Option<(Arc<dyn Waitable>, CallbackGroup)>>,
    default_group: CallbackGroup,
    /// Of futures that wait for a time; made with the first of them.
    sleep_group: OnceLock<CallbackGroup>,
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

/// What a new node is made of.
pub(crate) struct NodeParts {
    pub(crate) name: NodeName,
    pub(crate) remaps: RemapRules,
    /// The values that the user gave its parameters.
    pub(crate) overrides: Vec<(String, ParameterValue)>,
    pub(crate) store: ParameterStore,
    pub(crate) entry: NodeEntry,
    pub(crate) has_parameters: bool,
}

impl Node {
    pub(crate) fn new(context: &Context, parts: NodeParts) -> Self {
        let default_group = CallbackGroup::new(CallbackGroupKind::MutuallyExclusive);
        let inner = Inner {
            logger: Logger::of_node(&parts.name, context.rosout()),
            context: context.clone(),
            name: parts.name,
            remaps: parts.remaps,
            overrides: parts.overrides,
            parameters: Parameters::new(parts.store),
            has_parameter_services: parts.has_parameters,
            kept: OnceLock::new(),
            entry: parts.entry,
            clock: Clock::ros(),
            time_source: Mutex::default(),
            groups: Mutex::new(Groups { all: vec![default_group.downgrade()], executor: None }),
            default_group,
            sleep_group: OnceLock::new(),
            version: AtomicU64::new(0),
        };
        Self(Arc::new(inner))
    }

    /// Keeps something for as long as there is the node.
    pub(crate) fn keep(&self, kept: Box<dyn Any + Send + Sync>) {
        let _ = self.0.kept.set(kept);
    }

    pub(crate) fn downgrade(&self) -> WeakNode {
        WeakNode(Arc::downgrade(&self.0))
    }

    pub(crate) fn parameters(&self) -> &Parameters {
        &self.0.parameters
    }

    /// The context that it belongs to.
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// Its name.
    pub fn name(&self) -> &NodeName {
        &self.0.name
    }

    /// Its identity in the graph.
    pub fn gid(&self) -> Gid {
        self.0.entry.info().gid
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

    /// The group of futures that wait for a time: no callback of the node holds them up, given threads enough.
    pub(crate) fn sleep_group(&self) -> &CallbackGroup {
        let create = || self.create_callback_group(CallbackGroupKind::Reentrant, true);
        self.0.sleep_group.get_or_init(create)
    }

    /// Who speaks for the node: on the console, and on `/rosout`.
    pub fn logger(&self) -> Logger {
        self.0.logger.clone()
    }

    /// The node's clock: ROS time.
    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// Whether others may read and set its parameters, and are told of changes.
    pub(crate) fn has_parameter_services(&self) -> bool {
        self.0.has_parameter_services
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
            let ty = Type::of::<ClockMessage>();
            let spec = spec(self.entry(), &topic, &ty, QoS::clock(), None);
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

    /// Whether the node is that executor's.
    pub fn is_of(&self, executor: &Arc<Waker>) -> bool {
        lock(&self.0.groups).is_of(executor)
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
