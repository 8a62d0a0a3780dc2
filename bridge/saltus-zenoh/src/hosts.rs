//! The hosts of other bridges: which are there, and which were lost.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    time::{Duration, Instant},
};

/// The most bridges.
const MAX: usize = 1_000;
/// The most hosts that are known as lost.
const MAX_LOST: usize = 100;
/// How long a host is known as lost.
const LOST_FOR: Duration = Duration::from_secs(24 * 3600);
/// The most changes that are told in a period: anybody may announce bridges.
const MAX_TOLD: u32 = 20;
const PERIOD: Duration = Duration::from_secs(10);

/// The hosts of other bridges, by the sessions of the bridges.
#[derive(Debug, Default)]
pub(crate) struct Hosts {
    bridges: HashMap<String, Bridge>,
    /// The hosts that have gone without a word and have not come back.
    lost: BTreeMap<String, Lost>,
    /// The names that two bridges have had at the same time: they do not tell which bridge takes the place of which.
    shared: HashSet<String>,
    /// When the period has begun, and how many changes were told in it.
    told: Option<(Instant, u32)>,
}

#[derive(Debug)]
struct Bridge {
    /// The name of its host, if it says so.
    host: Option<String>,
    /// Whether it has said that it ends.
    ends: bool,
}

/// How a host was lost.
#[derive(Debug)]
struct Lost {
    at: Instant,
    /// The session of its bridge.
    session: String,
}

/// What has changed for a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It is there.
    Joined,
    /// It is there again after it was lost.
    CameBack,
    /// Its bridge has ended.
    Left,
    /// Its bridge has gone without a word.
    Lost,
}

impl Change {
    /// Returns the end of a sentence about the host.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Joined => "has joined",
            Self::CameBack => "is there again",
            Self::Left => "has left: its bridge has ended",
            Self::Lost => "was lost: nothing comes from its bridge any more",
        }
    }
}

impl Hosts {
    /// Returns whether there is no room for one more bridge.
    pub(crate) fn is_full(&self) -> bool {
        self.bridges.len() >= MAX
    }

    /// Returns the session of the bridge whose place that of a new session takes: its host was lost with it.
    pub(crate) fn lost_session(&self, session: &str, host: Option<&str>) -> Option<String> {
        let name = name(session, host);
        let before = &self.lost.get(&name)?.session;
        (before != session && !self.shared.contains(&name)).then(|| before.clone())
    }

    /// Notes the bridge of a session. `None` if it is known.
    pub(crate) fn add(&mut self, session: &str, host: Option<String>) -> Option<Change> {
        if self.bridges.contains_key(session) {
            return None;
        }
        let name = name(session, host.as_deref());
        let was_lost = self.lost.remove(&name).is_some();
        let is_shared = host.is_some() && self.bridges.values().any(|bridge| bridge.host == host);
        if is_shared && self.shared.len() < MAX {
            self.shared.insert(name);
        }
        self.bridges.insert(session.to_owned(), Bridge { host, ends: false });
        Some(if was_lost { Change::CameBack } else { Change::Joined })
    }

    /// Notes that the bridge of a session has said that it ends.
    pub(crate) fn ends(&mut self, session: &str) {
        if let Some(bridge) = self.bridges.get_mut(session) {
            bridge.ends = true;
        }
    }

    /// Returns whether a change is told now. If there are very many, some are not.
    pub(crate) fn may_tell(&mut self, now: Instant) -> bool {
        let is_same = |at: Instant| now.saturating_duration_since(at) < PERIOD;
        let (at, count) = self.told.filter(|(at, _)| is_same(*at)).unwrap_or((now, 0));
        self.told = Some((at, count + 1));
        count < MAX_TOLD
    }

    /// Notes that the bridge of a session has gone. Returns the name of its host, as [`name`] has it, with what has changed. `None` if
    /// another bridge of the host is there.
    pub(crate) fn remove(&mut self, session: &str, now: Instant) -> Option<(String, Change)> {
        let Bridge { host, ends } = self.bridges.remove(session)?;
        let is_there = host.is_some() && self.bridges.values().any(|bridge| bridge.host == host);
        let name = name(session, host.as_deref());
        if is_there {
            return None;
        }
        if ends {
            return Some((name, Change::Left));
        }
        // One without a name can't come back: its session is a new one then.
        if host.is_none() {
            return Some((name, Change::Lost));
        }
        self.lost.retain(|_, lost| now.saturating_duration_since(lost.at) < LOST_FOR);
        if self.lost.len() >= MAX_LOST {
            let first = self.lost.iter().min_by_key(|(_, lost)| lost.at).map(|(name, _)| name.clone());
            first.map(|name| self.lost.remove(&name));
        }
        self.lost.insert(name.clone(), Lost { at: now, session: session.to_owned() });
        Some((name, Change::Lost))
    }

