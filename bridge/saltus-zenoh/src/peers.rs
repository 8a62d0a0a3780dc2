//! What each session has announced and sent.

use std::{
    cmp::Reverse,
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// The most endpoints of one session. More of them are not shown, and counted.
pub(crate) const MAX_OF_SESSION: usize = 5_000;
/// The most sessions of which each is known that shows nothing. What others announce in vain is counted together.
const MAX_SESSIONS: usize = 1_000;
/// What stands in place of a session for those that are counted together.
pub(crate) const OTHERS: &str = "";
/// The time from the first free place to the question for the tokens that found none.
const AGAIN: Duration = Duration::from_secs(5);

/// Messages, and their bytes.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    messages: AtomicU64,
    bytes: AtomicU64,
}

impl Counts {
    /// Counts a message.
    pub(crate) fn add(&self, bytes: usize) {
        self.messages.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Returns the numbers of messages and of bytes.
    pub(crate) fn get(&self) -> (u64, u64) {
        (self.messages.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed))
    }
}

/// What a session has announced and sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Peer {
    /// Its endpoints that are shown.
    pub(crate) endpoints: usize,
    /// Its tokens that are not used because there are too many.
    pub(crate) too_many: u64,
    /// Its tokens that can't be read.
    pub(crate) invalid: u64,
    /// Its messages that local subscriptions wanted.
    pub(crate) received: Arc<Counts>,
    /// When its tokens are asked for again, because some found no place and there is one now.
    again: Option<Instant>,
}

impl Peer {
    /// Returns the number of its tokens that are not used: of those that are too many, or of those that are not valid.
    fn refused(&mut self, is_valid: bool) -> &mut u64 {
        if is_valid { &mut self.too_many } else { &mut self.invalid }
    }
}

/// The sessions that have announced something.
#[derive(Debug, Default)]
pub(crate) struct Peers(HashMap<String, Peer>);

impl Peers {
    /// Returns how many endpoints of a session are shown.
    pub(crate) fn endpoints(&self, session: &str) -> usize {
        self.0.get(session).map_or(0, |peer| peer.endpoints)
    }

    /// Notes that an endpoint of a session is shown.
    pub(crate) fn add_endpoint(&mut self, session: &str) {
        self.0.entry(session.to_owned()).or_default().endpoints += 1;
    }

    /// Notes that a token of a session is not used: there are too many, or it is not valid. If there are many sessions, those that show
    /// nothing are counted together.
    pub(crate) fn refuse(&mut self, session: &str, is_valid: bool) {
        let is_known = self.0.contains_key(session) || self.0.len() < MAX_SESSIONS;
        let peer = self.0.entry(if is_known { session } else { OTHERS }.to_owned()).or_default();
        *peer.refused(is_valid) += 1;
    }

    /// Returns a session, if it is known.
    pub(crate) fn get(&self, session: &str) -> Option<&Peer> {
        self.0.get(session)
    }

    /// Returns all sessions: those with tokens that are not used first, and then those with the most endpoints.
    pub(crate) fn sorted(&self) -> Vec<(String, Peer)> {
        let mut all: Vec<(String, Peer)> =
            self.0.iter().map(|(session, peer)| (session.clone(), peer.clone())).collect();
        all.sort_by_key(|(session, peer)| {
            (Reverse(peer.too_many + peer.invalid), Reverse(peer.endpoints), session.clone())
        });
        all
    }

    /// Notes that an endpoint of a session is not shown any more. With `is_for_all`, its place may be that of any session.
    pub(crate) fn remove_endpoint(&mut self, session: &str, is_for_all: bool, now: Instant) {
        if let Some(peer) = self.0.get_mut(session) {
            peer.endpoints = peer.endpoints.saturating_sub(1);
        }
        for (name, peer) in &mut self.0 {
            if peer.too_many > 0 && (is_for_all || name == session || name == OTHERS) {
                peer.again.get_or_insert(now + AGAIN);
            }
        }
        self.forget(session);
    }

    /// Notes that a token that was not used has gone.
    pub(crate) fn remove_refused(&mut self, session: &str, is_valid: bool) {
        // It was counted with others if the session was not known then.
        for name in [session, OTHERS] {
            if let Some(peer) = self.0.get_mut(name)
                && *peer.refused(is_valid) > 0
            {
                *peer.refused(is_valid) -= 1;
                self.forget(name);
                return;
            }
        }
    }

    /// Forgets a session that has announced nothing.
    fn forget(&mut self, session: &str) {
        let is_gone =
            |peer: &Peer| (peer.endpoints, peer.too_many, peer.invalid) == (0, 0, 0) && peer.again.is_none();
        if self.0.get(session).is_some_and(is_gone) {
            self.0.remove(session);
        }
    }

    /// Takes the sessions whose tokens are asked for again now, and returns how long it is until the next one. Their tokens that found
    /// no place are counted anew.
    pub(crate) fn take_again(&mut self, now: Instant) -> (Vec<String>, Option<Duration>) {
        let mut due = Vec::new();
        for (session, peer) in &mut self.0 {
            if peer.again.is_some_and(|at| at <= now) {
                (peer.again, peer.too_many) = (None, 0);
                due.push(session.clone());
            }
        }
        due.iter().for_each(|session| self.forget(session));
        let next = self.0.values().filter_map(|peer| peer.again).min();
        (due, next.map(|at| at.saturating_duration_since(now)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_that_found_no_place_are_asked_for_again_once_there_is_one() {
        let (mut peers, now) = (Peers::default(), Instant::now());
        ["a", "a", "b"].iter().for_each(|session| peers.add_endpoint(session));
        peers.refuse("a", true);
        assert_eq!(peers.take_again(now), (Vec::new(), None));
        peers.remove_endpoint("b", false, now);
        assert_eq!(peers.take_again(now), (Vec::new(), None), "the place is that of another session");
        peers.remove_endpoint("a", false, now);
        peers.remove_endpoint("a", false, now + AGAIN / 2);
        assert_eq!(peers.take_again(now), (Vec::new(), Some(AGAIN)));
        assert_eq!(peers.take_again(now + AGAIN), (vec!["a".to_owned()], None));
        assert!(peers.get("a").is_none() && peers.get("b").is_none(), "both have nothing any more");
    }

    #[test]
    fn sessions_are_counted_together_if_there_are_too_many() {
        let mut peers = Peers::default();
        for session in 0..2 * MAX_SESSIONS {
            peers.refuse(&session.to_string(), false);
        }
        assert_eq!(peers.sorted().len(), MAX_SESSIONS + 1);
        // Endpoints that are shown count for their own session all the same.
        peers.add_endpoint("new");
        assert_eq!(peers.endpoints("new"), 1);
        peers.remove_endpoint("new", false, Instant::now());
        assert_eq!((peers.endpoints("new"), peers.endpoints(OTHERS)), (0, 0));
        for session in 0..2 * MAX_SESSIONS {
            peers.remove_refused(&session.to_string(), false);
        }
        assert!(peers.sorted().is_empty());
    }
}
