//! Survivors: actors that no event may affect, and whose accounts must agree.
//!
//! Each survivor publishes numbered messages and takes those of all others (`src/survivor.rs`, `survivor.py`). At the
//! end, the accounts are compared. Every message that was sent must have been received, or must be counted as lost with
//! its cause.

use std::{collections::HashMap, process::Command, time::Duration};

use crate::{Actor, ShmFolder, number};

/// The start and the end of a period, in monotonic nanoseconds.
pub type Interval = (u64, u64);

/// The longest pause between two messages of a survivor for which no reason is required.
const LONGEST_PAUSE: Duration = Duration::from_millis(250);
/// A stop or a full memory also explains pauses for this time after its end, in nanoseconds, because the messages in
/// the queues must be processed first. A wait for a CPU explains only its own duration.
const SLACK: u64 = 250_000_000;

/// The survivors that run.
#[derive(Debug)]
pub struct Survivors {
    actors: Vec<(String, Actor)>,
    /// When all survivors were matched, in monotonic nanoseconds.
    matched_at: u64,
}

/// The totals of the accounts of all survivors, and the faults.
#[derive(Debug, Default)]
pub struct Summary {
    /// The number of messages that the survivors sent to each other. A message counts once for each survivor that must
    /// receive it.
    pub sent: u64,
    /// The number of these messages that were received.
    pub received: u64,
    /// The number of messages that were lost because a queue was full.
    pub overflowed: u64,
    /// The number of messages that were not sent because memory was full.
    pub out_of_memory: u64,
    /// The number of messages of victims that were received.
    pub from_victims: u64,
    /// The number of pauses of more than 250 ms that have a reason.
    pub explained: usize,
    /// The time for which the survivors got no CPU time, added up.
    pub stalled: Duration,
    /// The faults that were found.
    pub faults: Vec<String>,
}

/// The account of one survivor.
#[derive(Default)]
struct Account {
    sent: u64,
    failed: u64,
    lines: Vec<String>,
    stalls: Vec<Interval>,
    failing: Vec<Interval>,
    /// The peers from which it received nothing for a while, and the periods.
    gaps: Vec<(String, Interval)>,
}

impl Survivors {
    /// Starts survivors with these names, each by its own command. Waits until all are matched.
    ///
    /// # Panics
    /// Panics if a survivor can't be started or does not get ready.
    pub fn start(commands: Vec<(String, Command)>, period: Duration) -> Self {
        let names: Vec<String> = commands.iter().map(|(name, _)| name.clone()).collect();
        let start = |(name, mut command): (String, Command)| {
            let peers = names.iter().filter(|other| **other != name);
            command.arg(&name).arg(period.as_micros().to_string()).args(peers);
            let actor = Actor::start(&mut command);
            (name, actor)
        };
        let mut actors: Vec<(String, Actor)> = commands.into_iter().map(start).collect();
        actors.iter_mut().for_each(|(_, actor)| actor.wait_until_ready());
        Self { actors, matched_at: saltus::time::monotonic_now() }
    }

    /// Starts `count` survivors in Rust.
    ///
    /// # Panics
    /// Panics in the same cases as [`Survivors::start`].
    pub fn in_rust(shm: &ShmFolder, actor: &str, count: usize, period: Duration) -> Self {
        let command = |number: usize| (format!("survivor_{number}"), shm.command(actor, &["survivor"]));
        Self::start((0..count).map(command).collect(), period)
    }

    /// Returns the names and the process ids.
    pub fn processes(&self) -> Vec<(&str, u32)> {
        self.actors.iter().map(|(name, actor)| (&**name, actor.id())).collect()
    }

    /// Returns whether all survivors are running.
    pub fn are_running(&mut self) -> bool {
        self.actors.iter_mut().all(|(_, actor)| actor.is_running())
    }

