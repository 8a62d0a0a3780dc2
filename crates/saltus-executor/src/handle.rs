//! What any thread may do to an executor while it spins.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use saltus_node::{CallbackGroup, Context, Node, Waker};

use crate::sync::{Mutex, lock};

/// Adds nodes and callback groups to an executor, removes them, and ends its spin. It may be used from any thread, and
/// from callbacks. It is cheap to clone.
///
/// Once the executor is dropped, the handle does nothing.
///
/// ```no_run
/// # use saltus::{Executor, SingleThreadedExecutor};
/// let context = saltus::Context::new()?;
/// let mut executor = SingleThreadedExecutor::new(&context)?;
/// let handle = executor.handle();
/// std::thread::spawn(move || -> Result<(), saltus::node::NodeError> {
///     handle.add_node(&context.node("late").create()?);
///     Ok(())
/// });
/// executor.spin()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ExecutorHandle(Arc<Shared>);

struct Shared {
    context: Context,
    /// Rung when something other than a message happens. Its address identifies the executor.
    control: Arc<Waker>,
    is_cancelled: AtomicBool,
    /// `None` once the executor is dropped.
    members: Mutex<Option<Members>>,
    /// Counts changes of `members`, so that the executor sees them with one load.
    version: AtomicU64,
}

/// What was added to an executor, in that order.
#[derive(Default)]
struct Members {
    all: Vec<Member>,
}

/// A node, or a callback group that was added by itself.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Member {
    Node(Node),
    Group(CallbackGroup),
}

impl Member {
    fn set_executor(&self, control: &Arc<Waker>) {
        match self {
            Self::Node(node) => node.set_executor(control),
            Self::Group(group) => group.set_executor(control),
        }
    }

    fn belongs_to(&self, control: &Arc<Waker>) -> bool {
        match self {
            Self::Node(node) => node.belongs_to(control),
            Self::Group(group) => group.belongs_to(control),
        }
    }

    fn clear_executor(&self, control: &Arc<Waker>) {
        match self {
            Self::Node(node) => node.clear_executor(control),
            Self::Group(group) => group.clear_executor(control),
        }
    }
}

impl fmt::Debug for ExecutorHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members = lock(&self.0.members).as_ref().map(|members| members.all.len());
        f.debug_struct("ExecutorHandle").field("members", &members).finish_non_exhaustive()
    }
}

impl ExecutorHandle {
    /// Creates the handle of an executor. `control` is the waker of its waiter's control class.
    pub(crate) fn new(context: &Context, control: &Arc<Waker>) -> Self {
        context.on_shutdown(control);
        Self(Arc::new(Shared {
            context: context.clone(),
            control: control.clone(),
            is_cancelled: AtomicBool::new(false),
            members: Mutex::new(Some(Members::default())),
            version: AtomicU64::new(0),
        }))
    }

    /// Adds a node, with its automatic callback groups. A node belongs to one executor at a time: the last one to which
    /// it was added.
    ///
    /// # Panics
    /// If the node belongs to another context.
    pub fn add_node(&self, node: &Node) {
        assert!(*node.context() == self.0.context, "an executor runs the nodes of its own context");
        self.add(Member::Node(node.clone()));
    }

    /// Removes a node. A running callback of the node continues. No other begins, unless another thread of the
    /// executor is just about to call it.
    pub fn remove_node(&self, node: &Node) {
        self.remove(&Member::Node(node.clone()));
    }

    /// Adds a callback group. Its node may be spun by another executor, or by none.
    pub fn add_callback_group(&self, group: &CallbackGroup) {
        self.add(Member::Group(group.clone()));
    }

    /// Removes a callback group, as [`ExecutorHandle::remove_node`] does with a node.
    pub fn remove_callback_group(&self, group: &CallbackGroup) {
        self.remove(&Member::Group(group.clone()));
    }

    /// Returns the nodes of the executor.
    pub fn nodes(&self) -> Vec<Node> {
        let nodes = |member: &Member| match member {
            Member::Node(node) if member.belongs_to(self.control()) => Some(node.clone()),
            _ => None,
        };
        lock(&self.0.members).iter().flat_map(|members| &members.all).filter_map(nodes).collect()
    }

    /// Makes the present spin return, or the next one if none is running.
    pub fn cancel(&self) {
        self.0.is_cancelled.store(true, Ordering::Release);
        self.ring();
    }

    /// Makes the executor check again what there is to do.
    pub(crate) fn ring(&self) {
        self.0.control.ring();
    }

    pub(crate) fn context(&self) -> &Context {
        &self.0.context
    }

    pub(crate) fn control(&self) -> &Arc<Waker> {
        &self.0.control
    }

    /// Returns whether a spin must end.
    pub(crate) fn is_over(&self) -> bool {
        self.0.context.is_shut_down() || self.0.is_cancelled.load(Ordering::Acquire)
    }

    /// Clears a cancellation, so that the next spin runs.
    pub(crate) fn clear_cancellation(&self) {
        self.0.is_cancelled.store(false, Ordering::Release);
    }

    /// Returns a version that changes whenever something is added or removed.
    pub(crate) fn version(&self) -> u64 {
        self.0.version.load(Ordering::Acquire)
    }

    /// Calls `each` with each member, in the order in which they were added.
    pub(crate) fn for_each_member(&self, each: impl FnMut(&Member)) {
        lock(&self.0.members).iter().flat_map(|members| &members.all).for_each(each);
    }

    /// Forgets members that other executors have taken, unless they were added to this one again since.
    pub(crate) fn forget(&self, lost: &[Member]) {
        if let Some(members) = &mut *lock(&self.0.members) {
            members.all.retain(|member| !lost.contains(member) || member.belongs_to(self.control()));
        }
    }

    /// Ends the use of the handle when the executor is dropped.
    pub(crate) fn close(&self) {
        let members = lock(&self.0.members).take();
        members
            .iter()
            .flat_map(|members| &members.all)
            .for_each(|member| member.clear_executor(self.control()));
    }

    fn add(&self, member: Member) {
        self.change(|members, control| {
            member.set_executor(control);
            members.all.retain(|other| *other != member);
            members.all.push(member);
        });
    }

    fn remove(&self, member: &Member) {
        self.change(|members, control| {
            member.clear_executor(control);
            members.all.retain(|other| other != member);
        });
    }

    fn change(&self, change: impl FnOnce(&mut Members, &Arc<Waker>)) {
        if let Some(members) = &mut *lock(&self.0.members) {
            change(members, &self.0.control);
            self.0.version.fetch_add(1, Ordering::Release);
        }
        self.ring();
    }
}
