//! Topics, services, actions and parameters keep all rules between two hosts with a bridge each.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::time::Duration;

use common::{Networked, Spun, command};
use saltus_bench_network::{LinkOptions, has_congestion_control};
use saltus_e2e::Actor;

/// Runs all cases between two hosts. The nodes of the suite are on the first.
fn keeps_all_rules(options: &LinkOptions) {
    let hosts = Networked::new(options);
    let mut subject = Actor::start(&mut command(&hosts.folders[1], "subject", &[]));
    subject.wait_until_ready();
    let suite = Spun::new(&hosts.folders[0], "suite");
    let cases = saltus_conformance::cases();
    let failed = saltus_conformance::run(&suite.node, &cases).unwrap();
    let rules = cases.len();
    println!("{} of {rules} rules kept", rules - failed.len());
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
    subject.end();
}

#[test]
fn all_rules_are_kept_between_two_hosts() {
    keeps_all_rules(&LinkOptions::default());
}

#[test]
fn all_rules_are_kept_if_packets_are_late_and_every_tenth_is_lost() {
    let delay = Duration::from_millis(20);
    // With cubic, a connection that loses so much carries 150 KB/s, and the message of 8 MB comes too late for its rule.
    let congestion_control = has_congestion_control("bbr").then_some("bbr");
    let options = LinkOptions { loss_percent: 10, delay, congestion_control, ..LinkOptions::default() };
    keeps_all_rules(&options);
}
