//! A node of the host, for tests whose other end is not a node of this process.

use std::{
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use saltus::{Context, Executor, Node, SingleThreadedExecutor, context::ContextOptions, graph::Graph};

use crate::ShmFolder;

/// The longest time that a host waits for something.
const LONG: Duration = Duration::from_secs(30);
/// The time between two looks at a condition that is not about the graph.
const PERIOD: Duration = Duration::from_millis(10);

/// A context with a node that a thread spins.
#[derive(Debug)]
pub struct Host {
    /// The context.
    pub context: Context,
    /// The node.
    pub node: Node,
    spinning: Option<JoinHandle<()>>,
}

impl Host {
    /// Starts a node in domain 0 of a folder.
    ///
    /// # Panics
    /// Panics if the node can't be created.
    pub fn new(shm: &ShmFolder, name: &str) -> Self {
        let options = ContextOptions::default().domain(0).folder(shm.path()).handle_signals(false);
        let context = options.rosout(false).create().expect("a context");
        let node = context.node(name).start_parameter_services(false).create().expect("a node");
        let mut executor = SingleThreadedExecutor::new(&context).expect("an executor");
        executor.add_node(&node);
        let spinning = Some(thread::spawn(move || executor.spin().expect("an executor that spins")));
        Self { context, node, spinning }
    }

    /// Waits until the graph is as `is_so` wants it.
    ///
    /// # Panics
    /// Panics with the nodes if that takes too long.
    pub fn wait_for(&self, what: &str, is_so: impl Fn(&Graph) -> bool) {
        let is_now = self.context.wait_until(LONG, || is_so(&self.context.graph()));
        assert!(is_now, "waited {LONG:?} for {what}; {}", self.present());
    }

    /// Describes the graph in a line, for the message of a test that fails.
    fn present(&self) -> String {
        let graph = self.context.graph();
        let nodes: Vec<&str> = graph.nodes.iter().map(|node| &*node.name).collect();
        format!("{} endpoints, {} nodes: {}", graph.endpoints.len(), nodes.len(), nodes.join(", "))
    }

    /// Waits until a condition is true that is not about the graph.
    ///
    /// # Panics
    /// Panics with the nodes if that takes too long.
    pub fn wait(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        let end = Instant::now() + LONG;
        while !is_so() {
            assert!(Instant::now() < end, "waited {LONG:?} for {what}; {}", self.present());
            self.context.wait_until(PERIOD, || false);
        }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.context.shut_down();
        self.spinning.take().map(JoinHandle::join);
    }
}
