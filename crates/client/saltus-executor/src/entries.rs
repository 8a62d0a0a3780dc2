//! The entries of an executor: the waitables in its nodes and callback groups.

use saltus_node::{CallbackGroup, Waiter};

use crate::{
    handle::{ExecutorHandle, WeakMember},
    listed::{CONTROL, ClassSizes, Entry, Group, Listed},
};

/// The index of an entry. It is valid until everything is listed again.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EntryIndex {
    listed: usize,
    group: usize,
    entry: usize,
}

impl EntryIndex {
    #[cfg(test)]
    pub(crate) fn of(listed: usize, group: usize, entry: usize) -> Self {
        Self { listed, group, entry }
    }

    /// Returns the index of the entry's group.
    pub(crate) fn group(self) -> GroupIndex {
        GroupIndex { listed: self.listed, group: self.group }
    }
}

/// The index of a callback group. It is valid until everything is listed again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct GroupIndex {
    listed: usize,
    group: usize,
}

/// The entries of a doorbell class, in the order in which they were created.
#[derive(Default)]
struct OfClass {
    timers: Vec<EntryIndex>,
    servers: Vec<EntryIndex>,
    others: Vec<EntryIndex>,
}

impl OfClass {
    fn all(&mut self) -> [&mut Vec<EntryIndex>; 3] {
        [&mut self.timers, &mut self.servers, &mut self.others]
    }
}

/// The nodes and groups of an executor, and their entries.
pub(crate) struct Entries {
    pub(crate) handle: ExecutorHandle,
    /// The version of the members when they were last listed.
    seen: u64,
    listed: Vec<Listed>,
    /// The number of times that everything was listed so far.
    listing: u64,
    /// How many times [`CONTROL`] was taken so far.
    control_rings: u64,
    of_class: [OfClass; CONTROL as usize],
    timer_count: usize,
    /// The number of the current turn. New entries get it as their last turn.
    turn: u64,
}

impl Entries {
    pub(crate) fn new(handle: ExecutorHandle) -> Self {
        Self {
            handle,
            seen: 0,
            listed: Vec::new(),
            listing: 0,
            control_rings: 0,
            of_class: Default::default(),
            timer_count: 0,
            turn: 0,
        }
    }

