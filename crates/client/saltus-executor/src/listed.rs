//! The members of an executor as they were last listed: nodes and callback groups, with the waitables in them.

use std::sync::{Arc, Weak};

use saltus_node::{CallbackGroup, Waitable, Waiter};

use crate::handle::{ExecutorHandle, Member, WeakMember};

/// The doorbell class that is rung for everything except the work of an entry: added and removed nodes, groups and
/// waitables, the end of another executor's callback, a woken future, cancellation and shutdown. The executor then
/// lists what has changed.
pub(crate) const CONTROL: u32 = Waiter::CLASSES - 1;

/// The value of [`Entry::queued`] of a timer that is not queued.
pub(crate) const NOT_QUEUED: u64 = u64::MAX;

/// A waitable and its state in the executor.
///
/// **Invariant:** an entry does not keep its waitable alive. When the program drops a subscription or timer, that
/// entity ends.
pub(crate) struct Entry {
    pub(crate) waitable: Weak<dyn Waitable>,
    /// The doorbell class that the waitable rings.
    pub(crate) class: u32,
    pub(crate) is_timer: bool,
    pub(crate) is_server: bool,
    /// Whether several threads may run the waitable at the same time.
    pub(crate) is_reentrant: bool,
    /// Whether the waitable may have something to do, and waits for its turn or for its group. A timer is not waited for then.
    pub(crate) maybe_ready: bool,
    /// The number of threads that are running the waitable.
    pub(crate) running: u32,
    /// The number of the turn in which the waitable last ran.
    pub(crate) last_turn: u64,
    /// The time for which a [`TimerQueue`](crate::timers::TimerQueue) has queued the timer.
    pub(crate) queued: u64,
    /// Timers and servers: the turn in which the timer is due, or a request waits, and which must still run it; 0 for none.
    pub(crate) due_in: u64,
}

impl Entry {
    /// Returns the time at which there is something to do although the doorbell is not rung, in monotonic nanoseconds.
    pub(crate) fn deadline(&self) -> Option<u64> {
        self.waitable.upgrade()?.deadline()
    }

    /// Returns whether one more thread may run the waitable.
    pub(crate) fn is_free(&self) -> bool {
        self.running == 0 || self.is_reentrant
    }
}

/// A callback group and its entries.
pub(crate) struct Group {
    pub(crate) group: CallbackGroup,
    /// The version of the group when it was last listed. `u64::MAX` if it was not listed yet.
    seen: u64,
    pub(crate) entries: Vec<Entry>,
}

impl Group {
    fn new(group: CallbackGroup) -> Self {
        Self { group, seen: u64::MAX, entries: Vec::new() }
    }

    /// Returns whether a waitable was added or removed since the group was listed, or another executor has taken the
    /// group.
    #[inline]
    pub(crate) fn is_stale(&self) -> bool {
        self.group.version() != self.seen
    }

    /// Lists the waitables of the group: none if another executor runs it. Returns whether the group was added to this
    /// executor, and not removed.
    pub(crate) fn list_waitables(
        &mut self,
        handle: &ExecutorHandle,
        sizes: &mut ClassSizes,
        turn: u64,
    ) -> bool {
        if !self.is_stale() {
            return true;
        }
        self.seen = self.group.version();
        let is_reentrant = self.group.kind() == saltus_node::CallbackGroupKind::Reentrant;
        // Both lists are in the order in which waitables were added, so one pass over them is enough.
        let mut before = std::mem::take(&mut self.entries).into_iter();
        self.group.list_waitables(handle.control(), |waitable, has_waker| {
            let weak = Arc::downgrade(waitable);
            let same = before.find(|before| Weak::ptr_eq(&before.waitable, &weak));
            let keeps_waker = has_waker && same.is_some();
            let entry = same.unwrap_or_else(|| Entry {
                waitable: weak,
                class: sizes.add_entry(waitable.is_timer()),
                is_timer: waitable.is_timer(),
                is_server: waitable.is_server(),
                is_reentrant: is_reentrant && waitable.is_reentrant(),
                maybe_ready: false,
                running: 0,
                last_turn: turn,
                queued: NOT_QUEUED,
                due_in: 0,
            });
            let waker = handle.control().of_class(entry.class);
            self.entries.push(entry);
            (!keeps_waker).then_some(waker)
        }) || self.group.was_added_to(handle.control())
    }
}

/// A member of the executor, and its groups: all groups of a node, or the callback group itself.
pub(crate) struct Listed {
    pub(crate) member: WeakMember,
    /// The version of the node when it was last listed. `u64::MAX` if it was not listed yet.
    seen: u64,
    pub(crate) groups: Vec<Group>,
}

impl Listed {
    pub(crate) fn new(member: &Member) -> Self {
        let groups = match member {
            Member::Node(_) => Vec::new(),
            Member::Group(group) => vec![Group::new(group.clone())],
        };
        Self { member: member.downgrade(), seen: u64::MAX, groups }
    }

    /// Returns whether anything in the member has changed since it was listed.
    pub(crate) fn is_stale(&self) -> bool {
        let is_same = match &self.member {
            WeakMember::Node(node) => node.upgrade().is_some_and(|node| node.version() == self.seen),
            WeakMember::Group(_) => true,
        };
        !is_same || self.groups.iter().any(Group::is_stale)
    }

    /// Returns the callback group, if the member is a group that was added by itself.
    pub(crate) fn own_group(&self) -> Option<CallbackGroup> {
        match &self.member {
            WeakMember::Node(_) => None,
            WeakMember::Group(group) => Some(group.clone()),
        }
    }

    /// If the member is a node, lists its groups, except those that were added by themselves. Returns whether the node was
    /// added to this executor, and not removed.
    pub(crate) fn list_groups(&mut self, handle: &ExecutorHandle, own_groups: &[CallbackGroup]) -> bool {
        let WeakMember::Node(node) = &self.member else { return true };
        // The program may have dropped a node that it has removed.
        let Some(node) = node.upgrade() else { return false };
        self.groups.retain(|group| !own_groups.contains(&group.group));
        let version = node.version();
        if version == self.seen {
            return true;
        }
        self.seen = version;
        // Unused groups are removed, because this list would keep them alive.
        self.groups.retain(|group| !group.group.is_unused());
        let Some(present) = node.callback_groups(handle.control()) else {
            return node.was_added_to(handle.control());
        };
        let mut before = std::mem::take(&mut self.groups);
        for group in present.into_iter().filter(|group| !own_groups.contains(group)) {
            let same = before.iter().position(|before| before.group == group);
            self.groups.push(same.map_or_else(|| Group::new(group), |index| before.remove(index)));
        }
        true
    }
}

/// How many entries each doorbell class has.
pub(crate) struct ClassSizes([u32; CONTROL as usize]);

impl ClassSizes {
    /// `of_class` has the number of the entries that each class has already.
    pub(crate) fn new(of_class: [u32; CONTROL as usize]) -> Self {
        Self(of_class)
    }

    /// Returns the class for a new entry, and counts the entry.
    ///
    /// When a class is rung, an executor examines all its entries. So a class gets a second entry only when no class is
    /// empty, and then timers and others have different classes: a message need not wait for thousands of timers.
    fn add_entry(&mut self, is_timer: bool) -> u32 {
        let is_own = |class: usize| (class >= self.0.len() / 2) == is_timer;
        let usable = (0..self.0.len()).filter(|class| self.0[*class] == 0 || is_own(*class));
        let least = usable.min_by_key(|class| self.0[*class]).unwrap_or(0);
        self.0[least] += 1;
        least as u32
    }
}