    /// Stops the survivors, waits until they have received everything that was sent, and compares their accounts.
    /// `reasons` are the periods in which a process was stopped, or no message could be sent.
    ///
    /// # Panics
    /// Panics if a survivor has ended.
    pub fn end(mut self, reasons: &[Interval]) -> Summary {
        let mut accounts = HashMap::<String, Account>::new();
        for (name, actor) in &mut self.actors {
            let answer = actor.request("stop");
            let [sent, failed] = ["sent", "failed"].map(|what| number(&answer, what).expect("an account"));
            accounts.insert(name.clone(), Account { sent, failed, ..Account::default() });
        }
        let last: Vec<String> =
            accounts.iter().map(|(name, account)| format!("{name}={}", account.sent)).collect();
        let drain = format!("drain {}", last.join(" "));
        self.actors.iter_mut().for_each(|(_, actor)| actor.send_line(&drain));
        for (name, actor) in &mut self.actors {
            accounts.entry(name.clone()).or_default().read(actor);
        }
        self.actors.into_iter().for_each(|(_, actor)| drop(actor.end()));
        Summary::of(&accounts, reasons, self.matched_at)
    }
}

impl Account {
    /// Reads the lines that an actor prints until it is done.
    fn read(&mut self, actor: &mut Actor) {
        loop {
            let line = actor.read_line();
            let interval = || -> Option<Interval> {
                let mut numbers = line.split_whitespace().rev().map(str::parse);
                let (end, start) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
                Some((start, end))
            };
            match line.split_whitespace().next() {
                Some("done") => return,
                Some("stall") => self.stalls.push(interval().expect("two times")),
                Some("failing") => self.failing.push(interval().expect("two times")),
                Some("gap") => {
                    let peer = line.split_whitespace().nth(1).map(str::to_owned);
                    self.gaps.push(peer.zip(interval()).expect("a peer and two times"));
                }
                Some(_) => self.lines.push(line),
                None => panic!("a survivor has ended"),
            }
        }
    }

    /// Returns whether the survivor received nothing from a peer during a part of a period.
    fn received_nothing(&self, peer: &str, (start, end): Interval) -> bool {
        self.gaps.iter().any(|(other, gap)| other == peer && gap.0 < end && gap.1 > start)
    }
}

/// Returns the part of a pause that no reason covers, in nanoseconds.
fn rest((start, end): Interval, mut reasons: Vec<Interval>) -> u64 {
    reasons.sort_unstable();
    let (mut at, mut left) = (start, 0);
    for (from, until) in reasons {
        left += from.min(end).saturating_sub(at);
        at = at.max(until);
    }
    left + end.saturating_sub(at)
}

impl Summary {
    fn of(accounts: &HashMap<String, Account>, reasons: &[Interval], matched_at: u64) -> Self {
        let mut summary = Self::default();
        for (name, account) in accounts {
            let stalled: u64 = account.stalls.iter().map(|(start, end)| end - start).sum();
            summary.stalled += Duration::from_nanos(stalled);
            account.lines.iter().for_each(|line| summary.check_line(accounts, name, line));
            for (peer, gap) in &account.gaps {
                summary.check_gap(accounts, (name, peer), *gap, reasons, matched_at);
            }
        }
        summary
    }