    /// Returns all callback groups with their indices.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (GroupIndex, &Group)> {
        self.listed.iter().enumerate().flat_map(|(listed, one)| {
            let groups = one.groups.iter().enumerate();
            groups.map(move |(group, one)| (GroupIndex { listed, group }, one))
        })
    }

    /// Returns the callback group at an index.
    #[inline]
    pub(crate) fn group(&self, index: GroupIndex) -> &Group {
        &self.listed[index.listed].groups[index.group]
    }

    /// Returns all entries, to change them.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Entry> {
        self.listed.iter_mut().flat_map(|listed| &mut listed.groups).flat_map(|group| &mut group.entries)
    }

    /// Returns the entry at an index, with its group.
    #[inline]
    pub(crate) fn at(&mut self, index: EntryIndex) -> (&CallbackGroup, &mut Entry) {
        let group = &mut self.listed[index.listed].groups[index.group];
        (&group.group, &mut group.entries[index.entry])
    }

    /// Whether the members, or the group of the entry at an index, have changed since they were listed.
    #[inline]
    pub(crate) fn is_stale_at(&self, index: EntryIndex) -> bool {
        self.is_stale() || self.group(index.group()).is_stale()
    }

    /// Returns the entry at an index.
    pub(crate) fn entry(&self, index: EntryIndex) -> &Entry {
        &self.listed[index.listed].groups[index.group].entries[index.entry]
    }

    /// Returns all entries with their indices.
    pub(crate) fn indexed(&self) -> impl Iterator<Item = (EntryIndex, &Entry)> {
        self.groups().flat_map(|(GroupIndex { listed, group }, one)| {
            let entries = one.entries.iter().enumerate();
            entries.map(move |(entry, one)| (EntryIndex { listed, group, entry }, one))
        })
    }

    /// Lists the entries of the classes in `ready` that are no timers: servers after the others, and both in the order in which
    /// they were created.
    #[inline]
    pub(crate) fn list_others(&self, ready: u32, into: &mut Vec<EntryIndex>) {
        into.clear();
        Classes(ready).for_each(|class| into.extend_from_slice(&self.of_class[class].others));
        let others = into.len();
        Classes(ready).for_each(|class| into.extend_from_slice(&self.of_class[class].servers));
        if !ready.is_power_of_two() {
            into[..others].sort_unstable();
            into[others..].sort_unstable();
        }
    }

    /// Notes the servers of the classes in `ready` for which a request waits. They run in this turn, and the other servers do not: a
    /// request that comes later must not overtake a message to a subscription that has run in the turn.
    #[inline]
    pub(crate) fn mark_servers(&mut self, ready: u32, turn: u64) {
        for index in Classes(ready).flat_map(|class| &self.of_class[class].servers) {
            let entry = &mut self.listed[index.listed].groups[index.group].entries[index.entry];
            if entry.waitable.upgrade().is_some_and(|waitable| waitable.has_more()) {
                entry.due_in = turn;
            }
        }
    }

    /// Lists the timers of the classes in `ready`.
    pub(crate) fn list_timers(&self, ready: u32, into: &mut Vec<EntryIndex>) {
        into.clear();
        Classes(ready).for_each(|class| into.extend_from_slice(&self.of_class[class].timers));
    }

    /// Returns the index of the first entry at or after the index `from` for which `is_it` returns `true`.
    #[inline]
    pub(crate) fn index_from(
        &self,
        from: EntryIndex,
        is_it: &mut impl FnMut(&Entry) -> bool,
    ) -> Option<EntryIndex> {
        for (node, listed) in self.listed.iter().enumerate().skip(from.listed) {
            let first = if node == from.listed { from.group } else { 0 };
            for (group_index, group) in listed.groups.iter().enumerate().skip(first) {
                let is_first = (node, group_index) == (from.listed, from.group);
                let first = if is_first { from.entry } else { 0 };
                let mut rest = group.entries.iter().skip(first);
                if let Some(entry) = rest.position(&mut *is_it) {
                    return Some(EntryIndex { listed: node, group: group_index, entry: first + entry });
                }
            }
        }
        None
    }

    /// Returns the number of timers.
    pub(crate) fn timer_count(&self) -> usize {
        self.timer_count
    }

    /// Returns a number that changes whenever places may have changed.
    pub(crate) fn listing(&self) -> u64 {
        self.listing
    }

    /// Returns how many times [`CONTROL`] was rung, as far as [`Entries::collect`] has noticed.
    pub(crate) fn control_rings(&self) -> u64 {
        self.control_rings
    }

    /// Returns the number of the current turn.
    pub(crate) fn turn(&self) -> u64 {
        self.turn
    }

    /// Begins a new turn. Returns its number.
    pub(crate) fn next_turn(&mut self) -> u64 {
        self.turn += 1;
        self.turn
    }

    /// Returns whether a member was added or removed since the members were last listed.
    #[inline]
    pub(crate) fn is_stale(&self) -> bool {
        self.handle.version() != self.seen
    }

    /// Takes the classes that were rung, and lists what has changed if [`CONTROL`] is among them. Returns these classes
    /// and those in `before`. [`CONTROL`] is in the result only if it was rung again during the listing.
    ///
    /// The order matters. The classes are taken before the listing, so the ring for a change during the listing is not
    /// lost. They are taken again after the listing, because a new waitable rings its class at once if it has something
    /// to do.
    #[inline]
    pub(crate) fn collect(&mut self, waiter: &mut Waiter, before: u32) -> u32 {
        let ready = before | waiter.collect();
        if ready & 1 << CONTROL == 0 {
            return ready;
        }
        self.control_rings += 1;
        self.refresh();
        ready & !(1 << CONTROL) | waiter.collect()
    }

    /// Adds the nodes, groups and waitables that were added since the last call, and removes those that do not belong
    /// to the executor any more. Of those that another executor runs now, only the entries are removed.
    pub(crate) fn refresh(&mut self) {
        if self.is_stale() {
            self.list_members();
        } else if !self.listed.iter().any(Listed::is_stale) {
            return;
        }
        let len = |class: &OfClass| (class.timers.len() + class.servers.len() + class.others.len()) as u32;
        let mut sizes = ClassSizes::new(self.of_class.each_ref().map(len));
        let Self { handle, listed, turn, .. } = self;
        let own_groups: Vec<CallbackGroup> = listed.iter().filter_map(Listed::own_group).collect();
        let mut lost = Vec::new();
        listed.retain_mut(|listed| {
            let is_node_kept = listed.list_groups(handle, &own_groups);
            let is_group = matches!(listed.member, WeakMember::Group(_));
            listed.groups.retain_mut(|group| group.list_waitables(handle, &mut sizes, *turn));
            let is_kept = is_node_kept && !(is_group && listed.groups.is_empty());
            if !is_kept {
                lost.push(listed.member.clone());
            }
            is_kept
        });
        if !lost.is_empty() {
            handle.remove_lost(&lost);
        }
        self.list_classes();
    }

    /// Lists the entries of each class.
    pub(crate) fn list_classes(&mut self) {
        self.listing += 1;
        let mut of_class = std::mem::take(&mut self.of_class);
        for class in &mut of_class {
            class.all().into_iter().for_each(Vec::clear);
        }
        for (index, entry) in self.indexed() {
            let class = &mut of_class[entry.class as usize];
            let list = match (entry.is_timer, entry.is_server) {
                (true, _) => &mut class.timers,
                (_, true) => &mut class.servers,
                _ => &mut class.others,
            };
            list.push(index);
        }
        self.timer_count = of_class.iter().map(|class| class.timers.len()).sum();
        self.of_class = of_class;
    }

    fn list_members(&mut self) {
        self.seen = self.handle.version();
        // Both lists are in the order in which members were added, so one pass over them is enough.
        let mut before = std::mem::take(&mut self.listed).into_iter();
        let listed = &mut self.listed;
        self.handle.for_each_member(|member| {
            let same = before.find(|before| before.member.is(member));
            listed.push(same.unwrap_or_else(|| Listed::new(member)));
        });
    }
}

