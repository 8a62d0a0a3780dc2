//! Tests that the Rust library keeps all rules.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::thread;

use saltus::{Executor, MultiThreadedExecutor, context::ContextOptions};
use saltus_domain_bridge::{BridgeOptions, Config, DomainBridge, GraphId, Kind, Pattern, Rule};
use saltus_e2e::{Actor, ShmFolder};

/// Runs the suite in one domain, against a subject in the same domain or in another one.
fn run(shm: &ShmFolder, suite_domain: u32, subject_domain: u32) {
    let mut command = shm.command(env!("CARGO_BIN_EXE_subject"), &[]);
    let mut subject = Actor::start(command.env("ROS_DOMAIN_ID", subject_domain.to_string()));
    subject.wait_until_ready();
    let options = ContextOptions::default().domain(suite_domain).folder(shm.path()).handle_signals(false);
    let context = options.rosout(false).create().unwrap();
    let node = context.node("suite").start_parameter_services(false).create().unwrap();
    let spun = node.clone();
    let spinning = thread::spawn(move || {
        let mut executor = MultiThreadedExecutor::new(spun.context()).unwrap().threads(2);
        executor.add_node(&spun);
        executor.spin().unwrap();
    });
    let cases = saltus_conformance::cases();
    let failed = saltus_conformance::run(&node, &cases).unwrap();
    context.shut_down();
    spinning.join().unwrap();
    let rules = cases.len();
    println!("{} of {rules} rules kept", rules - failed.len());
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
    subject.end();
}

#[test]
fn the_rust_library_keeps_all_rules() {
    run(&ShmFolder::new(), 0, 0);
}

#[test]
fn the_rust_library_keeps_all_rules_across_a_domain_bridge() {
    let shm = ShmFolder::new();
    let mut config = Config::default();
    let ends = [0, 1].map(|domain| GraphId { domain, group: None });
    for kind in [Kind::Topic, Kind::Service, Kind::Action] {
        config.add(&ends[0], &ends[1], true, &Rule::new(kind, Pattern::any()));
    }
    let folder = Some(shm.path().to_owned());
    let options = BridgeOptions { folder, handle_signals: false, ..BridgeOptions::default() };
    let bridge = DomainBridge::join(&config, &options).unwrap();
    let stopper = bridge.stopper();
    let running = thread::spawn(move || bridge.run().unwrap());
    run(&shm, 0, 1);
    stopper.stop();
    running.join().unwrap();
}
