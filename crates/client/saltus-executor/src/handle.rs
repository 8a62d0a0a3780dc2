//! Handles of executors, which any thread can use while the executor spins.

use std::{
    cell::Cell,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use saltus_node::{CallbackGroup, Context, Node, Waker, WeakNode};

use crate::sync::{Mutex, lock};

/// A handle of an executor. It adds and removes nodes and callback groups, and cancels a spin. May be used from any
/// thread, and in callbacks. Cheap to clone.
///
/// If the executor was dropped, the handle does nothing.
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
pub struct ExecutorHandle(Arc<ExecutorState>);

thread_local! {
    /// The executor with several threads of which this thread is one.
    static OF_THIS_THREAD: Cell<*const ExecutorState> = const { Cell::new(std::ptr::null()) };
}

/// While it exists, this thread is one of the threads of an executor.
pub(crate) struct ThreadMark {
    before: *const ExecutorState,
}

impl Drop for ThreadMark {
    fn drop(&mut self) {
        OF_THIS_THREAD.set(self.before);
    }
}

struct ExecutorState {
    context: Context,
    /// The waker of the doorbell class `CONTROL`. Its address identifies the executor.
    control: Arc<Waker>,
    is_cancelled: AtomicBool,
    /// `None` once the executor is dropped.
    members: Mutex<Option<Members>>,
    /// Counts changes of `members`, so that the executor sees them with one load.
    version: AtomicU64,
    /// How often the executor was woken by [`ExecutorHandle::wake`].
    wakes: AtomicU64,
}

/// The members of an executor, in the order in which they were added.
#[derive(Default)]
struct Members {
    all: Vec<Member>,
}

/// A member of an executor: a node, or a callback group that was added by itself.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Member {
    Node(Node),
    Group(CallbackGroup),
}

impl Member {
    pub(crate) fn downgrade(&self) -> WeakMember {
        match self {
            Self::Node(node) => WeakMember::Node(node.downgrade()),
            Self::Group(group) => WeakMember::Group(group.clone()),
        }
    }

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

    fn was_added_to(&self, control: &Arc<Waker>) -> bool {
        match self {
            Self::Node(node) => node.was_added_to(control),
            Self::Group(group) => group.was_added_to(control),
        }
    }

    fn clear_executor(&self, control: &Arc<Waker>) {
        match self {
            Self::Node(node) => node.clear_executor(control),
            Self::Group(group) => group.clear_executor(control),
        }
    }
}

/// A member that the list of entries does not keep alive. (A callback group keeps nothing of its node alive.)
#[derive(Clone)]
pub(crate) enum WeakMember {
    Node(WeakNode),
    Group(CallbackGroup),
}

impl WeakMember {
    pub(crate) fn is(&self, member: &Member) -> bool {
        match (self, member) {
            (Self::Node(own), Member::Node(node)) => own.is(node),
            (Self::Group(own), Member::Group(group)) => own == group,
            _ => false,
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
    /// Creates the handle of an executor. `control` is the waker of its doorbell class `CONTROL`.
    pub(crate) fn new(context: &Context, control: &Arc<Waker>) -> Self {
        context.on_shutdown(control);
        Self(Arc::new(ExecutorState {
            context: context.clone(),
            control: control.clone(),
            is_cancelled: AtomicBool::new(false),
            members: Mutex::new(Some(Members::default())),
            version: AtomicU64::new(0),
            wakes: AtomicU64::new(0),
        }))
    }

    /// Adds a node with its callback groups, except manual ones. One executor at a time runs a node: the last one to which it
    /// was added. When that one removes the node or is dropped, the one before runs it again. The node exists until all
    /// executors have removed it.
    ///
    /// # Panics
    /// Panics if the node belongs to another context than the executor.
    pub fn add_node(&self, node: &Node) {
        assert!(*node.context() == self.0.context, "the node and the executor belong to different contexts");
        self.add(Member::Node(node.clone()));
    }

    /// Removes a node. If a callback of the node is running, that call continues. After that this executor calls no callback
    /// of the node, except one that another of its threads is just about to call.
    pub fn remove_node(&self, node: &Node) {
        self.remove(&Member::Node(node.clone()));
    }

    /// Adds a callback group. Its node may belong to another executor, or to none.
    pub fn add_callback_group(&self, group: &CallbackGroup) {
        self.add(Member::Group(group.clone()));
    }

    /// Removes a callback group, like [`ExecutorHandle::remove_node`] removes a node.
    pub fn remove_callback_group(&self, group: &CallbackGroup) {
        self.remove(&Member::Group(group.clone()));
    }

    /// Returns the nodes that the executor runs. This does not include those that another executor runs now.
    pub fn nodes(&self) -> Vec<Node> {
        let nodes = |member: &Member| match member {
            Member::Node(node) if member.belongs_to(self.control()) => Some(node.clone()),
            _ => None,
        };
        lock(&self.0.members).iter().flat_map(|members| &members.all).filter_map(nodes).collect()
    }

    /// Cancels the running spin: it returns soon. If no spin is running, the next spin returns at once.
    pub fn cancel(&self) {
        self.0.is_cancelled.store(true, Ordering::Release);
        self.ring();
    }

    /// Ends a wait for one callback ([`spin_one`](crate::SingleThreadedExecutor::spin_one)) without one. If there is none, the
    /// next one ends at once.
    pub fn wake(&self) {
        self.0.wakes.fetch_add(1, Ordering::Release);
        self.ring();
    }

    /// Returns how often [`ExecutorHandle::wake`] was called.
    pub(crate) fn wakes(&self) -> u64 {
        self.0.wakes.load(Ordering::Acquire)
    }

    /// Whether the executor belongs to a context.
    pub fn is_of(&self, context: &Context) -> bool {
        self.0.context == *context
    }

    /// Makes this thread one of the threads of the executor.
    pub(crate) fn mark_this_thread(&self) -> ThreadMark {
        ThreadMark { before: OF_THIS_THREAD.replace(Arc::as_ptr(&self.0)) }
    }

    /// Returns whether this thread is one of those on which a [`MultiThreadedExecutor`](crate::MultiThreadedExecutor) runs
    /// callbacks now. If it is, it must not wait for the end of the spin.
    pub fn runs_on_this_thread(&self) -> bool {
        std::ptr::eq(OF_THIS_THREAD.get(), Arc::as_ptr(&self.0))
    }

    /// Wakes the executor, so that it lists what has changed, and checks whether the spin must end.
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

    /// Returns a number that changes whenever a member is added or removed.
    pub(crate) fn version(&self) -> u64 {
        self.0.version.load(Ordering::Acquire)
    }

    /// Calls `each` with each member, in the order in which they were added.
    pub(crate) fn for_each_member(&self, each: impl FnMut(&Member)) {
        lock(&self.0.members).iter().flat_map(|members| &members.all).for_each(each);
    }

    /// Removes members that do not belong to the executor any more, unless they were added to it again since then.
    pub(crate) fn remove_lost(&self, lost: &[WeakMember]) {
        if let Some(members) = &mut *lock(&self.0.members) {
            members.all.retain(|member| {
                !lost.iter().any(|lost| lost.is(member)) || member.was_added_to(self.control())
            });
        }
    }

    /// Takes all members away from the executor, because it is dropped. After that the handle does nothing.
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