    fn check_line(&mut self, accounts: &HashMap<String, Account>, name: &str, line: &str) {
        let count = |what| number(line, what).unwrap_or(u64::MAX);
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["from", peer, ..] => {
                let (sent, failed) = (accounts[peer].sent, accounts[peer].failed);
                self.sent += sent;
                self.received += count("received");
                self.overflowed += count("overflow");
                self.out_of_memory += count("memory");
                let is_complete = count("received") + count("missing") == sent && count("last") == sent;
                let is_counted = count("missing") == count("overflow") && failed == count("memory");
                let has_other = count("all") != count("overflow") + count("memory");
                if !is_complete || !is_counted || has_other || count("corrupt") != 0 {
                    self.faults.push(format!("{name}: of {sent} messages ({failed} failed) {line}"));
                }
            }
            ["victims", ..] => {
                self.from_victims += count("received");
                if count("corrupt") != 0 {
                    self.faults.push(format!("{name}: {line}"));
                }
            }
            _ if count("corrupt") != 0 => self.faults.push(format!("{name}: {line}")),
            _ => {}
        }
    }

    /// Checks a pause. One of the two processes must have been unable to continue, or the publisher must have had no
    /// memory.
    fn check_gap(
        &mut self,
        accounts: &HashMap<String, Account>,
        (name, peer): (&str, &str),
        (start, end): Interval,
        reasons: &[Interval],
        matched_at: u64,
    ) {
        if Duration::from_nanos(end.saturating_sub(start)) <= LONGEST_PAUSE {
            return;
        }
        let (publisher, subscriber) = (&accounts[peer], &accounts[name]);
        let caused = publisher.failing.iter().chain(reasons).map(|(from, until)| (*from, until + SLACK));
        let stalled = publisher.stalls.iter().chain(&subscriber.stalls).copied();
        let is_near = |(from, until): &Interval| *until > start && *from < end;
        let left = rest((start, end), caused.chain(stalled).filter(is_near).collect());
        if Duration::from_nanos(left) <= LONGEST_PAUSE {
            self.explained += 1;
            return;
        }
        // If other survivors received nothing from the publisher either, then the publisher, not the subscriber, did
        // not continue.
        let mut others: Vec<&str> = accounts
            .iter()
            .filter(|(other, account)| *other != name && account.received_nothing(peer, (start, end)))
            .map(|(other, _)| &**other)
            .collect();
        others.sort_unstable();
        self.faults.push(format!(
            "{name} received nothing from {peer} for {} ms, {} ms without a reason, {:.1} s after all were matched; \
             others that received nothing from it in that period: [{}]",
            (end - start) / 1_000_000,
            left / 1_000_000,
            start.saturating_sub(matched_at) as f64 / 1e9,
            others.join(", ")
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn the_part_of_a_pause_without_a_reason_is_computed() {
        let left = |reasons: &[Interval]| rest((1000, 1400), reasons.to_vec());
        assert_eq!(left(&[]), 400);
        assert_eq!(left(&[(0, 900), (1500, 1600)]), 400, "reasons in other periods");
        assert_eq!(left(&[(900, 1100), (1300, 1500)]), 200, "reasons that begin before it or end after it");
        assert_eq!(
            left(&[(1300, 1310), (1100, 1200), (1150, 1160)]),
            290,
            "reasons in any order that overlap"
        );
        assert_eq!(left(&[(900, 1500)]), 0);
    }

    fn summary(publisher: Account, subscriber: Account, reasons: &[Interval]) -> Summary {
        let accounts = HashMap::from([("p".to_owned(), publisher), ("s".to_owned(), subscriber)]);
        Summary::of(&accounts, reasons, 0)
    }

    /// Returns the account of a subscriber that received nothing from the publisher from 1000 ms until 1400 ms.
    fn paused() -> Account {
        Account { gaps: vec![("p".into(), (1000 * MS, 1400 * MS))], ..Account::default() }
    }

    #[test]
    fn a_pause_without_a_reason_is_a_fault() {
        let summary = summary(Account::default(), paused(), &[]);
        assert_eq!((summary.faults.len(), summary.explained), (1, 0));
        assert!(
            summary.faults[0]
                .starts_with("s received nothing from p for 400 ms, 400 ms without a reason, 1.0 s after")
        );
    }

    #[test]
    fn a_reason_explains_a_pause_until_some_time_after_its_end() {
        let caused = |until: u64| summary(Account::default(), paused(), &[(0, until * MS)]).explained;
        assert_eq!((caused(900), caused(899)), (1, 0), "900 ms and 250 ms leave 250 ms");
    }

    #[test]
    fn a_wait_for_a_cpu_explains_only_its_own_duration() {
        let waits = |count: u64, ms: u64| {
            let stalls = (0..count).map(|i| ((1000 + i * 20) * MS, (1000 + i * 20 + ms) * MS)).collect();
            Account { stalls, ..Account::default() }
        };
        assert_eq!(summary(waits(19, 8), paused(), &[]).explained, 1, "152 of 400 ms");
        assert_eq!(summary(waits(19, 7), paused(), &[]).explained, 0, "133 of 400 ms");
        let subscriber = Account { stalls: waits(19, 8).stalls, ..paused() };
        assert_eq!(summary(Account::default(), subscriber, &[]).explained, 1);
    }
}
