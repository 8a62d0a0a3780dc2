//! The other members of the domain, and their entries.

use std::{
    io,
    sync::{Arc, atomic::Ordering},
};

use saltus_graph::{EndpointId, Entry, GraphEvent, Key, Present};
use saltus_memory::{link::Link, protocol::membership::MemberInfo};

use super::{Host, HostState, Peer};
use crate::registry::RegistryView;

/// The number of failures to open a member's segment after which that is reported. The first failures are not reported, because
/// another process may be replacing the member's files.
const REPORT_AFTER: u32 = 3;

impl Host {
    /// Returns whether there are members whose memory could not be opened yet.
    pub(crate) fn has_unreachable(&self) -> bool {
        !self.lock().unreachable.is_empty()
    }

    /// Updates what this process knows of the domain, and matches new endpoints.
    pub(crate) fn sync(&self) {
        let mut state = self.lock();
        let membership = &self.memory.membership;
        let others = membership.others();
        let is_listed = |id: &u64| others.iter().any(|member| member.id == *id);
        state.unreachable.retain(|id, _| is_listed(id));
        let mut gone = Vec::new();
        for member in &others {
            if !state.peers.contains_key(&member.id) && !self.add_peer(&mut state, member) {
                gone.push(member.id);
            }
        }
        // A member that is missing in the table may only have lost a file. It has left only if that is written in its
        // own segment.
        let left = |(_, peer): &(&u64, &Peer)| peer.link.header.state.has_left();
        let left: Vec<u64> = state.peers.iter().filter(left).map(|(id, _)| *id).collect();
        left.into_iter().for_each(|process| self.remove_peer(&mut state, process));
        let mut changed = self.refresh(&mut state);
        state.publishers.values().for_each(|publisher| publisher.note_matched());
        changed |= self.retired.free_unused(&self.memory);
        state.version += 1;
        if changed {
            self.notify(&mut state);
        }
        self.changed.notify_all();
        drop(state);
        membership.remove_dead(&gone);
        self.deliver_pending();
    }

    /// Adds a member to the peers, and wakes its housekeeping thread, which then reads this process's present records.
    /// Returns `false` if the member is dead.
    fn add_peer(&self, state: &mut HostState, member: &MemberInfo) -> bool {
        let membership = &self.memory.membership;
        match Link::open(membership, member) {
            // It is dead, and one of its children keeps its lock and its pipe open.
            Ok(Some(link)) if link.pid_is_free(membership.process()) => false,
            Ok(Some(link)) => {
                state.unreachable.remove(&member.id);
                link.ring_housekeeping();
                let view = RegistryView::new(member.id);
                state.peers.insert(member.id, Peer { link: Arc::new(link), view, seen: None });
                true
            }
            Ok(None) | Err(_) if membership.files().is_dead(member, membership.process()) => false,
            // It is leaving.
            Ok(None) => true,
            // It has left since the table was read, or it is just listing itself again.
            Err(_) if !membership.is_in_table(member.id) => true,
            Err(error) => {
                let failures = state.unreachable.entry(member.id).or_default();
                *failures += 1;
                if *failures == REPORT_AFTER {
                    self.note_unreachable(member, &error);
                }
                true
            }
        }
    }

    fn note_unreachable(&self, member: &MemberInfo, error: &io::Error) {
        let files = self.memory.membership.files();
        let is_refused = member.descriptor.is_some() && error.kind() == io::ErrorKind::PermissionDenied;
        if is_refused && files.may_open_files() {
            // Other processes of this user can't open it either. The member must know that.
            files.report_unreachable(member.id);
        }
        let reason = error.to_string();
        self.queue_event(GraphEvent::Unreachable { process: member.id, pid: member.pid, reason });
    }

    /// Forgets a process that has left or died. After this, only unread messages in its mapped memory are still
    /// accessed.
    fn remove_peer(&self, state: &mut HostState, process: u64) {
        state.matcher.forget_process(process);
        self.carry_out(state);
        state.peers.remove(&process);
        Self::remove_from_watchers(state, process);
        state.publishers.values().for_each(|publisher| publisher.sender.release_process(process));
        self.retired.release_process(process, &self.memory);
    }

