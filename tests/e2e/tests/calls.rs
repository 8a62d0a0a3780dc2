//! Servers and clients are killed at random times. The calls and goals that were pending at them end with the cause,
//! and no other call is affected.
//!
//! `SALTUS_KILL_ROUNDS` sets the number of rounds (40 by default; `make kill` sets it to 500).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::{Duration, Instant};

use saltus::{context::ContextOptions, graph::Report};
use saltus_e2e::{Actor, Random, ShmFolder, median, number};

const ACTOR: &str = env!("CARGO_BIN_EXE_actor");
/// The calls, the goals, and one thread that is within a call.
const PENDING: u64 = 11;

/// Returns the resources that the survivors use, as soon as these no longer change. Right after the death of a victim,
/// a survivor may still have files of the victim open.
fn settled_usage(shm: &ShmFolder, survivors: &[&Actor]) -> (u64, usize) {
    const QUIET: Duration = Duration::from_millis(200);
    let (begun, mut since, mut last) = (Instant::now(), Instant::now(), usage(shm, survivors));
    while since.elapsed() < QUIET {
        assert!(begun.elapsed() < Duration::from_secs(10), "the usage still changes: {last:?}");
        pause(5_000);
        let now = usage(shm, survivors);
        if now != last {
            (since, last) = (Instant::now(), now);
        }
    }
    last
}

/// Returns the resources that the survivors use: the bytes of shared memory, and the number of file descriptors.
fn usage(shm: &ShmFolder, survivors: &[&Actor]) -> (u64, usize) {
    let domain = ContextOptions::default().domain(0).folder(shm.path()).domain_id().unwrap();
    let report = Report::observe(domain).unwrap();
    let is_survivor = |pid: u32| survivors.iter().any(|survivor| survivor.id() == pid);
    let of_survivors = report.processes.iter().filter(|process| is_survivor(process.pid));
    let fds = |actor: &&Actor| std::fs::read_dir(format!("/proc/{}/fd", actor.id())).unwrap().count();
    (of_survivors.map(|process| process.memory).sum(), survivors.iter().map(fds).sum())
}

#[test]
fn calls_to_a_killed_process_end_and_no_other_call_is_affected() {
    let rounds: usize = std::env::var("SALTUS_KILL_ROUNDS").map_or(40, |text| text.parse().unwrap()).max(2);
    let shm = ShmFolder::new();
    let mut server = shm.start(ACTOR, &["unaffected-server"]);
    server.wait_until_ready();
    let mut client = shm.start(ACTOR, &["unaffected-client"]);
    client.wait_until_ready();
    let mut watcher = shm.start(ACTOR, &["call-watcher"]);
    watcher.wait_until_ready();
    let (mut random, mut times, mut before) = (Random::new(rounds as u64), Vec::new(), (0, 0));
    for round in 0..rounds {
        let name = round.to_string();
        let role = ["victim-server", "victim-client"][round % 2];
        let mut victim = shm.start(ACTOR, &[role, &name]);
        match round % 4 {
            0 => {
                victim.wait_until_ready();
                let instant = random.below(5_000);
                times.push(kill_with_pending_calls(&mut watcher, &mut victim, &name, instant));
            }
            1 => {
                victim.wait_until_ready();
                pause(random.below(20_000));
                assert!(victim.is_running(), "round {round}: the victim ended before it was killed");
            }
            _ => pause(random.below(4_000)),
        }
        victim.kill();
        // In the first half, the survivors allocate the most memory that they need.
        if round + 1 == rounds / 2 {
            before = settled_usage(&shm, &[&server, &client, &watcher]);
        }
    }
    let after = settled_usage(&shm, &[&server, &client, &watcher]);
    println!("{rounds} rounds; pending calls and goals ended {times:?} us after the death");
    println!(
        "survivors: {} to {} bytes of shared memory, {} to {} descriptors",
        before.0, after.0, before.1, after.1
    );
    let median = median(&mut times);
    assert!(median < 250_000, "{median} us");
    watcher.end();
    let counts = client.end();
    server.end();
    println!("unaffected client: {counts}");
    assert_eq!(number(&counts, "failed"), Some(0), "{counts}");
    assert!(number(&counts, "calls").unwrap() > 0, "{counts}");
    let longest = number(&counts, "longest_us").unwrap();
    assert!(longest < 250_000, "{longest} us");
    assert!(after.0 <= before.0 + before.0 / 8, "shared memory: {before:?} to {after:?}");
    assert!(after.1 <= before.1, "descriptors: {before:?} to {after:?}");
    assert_eq!(shm.files(), [""; 0], "no file is left");
}

/// Starts calls and goals that are pending at a victim, and kills the victim. Returns how many microseconds later the
/// last of them ended.
fn kill_with_pending_calls(watcher: &mut Actor, victim: &mut Actor, name: &str, instant: u64) -> u64 {
    watcher.send_line(name);
    assert_eq!(watcher.read_line(), "pending");
    pause(instant);
    let killed = saltus::time::monotonic_now();
    victim.kill();
    watcher.send_line(&killed.to_string());
    let report = watcher.read_line();
    assert_eq!(number(&report, "gone"), Some(PENDING), "round {name}: {report}");
    number(&report, "latest_us").unwrap()
}

/// Waits for a random time before a kill, or slows down a polling loop. No result depends on the duration.
fn pause(micros: u64) {
    std::thread::sleep(Duration::from_micros(micros));
}
