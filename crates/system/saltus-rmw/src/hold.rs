//! Entities whose tokens have gone, and may come back.
//!
//! A router that restarts takes all tokens away and brings them back some seconds later. Each of them must not be a removal and an
//! addition for every process of the host.

use std::{
    collections::HashMap,
    hash::Hash,
    time::{Duration, Instant},
};

/// How long an entity is held if many of its session have gone at the same time, or the link has.
const MANY: Duration = Duration::from_secs(5);
/// How long it is held if it has gone alone. A session that is alive has taken its token away itself.
const ALONE: Duration = Duration::from_secs(1);
/// The part of the entities of a session that is many, as one of so many.
const PART: usize = 2;
/// How long a session must be quiet until the next entities that go are counted anew.
const TOGETHER: Duration = Duration::from_millis(500);

/// The entities of sessions, and those that are held.
///
/// **Invariant:** an entity is present, held or unknown. [`Held::take_due`] returns each entity that goes for good once.
#[derive(Debug)]
pub struct Held<K> {
    sessions: HashMap<String, Session<K>>,
}

impl<K> Default for Held<K> {
    fn default() -> Self {
        Self { sessions: HashMap::new() }
    }
}

#[derive(Debug)]
struct Session<K> {
    /// The number of present entities.
    present: usize,
    /// The entities whose tokens have gone, with the times at which they go for good, but not before `all_until`.
    gone: HashMap<K, Instant>,
    /// Until when all of them are held, if many have gone together.
    all_until: Option<Instant>,
    /// When the last token has gone.
    last: Option<Instant>,
    /// Whether it has said that it ends. Then nothing of it is held.
    ends: bool,
}

impl<K> Default for Session<K> {
    fn default() -> Self {
        Self { present: 0, gone: HashMap::new(), all_until: None, last: None, ends: false }
    }
}

/// Returns when an entity goes for good that is held until `until`, if all are held until `all`.
fn due(until: Instant, all: Option<Instant>) -> Instant {
    all.map_or(until, |all| all.max(until))
}

impl<K: Hash + Eq + Clone> Held<K> {
    /// Notes that the token of an entity that is not present is there. Returns whether the entity was held, so that it is shown already.
    pub fn appeared(&mut self, session: &str, key: &K) -> bool {
        let session = self.sessions.entry(session.to_owned()).or_default();
        session.present += 1;
        session.gone.remove(key).is_some()
    }

    /// Notes that the token of a present entity has gone. The entity is held until [`Held::take_due`] returns it.
    pub fn disappeared(&mut self, session: &str, key: K, now: Instant) {
        let Some(session) = self.sessions.get_mut(session) else { return };
        if session.ends {
            session.present = session.present.saturating_sub(1);
            session.gone.insert(key, now);
            return;
        }
        if session.last.is_none_or(|last| now.saturating_duration_since(last) > TOGETHER) {
            // Those that have gone before have gone for another reason.
            let all = session.all_until.take();
            session.gone.values_mut().for_each(|until| *until = due(*until, all).min(now + ALONE));
        }
        session.present = session.present.saturating_sub(1);
        session.last = Some(now);
        let are_many = (session.gone.len() + 1) * PART >= session.gone.len() + 1 + session.present;
        if are_many {
            session.all_until = Some(now + MANY);
        } else if let Some(all) = session.all_until.take() {
            // Those that went with many are held as long as before, and this one is not.
            session.gone.values_mut().for_each(|until| *until = all.max(*until));
        }
        session.gone.insert(key, now + ALONE);
    }

    /// Notes that a session has said that it ends: its tokens do not come back.
    pub fn ends(&mut self, session: &str, now: Instant) {
        if let Some(session) = self.sessions.get_mut(session) {
            session.ends = true;
            session.all_until = None;
            session.gone.values_mut().for_each(|until| *until = now);
        }
    }

    /// Returns the entities that have not come back in time, and forgets them.
    pub fn take_due(&mut self, now: Instant) -> Vec<K> {
        let mut due = Vec::new();
        self.sessions.retain(|_, session| {
            if session.all_until.is_none_or(|all| all <= now) {
                due.extend(session.gone.extract_if(|_, until| *until <= now).map(|(key, _)| key));
            }
            session.present > 0 || !session.gone.is_empty()
        });
        due
    }

    /// Returns when [`Held::take_due`] has something to return.
    pub fn next_due(&self) -> Option<Instant> {
        let first = |session: &Session<K>| Some(due(*session.gone.values().min()?, session.all_until));
        self.sessions.values().filter_map(first).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(count: u32) -> (Held<u32>, Instant) {
        let mut held = Held::default();
        (0..count).for_each(|key| assert!(!held.appeared("a", &key)));
        (held, Instant::now())
    }

    #[test]
    fn a_single_entity_goes_after_a_second() {
        let (mut held, now) = held(10);
        held.disappeared("a", 3, now);
        assert_eq!(held.next_due(), Some(now + ALONE));
        assert!(held.take_due(now).is_empty());
        assert_eq!(held.take_due(now + ALONE), [3]);
        assert!(held.take_due(now + MANY).is_empty() && held.next_due().is_none());
    }

    #[test]
    fn a_session_that_comes_back_in_time_loses_nothing() {
        let (mut held, now) = held(10);
        (0..10).for_each(|key| held.disappeared("a", key, now));
        assert!(held.take_due(now + ALONE * 2).is_empty());
        (0..9).for_each(|key| assert!(held.appeared("a", &key)));
        assert_eq!(held.take_due(now + MANY), [9]);
        (0..9).for_each(|key| held.disappeared("a", key, now + MANY));
        assert_eq!(held.take_due(now + 2 * MANY).len(), 9);
        assert!(held.sessions.is_empty());
    }

    #[test]
    fn one_that_goes_after_many_have_come_back_goes_alone() {
        let (mut held, now) = held(10);
        (0..5).for_each(|key| held.disappeared("a", key, now));
        (0..4).for_each(|key| assert!(held.appeared("a", &key)));
        held.disappeared("a", 9, now);
        assert_eq!(held.next_due(), Some(now + ALONE));
        assert_eq!(held.take_due(now + ALONE), [9]);
        assert_eq!(held.next_due(), Some(now + MANY));
        assert_eq!(held.take_due(now + MANY), [4]);
    }

    #[test]
    fn nothing_is_held_of_a_session_that_has_said_that_it_ends() {
        let (mut held, now) = held(10);
        (0..8).for_each(|key| held.disappeared("a", key, now));
        assert!(held.take_due(now).is_empty());
        held.ends("a", now);
        held.disappeared("a", 8, now);
        assert_eq!(held.next_due(), Some(now));
        assert_eq!(held.take_due(now).len(), 9);
        held.disappeared("a", 9, now);
        assert_eq!(held.take_due(now), [9]);
        assert!(held.sessions.is_empty());
    }

    #[test]
    fn sessions_count_for_themselves() {
        let (mut held, now) = held(10);
        held.appeared("b", &100);
        held.disappeared("b", 100, now);
        held.disappeared("a", 1, now);
        assert_eq!(held.take_due(now + ALONE), [1]);
        assert_eq!(held.take_due(now + MANY), [100]);
        held.disappeared("c", 5, now);
        assert!(held.next_due().is_none(), "it was not present");
    }
}
