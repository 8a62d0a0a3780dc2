//! The Rust library keeps every rule.

use std::thread;

use saltus::{ContextOptions, MultiThreadedExecutor};
use saltus_e2e::Stage;

#[test]
fn the_rust_library_conforms() {
    let stage = Stage::new();
    let mut subject = stage.start(env!("CARGO_BIN_EXE_subject"), &[]);
    subject.wait_until_ready();
    let options = ContextOptions::default().domain(0).folder(stage.folder()).handle_signals(false);
    let context = options.rosout(false).create().unwrap();
    let node = context.node("suite").start_parameter_services(false).create().unwrap();
    let spun = node.clone();
    let spinning = thread::spawn(move || {
        let executor = MultiThreadedExecutor::new(spun.context()).unwrap().threads(2);
        executor.add_node(&spun);
        executor.spin_all().unwrap();
    });
    let failed = saltus_conformance::run(&node).unwrap();
    context.shut_down();
    spinning.join().unwrap();
    let rules = saltus_conformance::cases().len();
    println!("{} of {rules} rules kept", rules - failed.len());
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
    subject.end();
}
