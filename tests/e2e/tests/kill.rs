//! Processes are killed at random times. Other processes notice only that their messages stop.
//!
//! `SALTUS_KILL_ROUNDS` sets the number of rounds (60 by default; `make kill` sets it to 500).

use std::time::Duration;

use saltus_e2e::{Random, ShmFolder, Survivors, median, number};

const ACTOR: &str = env!("CARGO_BIN_EXE_actor");
const SURVIVORS: usize = 3;
/// In one of this number of rounds, the victim is killed during start-up, after a few milliseconds at most.
const START_UP_EVERY: usize = 3;

#[test]
fn a_kill_at_any_time_affects_no_other_process_and_leaves_no_files() {
    let rounds = std::env::var("SALTUS_KILL_ROUNDS").map_or(60, |text| text.parse().unwrap());
    let shm = ShmFolder::new();
    let survivors = Survivors::in_rust(&shm, ACTOR, SURVIVORS, Duration::from_millis(1));
    let (mut random, mut start_up) = (Random::new(rounds as u64), 0);
    for round in 0..rounds {
        let role = ["victim-publisher", "victim-subscriber"][round % 2];
        let mut victim = shm.start(ACTOR, &[role, &round.to_string()]);
        if round % START_UP_EVERY == 0 {
            start_up += 1;
            pause(random.below(4_000));
        } else {
            victim.wait_until_ready();
            pause(random.below(20_000));
        }
        victim.kill();
    }
    let summary = survivors.end(&[]);
    println!("{rounds} rounds, {start_up} of them during start-up");
    println!("{summary:?}");
    assert!(summary.faults.is_empty(), "{:#?}", summary.faults);
    assert!(summary.sent > 0 && summary.received == summary.sent, "every message was received");
    assert!(summary.from_victims > 0, "messages that victims sent before they were killed were received");
    println!("left: {:?}", shm.files());
    assert_eq!(shm.files(), [""; 0], "no file is left");
}

/// Makes the time of the kill random. Nothing else depends on this wait.
fn pause(micros: u64) {
    std::thread::sleep(Duration::from_micros(micros));
}

#[test]
fn the_death_of_a_peer_is_known_within_100_milliseconds() {
    let mut times = Vec::new();
    for round in 0..20 {
        let shm = ShmFolder::new();
        let mut echo = shm.start(ACTOR, &["echo"]);
        echo.wait_until_ready();
        let mut watch = shm.start(ACTOR, &["watch-death"]);
        watch.wait_until_ready();
        let killed = saltus::time::monotonic_now();
        echo.kill();
        watch.send_line(&killed.to_string());
        let report = watch.read_line();
        assert!(report.contains("gone=true"), "{report}");
        let after = number(&report, "after_us").unwrap();
        println!("round {round}: known after {after} us");
        times.push(after);
    }
    let median = median(&mut times);
    assert!(median < 100_000, "{median} us");
}

#[test]
fn a_process_that_exits_without_dropping_its_context_leaves_no_files() {
    let shm = ShmFolder::new();
    for _ in 0..20 {
        let status = shm.command(ACTOR, &["exit-without-drop"]).status().unwrap();
        assert!(status.success());
        assert_eq!(shm.files(), [""; 0]);
    }
}

#[test]
fn the_next_process_removes_the_files_of_a_killed_process() {
    let shm = ShmFolder::new();
    let mut idle = shm.start(ACTOR, &["idle"]);
    idle.wait_until_ready();
    idle.kill();
    assert_eq!(shm.files().len(), 3, "the member table, a segment and a pipe: {:?}", shm.files());
    let mut next = shm.start(ACTOR, &["idle"]);
    next.wait_until_ready();
    assert_eq!(shm.files().len(), 3, "the files of the next process");
    next.end();
    assert_eq!(shm.files(), [""; 0]);
}
