//! Servers and clients are killed at random instants. The calls and goals that waited for them end with the cause,
//! and no other call is disturbed.
//!
//! `SALTUS_KILL_ROUNDS` sets how many rounds there are (40 by default; `make kill` makes it 500).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::{Duration, Instant};

use saltus::{context::ContextOptions, graph::Report};
use saltus_e2e::{Actor, Random, Stage, number};

const ACTOR: &str = env!("CARGO_BIN_EXE_actor");
/// Calls, goals, and one thread that is in the middle of a call.
const PENDING: u64 = 11;

/// Returns what the survivors use, as soon as it does not change any more. Right after the death of a victim, each of
/// them may still have files of the victim open.
fn settled_usage(stage: &Stage, survivors: &[&Actor]) -> (u64, usize) {
    const QUIET: Duration = Duration::from_millis(200);
    let (begun, mut since, mut last) = (Instant::now(), Instant::now(), usage(stage, survivors));
    while since.elapsed() < QUIET {
        assert!(begun.elapsed() < Duration::from_secs(10), "the usage still changes: {last:?}");
        pause(5_000);
        let now = usage(stage, survivors);
        if now != last {
            (since, last) = (Instant::now(), now);
        }
    }
    last
}

/// Returns what the survivors use: the bytes of shared memory, and the number of file descriptors.
fn usage(stage: &Stage, survivors: &[&Actor]) -> (u64, usize) {
    let domain = ContextOptions::default().domain(0).folder(stage.folder()).domain_id().unwrap();
    let report = Report::observe(domain).unwrap();
    let is_survivor = |pid: u32| survivors.iter().any(|survivor| survivor.id() == pid);
    let of_survivors = report.processes.iter().filter(|process| is_survivor(process.pid));
    let fds = |actor: &&Actor| std::fs::read_dir(format!("/proc/{}/fd", actor.id())).unwrap().count();
    (of_survivors.map(|process| process.memory).sum(), survivors.iter().map(fds).sum())
}

#[test]
fn calls_to_a_killed_process_end_and_no_other_call_is_disturbed() {
    let rounds: usize = std::env::var("SALTUS_KILL_ROUNDS").map_or(40, |text| text.parse().unwrap()).max(2);
    let stage = Stage::new();
    let mut server = stage.start(ACTOR, &["calm-server"]);
    server.wait_until_ready();
    let mut client = stage.start(ACTOR, &["calm-client"]);
    client.wait_until_ready();
    let mut watcher = stage.start(ACTOR, &["call-watcher"]);
    watcher.wait_until_ready();
    let (mut random, mut latest, mut before) = (Random::new(rounds as u64), 0, (0, 0));
    for round in 0..rounds {
        let name = round.to_string();
        let role = ["victim-server", "victim-client"][round % 2];
        let mut victim = stage.start(ACTOR, &[role, &name]);
        match round % 4 {
            0 => {
                victim.wait_until_ready();
                latest = latest.max(watched(&mut watcher, &mut victim, &name, random.below(5_000)));
            }
            1 => {
                victim.wait_until_ready();
                pause(random.below(20_000));
                assert!(victim.is_running(), "round {round}: the victim ended by itself");
            }
            _ => pause(random.below(4_000)),
        }
        victim.kill();
        // In the first half, the survivors allocate the most that they need.
        if round + 1 == rounds / 2 {
            before = settled_usage(&stage, &[&server, &client, &watcher]);
        }
    }
    let after = settled_usage(&stage, &[&server, &client, &watcher]);
    println!("{rounds} rounds; pending calls and goals ended {latest} us after the death at the latest");
    println!(
        "survivors: {} to {} bytes of shared memory, {} to {} descriptors",
        before.0, after.0, before.1, after.1
    );
    assert!(latest < 250_000, "{latest} us");
    watcher.end();
    let calm = client.end();
    server.end();
    println!("calm client: {calm}");
    assert_eq!(number(&calm, "failed"), Some(0), "{calm}");
    assert!(number(&calm, "calls").unwrap() > 0, "{calm}");
    let longest = number(&calm, "longest_us").unwrap();
    assert!(longest < 250_000, "{longest} us");
    assert!(after.0 <= before.0 + before.0 / 8, "shared memory: {before:?} to {after:?}");
    assert!(after.1 <= before.1, "descriptors: {before:?} to {after:?}");
    assert_eq!(stage.files(), [""; 0], "nothing stays");
}

/// Starts calls and goals that wait for a victim, and kills it. Returns how many microseconds later the last of
/// them has ended.
fn watched(watcher: &mut Actor, victim: &mut Actor, name: &str, instant: u64) -> u64 {
    watcher.tell(name);
    assert_eq!(watcher.line(), "pending");
    pause(instant);
    let killed = saltus::time::monotonic_now();
    victim.kill();
    watcher.tell(&killed.to_string());
    let report = watcher.line();
    assert_eq!(number(&report, "gone"), Some(PENDING), "round {name}: {report}");
    number(&report, "latest_us").unwrap()
}

/// Makes an instant random, or slows a polling loop down. Nothing depends on the duration.
fn pause(micros: u64) {
    std::thread::sleep(Duration::from_micros(micros));
}
