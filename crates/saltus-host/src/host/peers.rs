//! Which members there are, and what they say of themselves.

use std::{
    io,
    sync::{Arc, atomic::Ordering},
};

use saltus_graph::{EndpointId, Entry, GraphEvent, Key, Present};
use saltus_memory::{link::Link, protocol::membership::MemberInfo};

use super::{Host, Peer, State};
use crate::registry::RegistryView;

/// How often opening a member's memory must fail before that is told: its files may be replaced just now.
const TELL_AFTER: u32 = 3;

impl Host {
    /// Whether there are members whose memory could not be opened yet.
    pub(crate) fn has_unreachable(&self) -> bool {
        !self.lock().unreachable.is_empty()
    }

    /// Brings this process's picture of the domain up to date, and matches what is new.
    pub(crate) fn sync(&self) {
        let mut state = self.lock();
        let membership = &self.memory.membership;
        let others = membership.others();
        let is_listed = |id: &u64| others.iter().any(|member| member.id == *id);
        state.unreachable.retain(|id, _| is_listed(id));
        let mut gone = Vec::new();
        for member in &others {
            if !state.peers.contains_key(&member.id) && !self.meet(&mut state, member) {
                gone.push(member.id);
            }
        }
        // Who is missing from the table may only have lost a file: only its own word counts here.
        let left = |(_, peer): &(&u64, &Peer)| peer.link.header.state.has_left();
        let left: Vec<u64> = state.peers.iter().filter(left).map(|(id, _)| *id).collect();
        left.into_iter().for_each(|process| self.part(&mut state, process));
        let mut changed = self.refresh(&mut state);
        state.publishers.values().for_each(|publisher| publisher.notice_matched());
        changed |= self.retired.reap(&self.memory);
        state.version += 1;
        if changed {
            self.notify(&mut state);
        }
        self.changed.notify_all();
        drop(state);
        membership.remove_dead(&gone);
        self.tell();
    }

    /// Gets to know a member, and makes sure that it gets to know this one's present state. `false` if it is
    /// dead.
    fn meet(&self, state: &mut State, member: &MemberInfo) -> bool {
        let membership = &self.memory.membership;
        match Link::open(membership, member) {
            // It is dead, and a child of it keeps its lock and its pipe open.
            Ok(Some(link)) if link.pid_is_free(membership.process()) => false,
            Ok(Some(link)) => {
                state.unreachable.remove(&member.id);
                link.ring_housekeeping();
                let view = RegistryView::new(member.id);
                state.peers.insert(member.id, Peer { link: Arc::new(link), view, seen: None });
                true
            }
            Ok(None) | Err(_) if membership.place().is_dead(member, membership.process()) => false,
            // It is leaving.
            Ok(None) => true,
            // It has left meanwhile, or lists itself anew just now.
            Err(_) if !membership.is_listed_there(member.id) => true,
            Err(error) => {
                let failures = state.unreachable.entry(member.id).or_default();
                *failures += 1;
                if *failures == TELL_AFTER {
                    self.note_unreachable(member, &error);
                }
                true
            }
        }
    }

    fn note_unreachable(&self, member: &MemberInfo, error: &io::Error) {
        let place = self.memory.membership.place();
        let is_refused = member.descriptor.is_some() && error.kind() == io::ErrorKind::PermissionDenied;
        if is_refused && place.may_open_files() {
            // Others of its owner will not be able to, either: it must know.
            place.report_unreachable(member.id);
        }
        let reason = error.to_string();
        self.tell_later(GraphEvent::Unreachable { process: member.id, pid: member.pid, reason });
    }

    /// Forgets a process that has left or died. Nothing of it is touched any more but what its
    /// mapped memory still holds unread.
    fn part(&self, state: &mut State, process: u64) {
        state.matcher.forget_process(process);
        self.carry_out(state);
        state.peers.remove(&process);
        Self::tell_watchers_gone(state, process);
        state.publishers.values().for_each(|publisher| publisher.sender.release_process(process));
        self.retired.release_process(process, &self.memory);
    }

    /// Reads what changed in the registries of all peers. Returns whether this process's own
    /// changed by that: others need not look if it did not.
    fn refresh(&self, state: &mut State) -> bool {
        let processes: Vec<u64> = state.peers.keys().copied().collect();
        let mut changed = false;
        for process in processes {
            let Some(peer) = state.peers.get_mut(&process) else { continue };
            let seen = peer.link.header.changes.load(Ordering::Acquire);
            if peer.seen == Some(seen) {
                continue;
            }
            peer.seen = Some(seen);
            let changes = peer.view.refresh(&peer.link.segment);
            let link = peer.link.clone();
            self.tell_watchers(state, process, &link);
            if changes.unreadable > 0 {
                self.tell_later(GraphEvent::Unreadable { process, entries: changes.unreadable });
            }
            // Connections first: what a server said before it went is in a queue that may be new.
            let (mut removed, mut added) = (changes.removed, changes.added);
            let ended: Vec<Key> = removed.extract_if(.., |key| key.is_connection()).collect();
            let is_connection = |entry: &mut Entry| matches!(entry, Entry::Connection(_));
            let begun: Vec<Entry> = added.extract_if(.., is_connection).collect();
            for (gone, new) in [(ended, begun), (removed, added)] {
                for key in gone {
                    changed |= self.forget_missing(state, process, key);
                }
                new.iter().for_each(|entry| learn(state, entry));
                changed |= self.carry_out(state);
            }
        }
        changed
    }

    /// Forgets entries of another process that had a key and are not there any more. Whether this process's own
    /// registry changed by that.
    fn forget_missing(&self, state: &mut State, process: u64, key: Key) -> bool {
        let Some(peer) = state.peers.get(&process) else { return false };
        let mut present = Present::default();
        for entry in peer.view.with_key(key, &peer.link.segment) {
            match entry {
                Entry::Endpoint(endpoint) => drop(present.endpoints.insert(endpoint.id)),
                Entry::Connection(one) => {
                    present.connections.insert((one.publisher, one.subscription));
                }
                Entry::Node(_) | Entry::Offer(_) | Entry::Type(_) => {}
            }
        }
        state.matcher.retain(process, key, &present);
        let changed = self.carry_out(state);
        if key.is_connection() {
            return changed;
        }
        // What closed publishers still hold for subscriptions that have gone, nobody will read.
        let is_gone =
            |owner, serial| owner == process && !present.endpoints.contains(&EndpointId { process, serial });
        self.retired.leave(key.number(), is_gone, &self.memory) || changed
    }

    /// Connects what could not be connected before: meanwhile there may be memory.
    pub(crate) fn retry_connections(&self) {
        let mut state = self.lock();
        state.matcher.retry();
        if self.carry_out(&mut state) {
            self.notify(&mut state);
        }
    }

    /// The peers and what it takes to watch them.
    pub(crate) fn peers(&self) -> Vec<Arc<Link>> {
        self.lock().peers.values().map(|peer| peer.link.clone()).collect()
    }

    /// Forgets members that are proven dead, and removes their files unless somebody else did.
    pub(crate) fn forget_dead(&self, processes: &[u64]) {
        if processes.is_empty() {
            return;
        }
        processes.iter().for_each(|process| self.part(&mut self.lock(), *process));
        self.memory.membership.remove_dead(processes);
    }
}

/// Takes in a new entry of another process.
fn learn(state: &mut State, entry: &Entry) {
    match entry {
        Entry::Node(_) | Entry::Offer(_) | Entry::Type(_) => {}
        Entry::Connection(connection) => state.matcher.learn_connection(connection),
        Entry::Endpoint(endpoint) => state.matcher.learn(endpoint),
    }
}
