//! A domain of its own, in which the suite and its subjects run.

use std::thread::{self, JoinHandle};

use saltus::{Context, Executor, MultiThreadedExecutor, Node, context::ContextOptions};
use saltus_e2e::{Actor, ShmFolder};

use crate::case::Failure;

/// The node of the suite in a domain of its own, and the thread that spins it.
#[derive(Debug)]
pub struct Session {
    shm: ShmFolder,
    context: Context,
    node: Node,
    spinning: JoinHandle<Result<(), String>>,
}

impl Session {
    /// Creates the domain and the node.
    pub fn new() -> Result<Self, Failure> {
        let shm = ShmFolder::new();
        let options = ContextOptions::default().domain(0).folder(shm.path()).handle_signals(false);
        let context = options.rosout(false).create()?;
        let node = context.node("suite").start_parameter_services(false).create()?;
        let mut executor = MultiThreadedExecutor::new(&context)?.threads(2);
        executor.add_node(&node);
        let spinning = thread::spawn(move || executor.spin().map_err(|error| error.to_string()));
        Ok(Self { shm, context, node, spinning })
    }

    /// Starts a subject in the domain, and waits until it is ready.
    pub fn start(&self, program: &str, arguments: &[String]) -> Actor {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut subject = self.shm.start(program, &arguments);
        subject.wait_until_ready();
        subject
    }

    /// Returns the node of the suite.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// Ends the node and the subjects.
    pub fn end(self, subjects: Vec<Actor>) -> Result<(), Failure> {
        self.context.shut_down();
        if let Ok(spun) = self.spinning.join() {
            spun?;
        }
        for subject in subjects {
            subject.end();
        }
        Ok(())
    }
}