    /// Reads what changed in the registries of all peers. Returns whether this changed this process's own registry. If
    /// it did not, peers need not be notified.
    fn refresh(&self, state: &mut HostState) -> bool {
        let processes: Vec<u64> = state.peers.keys().copied().collect();
        let has_watchers = !state.watchers.is_empty();
        let mut changed = false;
        for process in processes {
            let Some(peer) = state.peers.get_mut(&process) else { continue };
            let seen = peer.link.header.changes.load(Ordering::Acquire);
            if peer.seen == Some(seen) {
                continue;
            }
            peer.seen = Some(seen);
            let changes = peer.view.refresh(&peer.link.segment, has_watchers);
            Self::update_watchers(state, process, &changes.records);
            if changes.unreadable > 0 {
                self.queue_event(GraphEvent::Unreadable { process, entries: changes.unreadable });
            }
            // Connections first: the last response of a server that has gone may be in a new queue.
            let (mut removed, mut added) = (changes.removed, changes.added);
            let ended: Vec<Key> = removed.extract_if(.., |key| key.is_connection()).collect();
            let is_connection = |entry: &mut Entry| matches!(entry, Entry::Connection(_));
            let begun: Vec<Entry> = added.extract_if(.., is_connection).collect();
            for (gone, new) in [(ended, begun), (removed, added)] {
                for key in gone {
                    changed |= self.forget_missing(state, process, key);
                }
                new.iter().for_each(|entry| add_entry(state, entry));
                changed |= self.carry_out(state);
            }
        }
        changed
    }

    /// Forgets removed entries of another process that had a key. Returns whether this changed this process's own
    /// registry.
    fn forget_missing(&self, state: &mut HostState, process: u64, key: Key) -> bool {
        if !state.matcher.has_pairs(process, key) && !self.retired.has_key(key.number()) {
            return false;
        }
        let Some(peer) = state.peers.get(&process) else { return false };
        let mut present = Present::default();
        for entry in peer.view.with_key(key, &peer.link.segment) {
            match entry {
                Entry::Endpoint(endpoint) => drop(present.endpoints.insert(endpoint.id)),
                Entry::Connection(one) => {
                    present.connections.insert((one.publisher, one.subscription));
                }
                Entry::Node(_) | Entry::Offer(_) | Entry::Type(_) | Entry::Device(_) => {}
            }
        }
        state.matcher.retain(process, key, &present);
        let changed = self.carry_out(state);
        if key.is_connection() {
            return changed;
        }
        // Closed publishers may still hold messages for subscriptions that have gone. No process will read these.
        let is_gone =
            |owner, serial| owner == process && !present.endpoints.contains(&EndpointId { process, serial });
        self.retired.free_unread(key.number(), is_gone, &self.memory) || changed
    }

    /// Retries the connections that failed before. There may be memory for them by now.
    pub(crate) fn retry_connections(&self) {
        let mut state = self.lock();
        state.matcher.retry();
        if self.carry_out(&mut state) {
            self.notify(&mut state);
        }
    }

    /// Returns the links to all peers.
    pub(crate) fn peers(&self) -> Vec<Arc<Link>> {
        self.lock().peers.values().map(|peer| peer.link.clone()).collect()
    }

    /// Forgets members that are proven dead, and removes their files unless another process already has.
    pub(crate) fn forget_dead(&self, processes: &[u64]) {
        if processes.is_empty() {
            return;
        }
        processes.iter().for_each(|process| self.remove_peer(&mut self.lock(), *process));
        self.memory.membership.remove_dead(processes);
    }
}

/// Passes a new entry of another process to the matcher.
fn add_entry(state: &mut HostState, entry: &Entry) {
    match entry {
        Entry::Node(_) | Entry::Offer(_) | Entry::Type(_) | Entry::Device(_) => {}
        Entry::Connection(connection) => state.matcher.learn_connection(connection),
        Entry::Endpoint(endpoint) => state.matcher.learn(endpoint),
    }
}
