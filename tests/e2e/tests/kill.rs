//! Processes are killed at random instants, and nobody else notices but by the silence.
//!
//! `SALTUS_KILL_ROUNDS` sets how many rounds there are (60 by default; `make kill` makes it 500), and
//! makes times binding: without it they are printed only, because a machine that runs other tests
//! beside this one promises none.

use std::time::Duration;

use saltus_e2e::{Actor, Stage, number};

const ACTOR: &str = env!("CARGO_BIN_EXE_actor");
const SURVIVORS: usize = 3;
/// One round in so many kills during start-up: the victim is given a few milliseconds at most.
const START_UP_EVERY: usize = 3;

/// A small generator of numbers that look random, so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

#[test]
fn a_kill_at_any_instant_harms_nobody_and_leaves_nothing() {
    let rounds = std::env::var("SALTUS_KILL_ROUNDS").map_or(60, |text| text.parse().unwrap());
    let stage = Stage::new();
    let mut survivors: Vec<Actor> = (0..SURVIVORS)
        .map(|me| stage.start(ACTOR, &["survivor", &me.to_string(), &SURVIVORS.to_string()]))
        .collect();
    survivors.iter_mut().for_each(Actor::wait_until_ready);
    let (mut random, mut start_up) = (Random(rounds as u64), 0);
    for round in 0..rounds {
        let role = ["victim-publisher", "victim-subscriber"][round % 2];
        let mut victim = stage.start(ACTOR, &[role, &round.to_string()]);
        if round % START_UP_EVERY == 0 {
            start_up += 1;
            pause(random.below(4_000));
        } else {
            victim.wait_until_ready();
            pause(random.below(20_000));
        }
        victim.kill();
    }
    let reports: Vec<String> = survivors.into_iter().map(Actor::end).collect();
    println!("{rounds} rounds, {start_up} of them during start-up");
    for report in &reports {
        println!("survivor: {report}");
        check_time("longest pause", number(report, "longest_pause_us").unwrap(), 250_000);
        assert_eq!(number(report, "corrupt"), Some(0), "{report}");
        assert!(number(report, "beats").unwrap() > 0, "{report}");
    }
    let victims: u64 = reports.iter().map(|report| number(report, "from_victims").unwrap()).sum();
    assert!(victims > 0, "what victims sent before they were killed has come");
    println!("left: {:?}", stage.files());
    assert_eq!(stage.files(), [""; 0], "nothing stays");
}

/// Prints a time in microseconds, and asserts it where times are binding.
fn check_time(what: &str, micros: u64, limit: u64) {
    println!("{what}: {micros} us of at most {limit}");
    assert!(micros < limit || std::env::var_os("SALTUS_KILL_ROUNDS").is_none(), "{what}: {micros} us");
}

/// The random instant is what is tested; nothing waits for anything by this.
fn pause(micros: u64) {
    std::thread::sleep(Duration::from_micros(micros));
}

#[test]
fn the_death_of_a_peer_is_known_within_100_milliseconds() {
    for round in 0..20 {
        let stage = Stage::new();
        let mut echo = stage.start(ACTOR, &["echo"]);
        echo.wait_until_ready();
        let mut watch = stage.start(ACTOR, &["watch-death"]);
        watch.wait_until_ready();
        let killed = saltus::monotonic_now();
        echo.kill();
        watch.tell(&killed.to_string());
        let report = watch.line();
        assert!(report.contains("gone=true"), "{report}");
        let after = number(&report, "after_us").unwrap();
        check_time(&format!("round {round}, known after"), after, 100_000);
    }
}

#[test]
fn a_process_that_exits_without_dropping_its_context_leaves_nothing() {
    let stage = Stage::new();
    for _ in 0..20 {
        let status = stage.command(ACTOR, &["forgetful"]).status().unwrap();
        assert!(status.success());
        assert_eq!(stage.files(), [""; 0]);
    }
}

#[test]
fn what_the_last_process_left_when_it_was_killed_is_removed_by_the_next() {
    let stage = Stage::new();
    let mut idle = stage.start(ACTOR, &["idle"]);
    idle.wait_until_ready();
    idle.kill();
    assert_eq!(stage.files().len(), 3, "the member table, a segment and a pipe: {:?}", stage.files());
    let mut next = stage.start(ACTOR, &["idle"]);
    next.wait_until_ready();
    assert_eq!(stage.files().len(), 3, "the next one's own");
    next.end();
    assert_eq!(stage.files(), [""; 0]);
}