/// The doorbell classes in a bit mask, except [`CONTROL`].
struct Classes(u32);

impl Iterator for Classes {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let class = self.0.trailing_zeros();
        self.0 &= self.0.wrapping_sub(1);
        (class < CONTROL).then_some(class as usize)
    }
}

impl Drop for Entries {
    fn drop(&mut self) {
        self.handle.close();
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use saltus_node::{CallbackGroupKind, Context, ContextOptions};

    use super::*;

    fn context() -> (tempfile::TempDir, Context) {
        let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
        let context = ContextOptions::default().folder(folder.path()).handle_signals(false).create().unwrap();
        (folder, context)
    }

    fn entries(context: &Context) -> (Waiter, Entries) {
        let waiter = context.waiter().unwrap();
        let handle = ExecutorHandle::new(context, &Arc::new(waiter.waker(CONTROL)));
        (waiter, Entries::new(handle))
    }

    /// An entry keeps its state and its order when other entries are added and removed.
    #[test]
    fn the_list_follows_additions_and_removals() {
        let (_folder, context) = context();
        let nodes: Vec<_> =
            (0..4).map(|number| context.node(&format!("node_{number}")).create().unwrap()).collect();
        let timer = |index: usize| nodes[index].wall_timer(Duration::from_secs(9)).callback(|| {}).unwrap();
        let (_timers, (mut waiter, mut entries)) = ([0, 1, 2, 3].map(timer), entries(&context));
        nodes[..3].iter().for_each(|node| entries.handle.add_node(node));
        entries.collect(&mut waiter, 0);
        for (number, entry) in (1..).zip(entries.iter_mut()) {
            entry.last_turn = number;
        }
        let turns = |entries: &Entries| -> Vec<u64> {
            entries.indexed().filter(|(_, entry)| entry.is_timer).map(|(_, entry)| entry.last_turn).collect()
        };
        let before = turns(&entries);
        entries.handle.remove_node(&nodes[1]);
        entries.handle.add_node(&nodes[3]);
        assert!(entries.is_stale());
        entries.collect(&mut waiter, 0);
        assert_eq!(turns(&entries), [before[0], before[2], 0]);
        // A timer is added to the first node.
        let _more = timer(0);
        entries.collect(&mut waiter, 0);
        assert_eq!(turns(&entries), [before[0], 0, before[2], 0]);
        // Another executor takes a node, and is dropped.
        let (_other, others) = self::entries(&context);
        others.handle.add_node(&nodes[2]);
        entries.collect(&mut waiter, 0);
        assert_eq!(turns(&entries), [before[0], 0, 0]);
        assert_eq!(entries.handle.nodes(), [nodes[0].clone(), nodes[3].clone()]);
        drop(others);
        entries.collect(&mut waiter, 0);
        assert_eq!(turns(&entries).len(), 4);
        assert_eq!(entries.handle.nodes(), [0, 2, 3].map(|index| nodes[index].clone()));
    }

    /// A program may create many groups that it uses for a short time.
    #[test]
    fn groups_without_other_handles_or_entities_are_removed() {
        let (_folder, context) = context();
        let node = context.node("node").start_parameter_services(false).create().unwrap();
        let (mut waiter, mut entries) = entries(&context);
        entries.handle.add_node(&node);
        for _ in 0..100 {
            let group = node.callback_group(CallbackGroupKind::Reentrant);
            let timer = node.timer(Duration::from_secs(9)).callback_group(&group).callback(|| {}).unwrap();
            entries.collect(&mut waiter, 0);
            assert!(entries.groups().count() <= 3);
            drop(timer);
        }
    }

    #[test]
    fn entries_share_a_class_only_when_all_classes_are_in_use() {
        let (_folder, context) = context();
        let node = context.node("node").start_parameter_services(false).create().unwrap();
        let (mut waiter, mut entries) = entries(&context);
        entries.handle.add_node(&node);
        let mut timers = Vec::new();
        for _ in 0..100 {
            timers.push(node.wall_timer(Duration::from_secs(9)).callback(|| {}).unwrap());
            entries.collect(&mut waiter, 0);
            let mut classes: Vec<u32> = entries.indexed().map(|(_, entry)| entry.class).collect();
            classes.sort_unstable();
            classes.dedup();
            assert_eq!(classes.len(), timers.len());
            if timers.len() > 20 {
                drop(timers.split_off(10));
            }
        }
    }

    /// A message is taken without a look at thousands of timers.
    #[test]
    fn timers_and_others_have_different_classes_when_classes_are_shared() {
        let (_folder, context) = context();
        let node = context.node("node").create().unwrap();
        let (mut waiter, mut entries) = entries(&context);
        entries.handle.add_node(&node);
        entries.collect(&mut waiter, 0);
        let timer = |_| node.wall_timer(Duration::from_secs(9)).callback(|| {}).unwrap();
        let _timers: Vec<_> = (0..1000).map(timer).collect();
        let _groups: Vec<_> = (0..100).map(|_| node.guard_condition(|| {})).collect();
        entries.collect(&mut waiter, 0);
        let count = |timers: bool, class: u32| {
            entries.indexed().filter(|(_, entry)| entry.is_timer == timers && entry.class == class).count()
        };
        for class in 0..CONTROL {
            let (timers, others) = (count(true, class), count(false, class));
            assert!(timers <= 1 || others <= 1, "class {class}: {timers} timers and {others} others");
        }
    }

    /// A woken future and the end of another executor's callback ring the class of changes, too.
    #[test]
    fn a_ring_without_a_change_lists_nothing() {
        let (_folder, context) = context();
        let node = context.node("node").create().unwrap();
        let (mut waiter, mut entries) = entries(&context);
        entries.handle.add_node(&node);
        entries.collect(&mut waiter, 0);
        let (listing, rings) = (entries.listing(), entries.control_rings());
        entries.handle.ring();
        entries.collect(&mut waiter, 0);
        assert_eq!((entries.listing(), entries.control_rings()), (listing, rings + 1));
        let _timer = node.wall_timer(Duration::from_secs(9)).callback(|| {}).unwrap();
        entries.collect(&mut waiter, 0);
        assert_eq!((entries.listing(), entries.timer_count()), (listing + 1, 1));
    }
}
