//! Survivors: actors that go on whatever happens, and whose accounts must agree.
//!
//! Each publishes numbered messages and takes those of all others (`src/survivor.rs`, `survivor.py`). In the end, the
//! accounts are compared. Every message that was sent must be received, or be counted as lost with its cause.

use std::{collections::HashMap, process::Command, time::Duration};

use crate::{Actor, Stage, number};

/// The start and the end of a time, in monotonic nanoseconds.
pub type Interval = (u64, u64);

/// The longest pause between two messages of a survivor that needs no reason.
const LONGEST_PAUSE: Duration = Duration::from_millis(250);
/// A stop or a full memory also explains pauses for this long after its end, in nanoseconds, because the waiting
/// messages must be processed first. A wait for a CPU explains only its own duration.
const SLACK: u64 = 250_000_000;

/// Running survivors.
#[derive(Debug)]
pub struct Survivors {
    actors: Vec<(String, Actor)>,
    /// When all had matched, in monotonic nanoseconds.
    matched_at: u64,
}

/// What the survivors' accounts say.
#[derive(Debug, Default)]
pub struct Verdict {
    /// How many messages they sent to each other, and how many of these were received.
    pub sent: u64,
    /// Counted once for each survivor that received it.
    pub received: u64,
    /// Messages that were lost with a cause: overwritten in a full queue, or not sent for want of memory.
    pub overflowed: u64,
    /// See `overflowed`.
    pub out_of_memory: u64,
    /// Messages of processes that are not survivors.
    pub noise: u64,
    /// Pauses of more than 250 ms that have a reason.
    pub explained: usize,
    /// How long all survivors together got no CPU time.
    pub stalled: Duration,
    /// Everything that is wrong.
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
    /// From which peers it received nothing for a while, and when.
    gaps: Vec<(String, Interval)>,
}

impl Survivors {
    /// Starts survivors of these names, each by its own command, and waits until all have matched.
    ///
    /// # Panics
    /// If one can't be started or does not get ready.
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

    /// Starts `count` survivors in Rust on a stage.
    ///
    /// # Panics
    /// As [`Survivors::start`].
    pub fn in_rust(stage: &Stage, actor: &str, count: usize, period: Duration) -> Self {
        let command = |number: usize| (format!("survivor_{number}"), stage.command(actor, &["survivor"]));
        Self::start((0..count).map(command).collect(), period)
    }

    /// Returns their names and process ids.
    pub fn processes(&self) -> Vec<(&str, u32)> {
        self.actors.iter().map(|(name, actor)| (&**name, actor.id())).collect()
    }

    /// Whether all of them run.
    pub fn are_running(&mut self) -> bool {
        self.actors.iter_mut().all(|(_, actor)| actor.is_running())
    }

    /// Stops the survivors, waits until they have received everything that was sent, and compares their accounts.
    /// `reasons` are the times at which a process could not go on, or no message could be sent.
    ///
    /// # Panics
    /// If one of them has ended.
    pub fn end(mut self, reasons: &[Interval]) -> Verdict {
        let mut accounts = HashMap::<String, Account>::new();
        for (name, actor) in &mut self.actors {
            let told = actor.ask("stop");
            let [sent, failed] = ["sent", "failed"].map(|what| number(&told, what).expect("an account"));
            accounts.insert(name.clone(), Account { sent, failed, ..Account::default() });
        }
        let last: Vec<String> =
            accounts.iter().map(|(name, account)| format!("{name}={}", account.sent)).collect();
        let drain = format!("drain {}", last.join(" "));
        self.actors.iter_mut().for_each(|(_, actor)| actor.tell(&drain));
        for (name, actor) in &mut self.actors {
            accounts.entry(name.clone()).or_default().read(actor);
        }
        self.actors.into_iter().for_each(|(_, actor)| drop(actor.end()));
        Verdict::of(&accounts, reasons, self.matched_at)
    }
}

