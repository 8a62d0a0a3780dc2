//! What may be done to an executor from anywhere, while it spins.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use saltus_node::{CallbackGroup, Context, Node, Waker};

use crate::sync::{Mutex, lock};

/// Gives nodes and callback groups to an executor, takes them back, and ends its spin: from any thread, and from
/// callbacks. Cheap to clone.
///
/// Once the executor is dropped it does nothing.
///
/// ```no_run
/// # use saltus_executor::{Executor, SingleThreadedExecutor};
/// let context = saltus_node::Context::new()?;
/// let mut executor = SingleThreadedExecutor::new(&context)?;
/// let handle = executor.handle();
/// std::thread::spawn(move || -> Result<(), saltus_node::NodeError> {
///     handle.add_node(&context.node("late").create()?);
///     Ok(())
/// });
/// executor.spin_all()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ExecutorHandle(Arc<Shared>);

struct Shared {
    context: Context,
    /// Rings when something other than a message happened; also says which executor this is.
    control: Arc<Waker>,
    is_cancelled: AtomicBool,
    /// `None` once the executor has gone.
    members: Mutex<Option<Members>>,
    /// Counts changes of `members`, so that the executor sees them with one load.
    version: AtomicU64,
}

/// What an executor was given, in that order.
#[derive(Default)]
struct Members {
    all: Vec<Member>,
}

/// A node, or a callback group that was given by itself.
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

    fn is_of(&self, control: &Arc<Waker>) -> bool {
        match self {
            Self::Node(node) => node.is_of(control),
            Self::Group(group) => group.is_of(control),
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
    /// Of an executor whose waiter has that control waker.
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

    /// Gives it a node, with its automatic callback groups. A node belongs to one executor at a time: the last
    /// that took it.
    ///
    /// # Panics
    /// If the node is of another context.
    pub fn add_node(&self, node: &Node) {
        assert!(*node.context() == self.0.context, "an executor runs the nodes of its own context");
        self.add(Member::Node(node.clone()));
    }

    /// Takes a node back. A callback of it that runs goes on; no other begins, unless another thread of the
    /// executor is just about to call it.
    pub fn remove_node(&self, node: &Node) {
        self.remove(&Member::Node(node.clone()));
    }

    /// Gives it a callback group, whose node may be spun by another executor, or by none.
    pub fn add_callback_group(&self, group: &CallbackGroup) {
        self.add(Member::Group(group.clone()));
    }

    /// Takes a callback group back, as [`ExecutorHandle::remove_node`] does.
    pub fn remove_callback_group(&self, group: &CallbackGroup) {
        self.remove(&Member::Group(group.clone()));
    }

    /// The nodes that it has.
    pub fn nodes(&self) -> Vec<Node> {
        let nodes = |member: &Member| match member {
            Member::Node(node) if member.is_of(self.control()) => Some(node.clone()),
            _ => None,
        };
        lock(&self.0.members).iter().flat_map(|members| &members.all).filter_map(nodes).collect()
    }

    /// Makes the spin that runs, or the next one, return.
    pub fn cancel(&self) {
        self.0.is_cancelled.store(true, Ordering::Release);
        self.ring();
    }

    /// Has the executor look anew for what there is to do.
    pub(crate) fn ring(&self) {
        self.0.control.ring();
    }

    pub(crate) fn context(&self) -> &Context {
        &self.0.context
    }

    pub(crate) fn control(&self) -> &Arc<Waker> {
        &self.0.control
    }

    /// Whether a spin is to end.
    pub(crate) fn is_over(&self) -> bool {
        self.0.context.is_shut_down() || self.0.is_cancelled.load(Ordering::Acquire)
    }

    /// Uses up a cancellation: the next spin runs.
    pub(crate) fn use_up_cancellation(&self) {
        self.0.is_cancelled.store(false, Ordering::Release);
    }

    /// Changes with what the executor is given.
    pub(crate) fn version(&self) -> u64 {
        self.0.version.load(Ordering::Acquire)
    }

    /// Shows what the executor was given, in that order.
    pub(crate) fn for_each_member(&self, each: impl FnMut(&Member)) {
        lock(&self.0.members).iter().flat_map(|members| &members.all).for_each(each);
    }

    /// Other executors have taken them, if they were not given back since that was seen.
    pub(crate) fn forget(&self, lost: &[Member]) {
        if let Some(members) = &mut *lock(&self.0.members) {
            members.all.retain(|member| !lost.contains(member) || member.is_of(self.control()));
        }
    }

    /// The executor has gone.
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
