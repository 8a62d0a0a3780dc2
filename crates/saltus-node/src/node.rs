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
use saltus_types::{NameError, NodeName};

use crate::{Context, PublisherBuilder, SubscriptionBuilder, Timer, Waitable};

/// Why a node or an entity of it can't be made.
#[derive(Debug, thiserror::Error)]
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

/// How a node is to be.
#[derive(Debug)]
pub struct NodeBuilder<'a> {
    context: &'a Context,
    name: &'a str,
    namespace: &'a str,
}

impl<'a> NodeBuilder<'a> {
    pub(crate) fn new(context: &'a Context, name: &'a str) -> Self {
        Self { context, name, namespace: "/" }
    }

    /// Its namespace, with or without a leading `/`.
    pub fn namespace(mut self, namespace: &'a str) -> Self {
        self.namespace = namespace;
        self
    }

    /// Enters it into the graph.
    pub fn create(self) -> Result<Node, NodeError> {
        let name = NodeName::new(self.namespace, self.name)?;
        let entry = self.context.participant.node(&name)?;
        let inner = Inner {
            context: self.context.clone(),
            name,
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
    entry: NodeEntry,
    waitables: Mutex<Waitables>,
    /// Counts changes of `waitables`, so that an executor sees them with one load.
    version: AtomicU64,
}

#[derive(Default)]
struct Waitables {
    all: Vec<Weak<dyn Waitable>>,
    /// Whom to tell when there is a new one.
    executor: Option<Waker>,
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node").field("name", &self.name.fully_qualified()).finish_non_exhaustive()
    }
}

impl Node {
    /// The context that it belongs to.
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// Its name.
    pub fn name(&self) -> &NodeName {
        &self.0.name
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
        let mut waitables = self.lock();
        waitables.all.retain(|waitable| waitable.strong_count() > 0);
        waitables.all.iter().filter_map(Weak::upgrade).collect()
    }

    /// Changes whenever there is a new waitable.
    pub fn version(&self) -> u64 {
        self.0.version.load(Ordering::Acquire)
    }

    /// Rings that waker whenever there is a new waitable, or nobody. Whom it rang before.
    pub fn set_executor(&self, waker: Option<Waker>) -> Option<Waker> {
        std::mem::replace(&mut self.lock().executor, waker)
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
