//! Processes are killed at random instants. Other processes notice only that their messages stop.
//!
//! `SALTUS_KILL_ROUNDS` sets how many rounds there are (60 by default; `make kill` makes it 500).

use std::time::Duration;

use saltus_e2e::{Random, Stage, Survivors, number};

const ACTOR: &str = env!("CARGO_BIN_EXE_actor");
const SURVIVORS: usize = 3;
/// In one round of this many, the victim is killed during start-up, after a few milliseconds at most.
const START_UP_EVERY: usize = 3;

#[test]
fn a_kill_at_any_instant_harms_no_other_process_and_leaves_nothing() {
    let rounds = std::env::var("SALTUS_KILL_ROUNDS").map_or(60, |text| text.parse().unwrap());
    let stage = Stage::new();
    let survivors = Survivors::in_rust(&stage, ACTOR, SURVIVORS, Duration::from_millis(1));
    let (mut random, mut start_up) = (Random::new(rounds as u64), 0);
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
    let verdict = survivors.end(&[]);
    println!("{rounds} rounds, {start_up} of them during start-up");
    println!("{verdict:?}");
    assert!(verdict.faults.is_empty(), "{:#?}", verdict.faults);
    assert!(verdict.sent > 0 && verdict.received == verdict.sent, "every beat has come");
    assert!(verdict.noise > 0, "what victims sent before they were killed has come");
    println!("left: {:?}", stage.files());
    assert_eq!(stage.files(), [""; 0], "nothing stays");
}

/// Makes the instant of the kill random, which is what is tested. Nothing else depends on this wait.
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
        let killed = saltus::time::monotonic_now();
        echo.kill();
        watch.tell(&killed.to_string());
        let report = watch.line();
        assert!(report.contains("gone=true"), "{report}");
        let after = number(&report, "after_us").unwrap();
        println!("round {round}: known after {after} us");
        assert!(after < 100_000, "{after} us");
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
