//! Starts a subject with a command, and runs the suite against it: `suite COMMAND ARGUMENTS…`.

use std::{process::ExitCode, thread};

use saltus::{Executor, MultiThreadedExecutor, context::ContextOptions};
use saltus_conformance::Failure;
use saltus_e2e::ShmFolder;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let Some(program) = words.next() else {
        eprintln!("usage: suite COMMAND ARGUMENTS…");
        return ExitCode::from(2);
    };
    let arguments: Vec<String> = words.collect();
    match run(&program, &arguments) {
        Ok(failed) => {
            let rules = saltus_conformance::cases().len();
            failed.iter().for_each(|failure| println!("{failure}"));
            println!("{} of {rules} rules kept", rules - failed.len());
            if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(program: &str, arguments: &[String]) -> Result<Vec<String>, Failure> {
    let shm = ShmFolder::new();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut subject = shm.start(program, &arguments);
    subject.wait_until_ready();
    let options = ContextOptions::default().domain(0).folder(shm.path()).handle_signals(false);
    let context = options.rosout(false).create()?;
    let node = context.node("suite").start_parameter_services(false).create()?;
    let mut executor = MultiThreadedExecutor::new(&context)?.threads(2);
    executor.add_node(&node);
    let spinning = thread::spawn(move || executor.spin());
    let failed = saltus_conformance::run(&node);
    context.shut_down();
    if let Ok(spun) = spinning.join() {
        spun?;
    }
    subject.end();
    failed
}
