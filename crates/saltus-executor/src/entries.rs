//! What an executor runs: nodes, callback groups, and the waitables in them.

use std::sync::{Arc, Weak};

use saltus_node::{CallbackGroup, Node, Waitable, Waiter, Waker};

/// The class that says: look at everything, something other than a message happened.
pub(crate) const CONTROL: u32 = Waiter::CLASSES - 1;

/// A waitable and where it is in the executor's round.
///
/// **Invariant:** does not keep its entity alive: dropping the handle of a subscription or timer ends it.
pub(crate) struct Entry {
    pub(crate) waitable: Weak<dyn Waitable>,
    pub(crate) group: CallbackGroup,
    pub(crate) class: u32,
    pub(crate) is_timer: bool,
    /// Whether it may have something to do.
    pub(crate) maybe: bool,
    /// Whether a thread runs it now.
    pub(crate) is_running: bool,
    /// Whether its group was busy with a callback of another executor when it was to run.
    pub(crate) is_refused: bool,
    /// The number of the turn in which it last ran.
    pub(crate) last_turn: u64,
}

/// The nodes and groups of an executor.
///
/// **Invariant:** each has been told that it belongs to this executor, and is told when it does not any more.
pub(crate) struct Entries {
    /// Rings when something other than a message happened; also says which executor this is.
    pub(crate) control: Arc<Waker>,
    nodes: Vec<(Node, u64)>,
    /// Groups that were given by hand.
    own_groups: Vec<CallbackGroup>,
    groups: Vec<(CallbackGroup, u64)>,
    pub(crate) all: Vec<Entry>,
}

impl Entries {
    pub(crate) fn new(control: Arc<Waker>) -> Self {
        Self { control, nodes: Vec::new(), own_groups: Vec::new(), groups: Vec::new(), all: Vec::new() }
    }

    pub(crate) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn add_node(&mut self, node: &Node) {
        if !self.nodes.iter().any(|(own, _)| own == node) {
            self.nodes.push((node.clone(), u64::MAX));
        }
        node.set_executor(&self.control);
    }

    pub(crate) fn remove_node(&mut self, node: &Node) {
        node.clear_executor(&self.control);
        self.nodes.retain(|(own, _)| own != node);
        self.list_groups();
    }

    pub(crate) fn add_group(&mut self, group: &CallbackGroup) {
        if !self.own_groups.contains(group) {
            self.own_groups.push(group.clone());
        }
        group.set_executor(&self.control);
        self.list_groups();
    }

    pub(crate) fn remove_group(&mut self, group: &CallbackGroup) {
        group.clear_executor(&self.control);
        self.own_groups.retain(|own| own != group);
        self.list_groups();
    }

    /// The classes that are ready, after taking up what nodes have got.
    ///
    /// In this order: a ring that told of something new is not used up before that was looked at. And
    /// what is taken up rings at once for what waits already.
    pub(crate) fn collect(&mut self, waiter: &mut Waiter) -> u32 {
        let ready = waiter.collect();
        if self.refresh(waiter) { ready | waiter.collect() } else { ready }
    }

    /// Takes up what nodes have got since the last time, and lets go of what they have not any more.
    /// Whether anything changed.
    pub(crate) fn refresh(&mut self, waiter: &Waiter) -> bool {
        if self.nodes.iter().any(|(node, seen)| node.version() != *seen) {
            self.list_groups();
        }
        let changed = self.groups.iter().any(|(group, seen)| group.version() != *seen);
        if changed {
            self.list_waitables(waiter);
        }
        changed
    }

    fn list_groups(&mut self) {
        let Self { control, nodes, own_groups, groups, .. } = self;
        groups.clear();
        groups.extend(own_groups.iter().map(|group| (group.clone(), u64::MAX)));
        nodes.retain_mut(|(node, seen)| {
            *seen = node.version();
            let Some(of_node) = node.callback_groups(control) else { return false };
            groups.extend(of_node.into_iter().map(|group| (group, u64::MAX)));
            true
        });
        // A list without groups must be taken up too.
        self.all.retain(|entry| groups.iter().any(|(group, _)| *group == entry.group));
    }

    fn list_waitables(&mut self, waiter: &Waiter) {
        let before = std::mem::take(&mut self.all);
        let Self { control, groups, own_groups, all, .. } = self;
        groups.retain_mut(|(group, seen)| {
            *seen = group.version();
            let first = all.len() as u32;
            let mut classes = (first..).map(|place| place % CONTROL);
            let waker_of = || waiter.waker(classes.next().unwrap_or(0));
            let Some(waitables) = group.aim_waitables(control, waker_of) else {
                own_groups.retain(|own| own != group);
                return false;
            };
            let entry = |(place, waitable): (u32, Arc<dyn Waitable>)| Entry {
                waitable: Arc::downgrade(&waitable),
                group: group.clone(),
                class: place % CONTROL,
                is_timer: waitable.is_timer(),
                maybe: true,
                is_running: false,
                is_refused: false,
                last_turn: 0,
            };
            all.extend((first..).zip(waitables).map(entry));
            true
        });
        for entry in all {
            if let Some(old) = before.iter().find(|old| Weak::ptr_eq(&old.waitable, &entry.waitable)) {
                (entry.is_running, entry.last_turn) = (old.is_running, old.last_turn);
            }
        }
    }

    /// When the next timer is due that can run, in monotonic nanoseconds. One whose group is busy can't: the
    /// end of that callback is a wake-up of its own.
    pub(crate) fn next_timer(&self, busy: &[CallbackGroup]) -> Option<u64> {
        let can_run = |entry: &&Entry| !entry.is_running && !entry.is_refused && !busy.contains(&entry.group);
        let timers = self.all.iter().filter(|entry| entry.is_timer).filter(can_run);
        timers.filter_map(|entry| entry.waitable.upgrade()?.deadline()).min()
    }
}

impl Drop for Entries {
    fn drop(&mut self) {
        self.nodes.iter().for_each(|(node, _)| node.clear_executor(&self.control));
        self.own_groups.iter().for_each(|group| group.clear_executor(&self.control));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use saltus_node::ContextOptions;

    use super::*;

    /// Else whoever waits would look again and again until the callback has ended.
    #[test]
    fn a_timer_that_is_due_and_can_not_run_is_not_waited_for() {
        let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
        let context = ContextOptions::default().folder(folder.path()).handle_signals(false).create().unwrap();
        let node = context.node("node").create().unwrap();
        let _timer = node.wall_timer(Duration::from_nanos(1), || {}).unwrap();
        let mut waiter = context.waiter().unwrap();
        let mut entries = Entries::new(Arc::new(waiter.waker(CONTROL)));
        entries.add_node(&node);
        entries.collect(&mut waiter);
        assert!(entries.next_timer(&[]).is_some());
        assert_eq!(entries.next_timer(std::slice::from_ref(node.default_callback_group())), None);
        entries.all[0].is_refused = true;
        assert_eq!(entries.next_timer(&[]), None);
    }
}