impl Account {
    /// Reads what an actor prints until it is done.
    fn read(&mut self, actor: &mut Actor) {
        loop {
            let line = actor.line();
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

    /// Whether it received nothing from a peer during a part of that time.
    fn received_nothing(&self, peer: &str, (start, end): Interval) -> bool {
        self.gaps.iter().any(|(other, gap)| other == peer && gap.0 < end && gap.1 > start)
    }
}

/// Returns how much of a pause is not covered by any reason, in nanoseconds.
fn rest((start, end): Interval, mut reasons: Vec<Interval>) -> u64 {
    reasons.sort_unstable();
    let (mut at, mut left) = (start, 0);
    for (from, until) in reasons {
        left += from.min(end).saturating_sub(at);
        at = at.max(until);
    }
    left + end.saturating_sub(at)
}

impl Verdict {
    fn of(accounts: &HashMap<String, Account>, reasons: &[Interval], matched_at: u64) -> Self {
        let mut verdict = Self::default();
        for (name, account) in accounts {
            let stalled: u64 = account.stalls.iter().map(|(start, end)| end - start).sum();
            verdict.stalled += Duration::from_nanos(stalled);
            account.lines.iter().for_each(|line| verdict.judge(accounts, name, line));
            for (peer, gap) in &account.gaps {
                verdict.judge_gap(accounts, (name, peer), *gap, reasons, matched_at);
            }
        }
        verdict
    }

    fn judge(&mut self, accounts: &HashMap<String, Account>, name: &str, line: &str) {
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
            ["noise", ..] => {
                self.noise += count("received");
                if count("corrupt") != 0 {
                    self.faults.push(format!("{name}: {line}"));
                }
            }
            _ if count("corrupt") != 0 => self.faults.push(format!("{name}: {line}")),
            _ => {}
        }
    }

    /// Checks a pause. It has a reason for as long as one of the two processes could not go on, or the publisher had no
    /// memory.
    fn judge_gap(
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
        // The other survivors that received nothing from the publisher show which of the two processes did not go on.
        let mut others: Vec<&str> = accounts
            .iter()
            .filter(|(other, account)| *other != name && account.received_nothing(peer, (start, end)))
            .map(|(other, _)| &**other)
            .collect();
        others.sort_unstable();
        self.faults.push(format!(
            "{name} received nothing from {peer} for {} ms, {} ms without a reason, {:.1} s after all had matched; \
             others that received nothing from it then: [{}]",
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
    fn the_rest_of_a_pause_is_the_time_without_a_reason() {
        let left = |reasons: &[Interval]| rest((1000, 1400), reasons.to_vec());
        assert_eq!(left(&[]), 400);
        assert_eq!(left(&[(0, 900), (1500, 1600)]), 400, "reasons of another time");
        assert_eq!(left(&[(900, 1100), (1300, 1500)]), 200, "reasons that go beyond it");
        assert_eq!(
            left(&[(1300, 1310), (1100, 1200), (1150, 1160)]),
            290,
            "pieces, in any order, that overlap"
        );
        assert_eq!(left(&[(900, 1500)]), 0);
    }

    fn verdict(publisher: Account, subscriber: Account, reasons: &[Interval]) -> Verdict {
        let accounts = HashMap::from([("p".to_owned(), publisher), ("s".to_owned(), subscriber)]);
        Verdict::of(&accounts, reasons, 0)
    }

    /// Returns the account of a subscriber that received nothing from the publisher from 1000 ms until 1400 ms.
    fn paused() -> Account {
        Account { gaps: vec![("p".into(), (1000 * MS, 1400 * MS))], ..Account::default() }
    }

    #[test]
    fn a_pause_without_a_reason_is_a_fault() {
        let verdict = verdict(Account::default(), paused(), &[]);
        assert_eq!((verdict.faults.len(), verdict.explained), (1, 0));
        assert!(
            verdict.faults[0]
                .starts_with("s received nothing from p for 400 ms, 400 ms without a reason, 1.0 s after")
        );
    }

    #[test]
    fn a_reason_explains_a_pause_until_some_time_after_its_end() {
        let caused = |until: u64| verdict(Account::default(), paused(), &[(0, until * MS)]).explained;
        assert_eq!((caused(900), caused(899)), (1, 0), "900 ms and 250 ms leave 250 ms");
    }

    #[test]
    fn each_wait_for_a_cpu_explains_as_much_as_it_lasted() {
        let waits = |count: u64, ms: u64| {
            let stalls = (0..count).map(|i| ((1000 + i * 20) * MS, (1000 + i * 20 + ms) * MS)).collect();
            Account { stalls, ..Account::default() }
        };
        assert_eq!(verdict(waits(19, 8), paused(), &[]).explained, 1, "152 of 400 ms");
        assert_eq!(verdict(waits(19, 7), paused(), &[]).explained, 0, "133 of 400 ms");
        let subscriber = Account { stalls: waits(19, 8).stalls, ..paused() };
        assert_eq!(verdict(Account::default(), subscriber, &[]).explained, 1);
    }
}
