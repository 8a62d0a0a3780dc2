//! Nodes.

use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use saltus_cdr::Message;
use saltus_shm::{NodeEntry, OpenError, Waker};
use saltus_types::{NameError, NodeName, ParameterValue, QoS, RemapRules, TopicName};

use crate::{
    Context, GenericPublisher, GenericSubscription, PublisherBuilder, RosArgs, SubscriptionBuilder, Timer,
    TypeId, Waitable,
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
}

impl<'a> NodeBuilder<'a> {
    pub(crate) fn new(context: &'a Context, name: &'a str) -> Self {
        Self { context, name, namespace: "/", args: RosArgs::default(), global: true }
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
        let mut overrides = global.parameters_of(&name);
        for (parameter, value) in self.args.parameters_of(&name) {
            overrides.retain(|(other, _)| *other != parameter);
            overrides.push((parameter, value));
        }
        let entry = self.context.participant.node(&name)?;
        let inner = Inner {
            context: self.context.clone(),
            name,
            remaps,
            overrides,
            entry,
            waitables: Mutex::default(),
            version: AtomicU64::new(0),
        };
        Ok(Node(Arc::new(inner)))
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
    remaps: RemapRules,
    overrides: Vec<(String, ParameterValue)>,
    entry: NodeEntry,
    waitables: Mutex<Waitables>,
    /// Counts changes of `waitables`, so that an executor sees them with one load.
    version: AtomicU64,
}

#[derive(Default)]
struct Waitables {
    all: Vec<Weak<dyn Waitable>>,
    /// Whom to tell when there is a new one.
    executor: Option<Arc<Waker>>,
}

impl Waitables {
    fn alive(&mut self) -> Vec<Arc<dyn Waitable>> {
        self.all.retain(|waitable| waitable.strong_count() > 0);
        self.all.iter().filter_map(Weak::upgrade).collect()
    }

    /// Whether that executor has the node.
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

impl Node {
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
        self.0.remaps.service(TopicName::expand(name, self.name())?, self.name())
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

    /// Calls back once per `period` on the steady clock, first after one period.
    ///
    /// Deadlines are absolute: lateness does not add up. One that was missed by more than a period
    /// is skipped. The timer stops when its handle is dropped.
    pub fn wall_timer(
        &self,
        period: Duration,
        callback: impl FnMut() + Send + 'static,
    ) -> Result<Timer, NodeError> {
        Timer::new(self, period, Box::new(callback))
    }

    /// What an executor has to run, of that which still lives.
    pub fn waitables(&self) -> Vec<Arc<dyn Waitable>> {
        self.lock().alive()
    }

    /// Changes whenever there is a new waitable, or another executor.
    pub fn version(&self) -> u64 {
        self.0.version.load(Ordering::Acquire)
    }

    /// Gives the node to an executor, which is rung whenever there is something new; the executor
    /// that had it is rung too, and has it no more.
    pub fn set_executor(&self, waker: &Arc<Waker>) {
        let mut waitables = self.lock();
        let before = waitables.executor.replace(waker.clone());
        self.0.version.fetch_add(1, Ordering::Release);
        before.iter().for_each(|before| before.ring());
    }

    /// Takes the node from an executor, and rings nobody from now on. Nothing happens if another
    /// executor has it by now.
    pub fn clear_executor(&self, waker: &Arc<Waker>) {
        let mut waitables = self.lock();
        if waitables.is_of(waker) {
            waitables.executor = None;
            waitables.alive().iter().for_each(|waitable| waitable.set_waker(None));
        }
    }

    /// What that executor has to run, after each was given the waker that `waker_of` has for its
    /// place; `None` if another executor has the node by now.
    pub fn aim_waitables(
        &self,
        executor: &Arc<Waker>,
        mut waker_of: impl FnMut() -> Waker,
    ) -> Option<Vec<Arc<dyn Waitable>>> {
        let mut waitables = self.lock();
        let alive = waitables.is_of(executor).then(|| waitables.alive())?;
        alive.iter().for_each(|waitable| waitable.set_waker(Some(&waker_of())));
        Some(alive)
    }

    pub(crate) fn add_waitable(&self, waitable: Weak<dyn Waitable>) {
        let mut waitables = self.lock();
        waitables.all.push(waitable);
        self.0.version.fetch_add(1, Ordering::Release);
        if let Some(executor) = &waitables.executor {
            executor.ring();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Waitables> {
        self.0.waitables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
