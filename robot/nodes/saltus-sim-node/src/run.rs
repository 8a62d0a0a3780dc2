//! The node, until its end.

use std::{
    sync::{atomic::Ordering, mpsc::sync_channel},
    thread,
    time::{Duration, Instant},
};

use saltus::{
    Context, Executor, SingleThreadedExecutor,
    executor::{ExecutorHandle, SpinError},
    node::{NodeError, OpenError},
};
use saltus_sim::{Simulation, World, WorldError};

use crate::{
    digest::Digest,
    runner::{Factor, Runner},
    services, steps,
};

/// The options of a simulation.
#[derive(Clone, Debug)]
pub struct Options {
    /// The speed of simulated time.
    pub factor: Factor,
    /// Whether the simulation waits for a request before it begins.
    pub is_paused: bool,
    /// The number of threads that cast rays.
    pub threads: usize,
    /// The simulated time after which the simulation ends; `None` if it does not end.
    pub duration: Option<Duration>,
    /// Whether the hash of all messages is wanted.
    pub with_digest: bool,
    /// Whether the descriptions of robots and the frames of their sensors are published, as by `robot_state_publisher`.
    pub with_descriptions: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            factor: Factor::Times(1.0),
            is_paused: false,
            threads: 1,
            duration: None,
            with_digest: false,
            with_descriptions: true,
        }
    }
}

/// The summary of a simulation.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The simulated time since the start, or since the last reset.
    pub simulated: Duration,
    /// The real time that the simulation took.
    pub took: Duration,
    /// The SHA-256 of the topics and the bytes of all messages, in order, in hexadecimal digits.
    pub digest: Option<String>,
}

/// The reason why a world can't be simulated.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The world is wrong.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A topic or a service can't be opened.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// The executor can't be created.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The executor has failed.
    #[error(transparent)]
    Spin(#[from] SpinError),
    /// The thread of the simulation can't be started.
    #[error("can't start the thread of the simulation: {0}")]
    Thread(std::io::Error),
}

/// The largest number of requests that wait for the thread of the simulation. More requests are not answered, and their clients get an error.
const MOST_REQUESTS: usize = 1024;

/// Ends the executor also if the thread of the simulation panics.
struct CancelOnDrop(ExecutorHandle);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Simulates a world until its end, or until the context is shut down. The node is `simulator`.
///
/// # Errors
///
/// Returns an error if the world is wrong, or if its topics and services can't be opened.
pub fn run(context: &Context, world: &World, options: &Options) -> Result<Summary, RunError> {
    let node = context.node("simulator").create()?;
    Runner::warn_of_other_clocks(&node);
    let simulation = Simulation::new(world, options.threads)?;
    let mut executor = SingleThreadedExecutor::new(context)?;
    executor.add_node(&node);
    let describing = options.with_descriptions.then(|| executor.handle());
    let digest = Digest::new(options.with_digest);
    let mut runner = Runner::new(&node, describing, simulation, digest, options.factor)?;
    runner.is_paused = options.is_paused;
    runner.end_after(options.duration);
    let (sender, receiver) = sync_channel(MOST_REQUESTS);
    let _services = (services::open(&node, &sender)?, steps::open(&node, &sender)?);
    let handle = executor.handle();
    let started = Instant::now();
    thread::scope(|scope| {
        let ending = runner.ending();
        let work = move || {
            let _ended = CancelOnDrop(handle);
            runner.run(&receiver);
            runner
        };
        let simulating = thread::Builder::new().name("simulation".into()).spawn_scoped(scope, work);
        let simulating = simulating.map_err(RunError::Thread)?;
        let spun = executor.spin();
        ending.store(true, Ordering::Release);
        // It wakes the thread. If there is no room for it, others wake it, and it may have ended by itself.
        let _ = sender.try_send(Box::new(|_| {}));
        let runner = simulating.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        spun?;
        Ok(Summary {
            simulated: Duration::from_nanos(runner.simulation().time().unsigned_abs()),
            took: started.elapsed(),
            digest: runner.digest(),
        })
    })
}