    /// Returns the name of the host of a session, if it is that of a bridge that has said it.
    pub(crate) fn host_of(&self, session: &str) -> Option<&str> {
        self.bridges.get(session)?.host.as_deref()
    }

    /// Returns whether a session is that of a bridge.
    pub(crate) fn is_bridge(&self, session: &str) -> bool {
        self.bridges.contains_key(session)
    }

    /// Returns the sessions of all bridges.
    pub(crate) fn sessions(&self) -> HashSet<String> {
        self.bridges.keys().cloned().collect()
    }

    /// Returns the hosts that were lost in the last day, with the times.
    pub(crate) fn lost(&self, now: Instant) -> Vec<(String, Instant)> {
        let all = self.lost.iter().filter(|(_, lost)| now.saturating_duration_since(lost.at) < LOST_FOR);
        all.map(|(name, lost)| (name.clone(), lost.at)).collect()
    }
}

/// Returns the name with which a host is shown. One that does not tell its name has the first letters of the session.
pub(crate) fn name(session: &str, host: Option<&str>) -> String {
    match host {
        Some(host) => format!("host {host}"),
        None => format!("zenoh {}", session.get(..8).unwrap_or(session)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_that_goes_without_a_word_was_lost_until_it_is_there_again() {
        let (mut hosts, now) = (Hosts::default(), Instant::now());
        let host = || Some("robot1".to_owned());
        assert_eq!(hosts.add("a1", host()), Some(Change::Joined));
        assert_eq!(hosts.add("a1", host()), None);
        assert_eq!(hosts.remove("a1", now), Some(("host robot1".into(), Change::Lost)));
        assert_eq!(hosts.lost(now), [("host robot1".to_owned(), now)]);
        assert!(hosts.lost(now + LOST_FOR).is_empty());
        assert_eq!(hosts.lost_session("a1", Some("robot1")), None, "it is the same bridge");
        assert_eq!(hosts.lost_session("a2", Some("robot1")), Some("a1".into()));
        assert_eq!(hosts.lost_session("a2", None), None);
        assert_eq!(hosts.add("a2", host()), Some(Change::CameBack));
        assert!(hosts.lost(now).is_empty());
        hosts.ends("a2");
        assert_eq!(hosts.remove("a2", now), Some(("host robot1".into(), Change::Left)));
        assert_eq!(hosts.remove("a2", now), None);
        assert!(hosts.lost(now).is_empty());
    }

    #[test]
    fn a_host_is_there_while_one_of_its_bridges_is() {
        let (mut hosts, now) = (Hosts::default(), Instant::now());
        hosts.add("a1", Some("robot1".into()));
        hosts.add("a2", Some("robot1".into()));
        hosts.add("a3", None);
        assert_eq!(hosts.remove("a1", now), None);
        assert_eq!(hosts.remove("a2", now).unwrap().1, Change::Lost);
        assert_eq!(hosts.remove("a3", now), Some(("zenoh a3".into(), Change::Lost)));
        assert_eq!(hosts.lost_session("a4", Some("robot1")), None, "two hosts have had this name");
    }

    #[test]
    fn the_hosts_that_were_lost_last_are_known() {
        let (mut hosts, now) = (Hosts::default(), Instant::now());
        for number in 0..MAX_LOST + 5 {
            let session = number.to_string();
            hosts.add(&session, Some(format!("robot{number}")));
            hosts.remove(&session, now + Duration::from_secs(number as u64));
        }
        let lost = hosts.lost(now);
        assert_eq!(lost.len(), MAX_LOST);
        assert!(lost.iter().all(|(name, _)| name != "host robot0"));
    }

    #[test]
    fn a_flood_of_changes_is_not_told() {
        let (mut hosts, now) = (Hosts::default(), Instant::now());
        let told = (0..1000).filter(|_| hosts.may_tell(now)).count();
        assert_eq!(told, MAX_TOLD as usize);
        assert!(hosts.may_tell(now + PERIOD));
    }
}
