//! Topics, services, actions and parameters keep all rules between two hosts with a bridge each.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Spun, TwoHosts, command};
use saltus_e2e::Actor;

#[test]
fn all_rules_are_kept_between_two_hosts() {
    let hosts = TwoHosts::new();
    let mut subject = Actor::start(&mut command(&hosts.folders[1], "subject", &[]));
    subject.wait_until_ready();
    let suite = Spun::new(&hosts.folders[0], "suite");
    let failed = saltus_conformance::run(&suite.node).unwrap();
    let rules = saltus_conformance::cases().len();
    println!("{} of {rules} rules kept", rules - failed.len());
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
    subject.end();
}
