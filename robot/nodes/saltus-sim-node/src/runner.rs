//! The simulation in time: real time, faster, or step by step.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

use saltus::{
    Node, QoS, Time,
    executor::ExecutorHandle,
    log,
    msgs::{rosgraph_msgs::msg::Clock, visualization_msgs::msg::MarkerArray},
    node::NodeError,
};
use saltus_sim::{EntityError, Output, Reading, RobotSpec, Simulation};

use crate::{
    digest::{Digest, Topic},
    messages,
    topics::RobotTopics,
};

/// A function that the thread of the simulation calls for another thread.
pub(crate) type Request = Box<dyn FnOnce(&mut Runner) + Send>;

/// The speed of simulated time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Factor {
    /// This many times as fast as real time.
    Times(f64),
    /// As fast as possible.
    Max,
}

/// The reason why a robot can't be added.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SpawnError {
    /// The robot can't be in this world.
    #[error(transparent)]
    Entity(#[from] EntityError),
    /// Its topics can't be opened.
    #[error(transparent)]
    Topics(#[from] NodeError),
}

/// The longest time for which the thread of the simulation works or sleeps before it handles requests and commands.
const SLICE: Duration = Duration::from_millis(5);
/// The largest delay that the simulation makes up for. A longer delay is skipped.
const LATEST: Duration = Duration::from_millis(200);

/// A simulation, and its topics.
pub(crate) struct Runner {
    node: Node,
    /// The executor of the nodes that publish the descriptions of robots, if they are published.
    describing: Option<ExecutorHandle>,
    simulation: Simulation,
    clock: Topic<Clock>,
    obstacles: Topic<MarkerArray>,
    /// The topics of each robot, by its number.
    robots: Vec<Option<RobotTopics>>,
    digest: Digest,
    pub(crate) is_paused: bool,
    /// Whether the simulation was stopped, and has not been started since then. It is paused, too.
    pub(crate) is_stopped: bool,
    factor: Factor,
    /// A real time, and the simulated time at it.
    anchor: (Instant, i64),
    end: Option<i64>,
    /// Whether another thread ends the simulation.
    is_ended: Arc<AtomicBool>,
}

impl Runner {
    pub(crate) fn new(
        node: &Node,
        describing: Option<ExecutorHandle>,
        simulation: Simulation,
        digest: Digest,
        factor: Factor,
    ) -> Result<Self, NodeError> {
        let topics = |(_, spec)| RobotTopics::new(node, spec, describing.as_ref()).map(Some);
        let robots = simulation.robots().map(topics);
        Ok(Self {
            node: node.clone(),
            clock: Topic::new(node, "/clock".into(), QoS::keep_last(10).transient_local())?,
            obstacles: Topic::new(node, "obstacles".into(), QoS::keep_last(1).transient_local())?,
            robots: robots.collect::<Result<_, _>>()?,
            describing,
            digest,
            is_paused: false,
            is_stopped: false,
            factor,
            anchor: (Instant::now(), simulation.time()),
            simulation,
            end: None,
            is_ended: Arc::default(),
        })
    }

    /// Sets the simulated time at which the simulation ends.
    pub(crate) fn end_after(&mut self, duration: Option<Duration>) {
        self.end = duration.map(|duration| i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX));
    }

    /// Returns a flag. If it is true when a request wakes the thread of the simulation, the simulation ends.
    pub(crate) fn ending(&self) -> Arc<AtomicBool> {
        self.is_ended.clone()
    }

    pub(crate) fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    pub(crate) fn digest(&self) -> Option<String> {
        self.digest.text()
    }

    /// Runs until it is ended, or until the end that was set.
    pub(crate) fn run(&mut self, requests: &Receiver<Request>) {
        self.restart();
        self.tell_time();
        self.show_obstacles();
        self.warn_of_shared_topics();
        while !self.is_over() {
            let received = match self.is_paused {
                true => requests.recv().map_err(|_| RecvTimeoutError::Disconnected),
                false => {
                    let wait = self.advance();
                    requests.recv_timeout(wait)
                }
            };
            match received {
                Ok(work) => work(self),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return,
            }
            // Other waiting requests are answered in the same slice. Then the time goes on.
            let started = Instant::now();
            while !self.is_over()
                && started.elapsed() < SLICE
                && let Ok(work) = requests.try_recv()
            {
                work(self);
            }
        }
    }

    fn is_over(&self) -> bool {
        self.is_ended.load(Ordering::Acquire) || self.end.is_some_and(|end| self.simulation.time() >= end)
    }

    /// Takes the steps that are due, for at most a slice of time. Returns the time to wait.
    fn advance(&mut self) -> Duration {
        let started = Instant::now();
        let until = match self.factor {
            Factor::Max => i64::MAX,
            Factor::Times(factor) => {
                let passed = started.duration_since(self.anchor.0).as_secs_f64() * factor;
                self.anchor.1.saturating_add((passed * 1e9) as i64)
            }
        };
        self.give_commands();
        while self.simulation.time() < until && !self.is_over() && started.elapsed() < SLICE {
            self.step();
        }
        let Factor::Times(factor) = self.factor else { return Duration::ZERO };
        let late = (until - self.simulation.time()) as f64 / 1e9 / factor;
        if late > LATEST.as_secs_f64() {
            log::warn_throttle!(
                self.node.logger(),
                Duration::from_secs(10),
                "the simulation is slower than its factor {factor}: this machine is too slow for it"
            );
            self.restart();
        }
        SLICE.saturating_sub(started.elapsed())
    }

    /// Lets the time go on from now: the simulation neither waits for what was before, nor does it catch up.
    pub(crate) fn restart(&mut self) {
        self.anchor = (Instant::now(), self.simulation.time());
    }

    /// Takes a number of steps, or fewer if the simulation ends before. Returns their number.
    pub(crate) fn steps(&mut self, count: u64) -> u64 {
        self.is_stopped = false;
        self.give_commands();
        for taken in 0..count {
            if self.is_over() {
                return taken;
            }
            self.step();
        }
        count
    }

    /// Robots in one namespace publish on the same topics, and follow the same commands.
    fn warn_of_shared_topics(&self) {
        let mut namespaces = BTreeMap::new();
        for (_, robot) in self.simulation.robots() {
            let namespace = robot.namespace.trim_matches('/');
            if let Some(other) = namespaces.insert(namespace, &robot.name) {
                let name = &robot.name;
                saltus::warn!(
                    self.node.logger(),
                    "the robots `{other}` and `{name}` have the same topics, in the namespace `/{namespace}`"
                );
            }
        }
    }

    /// Warns if another node publishes the time: stamps would jump back and forth.
    pub(crate) fn warn_of_other_clocks(node: &Node) {
        let graph = node.context().graph();
        if let Some(other) = graph.publishers("/clock").next() {
            let publisher = graph.nodes.iter().find(|known| known.gid == other.node);
            let name = publisher.map_or("another node", |publisher| &publisher.name);
            saltus::warn!(
                node.logger(),
                "`{name}` publishes /clock, too: there should be only one simulator"
            );
        }
    }

    /// Publishes the obstacles for pictures.
    fn show_obstacles(&self) {
        let Some(obstacles) = messages::obstacles(self.simulation.world()) else { return };
        if let Err(error) = self.obstacles.publish(&obstacles) {
            saltus::warn!(self.node.logger(), "can't publish the obstacles: {error}");
        }
    }

    /// Publishes the time between its regular messages: at the start, and when it was set back.
    fn tell_time(&mut self) {
        let now = messages::clock(Time::from_nanos(self.simulation.time()));
        if let Err(error) = self.clock.publish(&now) {
            saltus::error!(self.node.logger(), "can't publish the time: {error}");
        }
    }

    fn give_commands(&mut self) {
        for (number, topics) in self.robots.iter().enumerate() {
            if let Some(command) = topics.as_ref().and_then(RobotTopics::take_command) {
                self.simulation.command(number, command);
            }
        }
    }

    fn step(&mut self) {
        let (digest, robots, clock, node) = (&mut self.digest, &self.robots, &self.clock, &self.node);
        self.simulation.step(&mut |Output { time, robot, sensor, reading }| {
            let now = Time::from_nanos(time);
            let done = match (reading, robots.get(robot)) {
                (Reading::Clock, _) => digest.publish(clock, &messages::clock(now)),
                (reading, Some(Some(topics))) => topics.publish(digest, sensor, reading, now),
                _ => Ok(()),
            };
            if let Err(error) = done {
                log::error_throttle!(node.logger(), Duration::from_secs(10), "can't publish: {error}");
            }
        });
    }

    /// Adds a robot.
    ///
    /// # Errors
    ///
    /// Returns an error if the robot can't be added. Nothing is changed then.
    pub(crate) fn spawn(&mut self, spec: &RobotSpec) -> Result<(), SpawnError> {
        let topics = RobotTopics::new(&self.node, spec, self.describing.as_ref())?;
        let number = self.simulation.spawn(spec.clone())?;
        self.is_stopped = false;
        self.robots.resize_with(self.robots.len().max(number + 1), || None);
        self.robots[number] = Some(topics);
        self.warn_of_shared_topics();
        // The obstacles are in the frame of a robot. Without a robot, they were not published.
        self.show_obstacles();
        Ok(())
    }

    /// Changes the state of something.
    pub(crate) fn change<T>(
        &mut self,
        change: impl FnOnce(&mut Simulation) -> Result<T, EntityError>,
    ) -> Result<T, String> {
        self.is_stopped = false;
        let before = self.simulation.time();
        let changed = change(&mut self.simulation).map_err(|error| error.to_string())?;
        if self.simulation.time() != before {
            self.restart();
            self.tell_time();
        }
        self.follow()?;
        Ok(changed)
    }

    /// Drops the waiting commands, because they were sent before a reset.
    pub(crate) fn forget_commands(&self) {
        for topics in self.robots.iter().flatten() {
            topics.take_command();
        }
    }

    /// Opens and closes the topics of the robots that came and went.
    fn follow(&mut self) -> Result<(), String> {
        let specs: Vec<(usize, RobotSpec)> =
            self.simulation.robots().map(|(number, spec)| (number, spec.clone())).collect();
        let length = specs.last().map_or(0, |(number, _)| number + 1);
        self.robots.resize_with(length, || None);
        for (number, topics) in self.robots.iter_mut().enumerate() {
            let spec = specs.iter().find(|(known, _)| *known == number).map(|(_, spec)| spec);
            match spec {
                None => *topics = None,
                Some(spec) if topics.as_ref().is_none_or(|topics| topics.spec() != spec) => {
                    // The old node must not be beside the new one.
                    *topics = None;
                    let new = RobotTopics::new(&self.node, spec, self.describing.as_ref());
                    *topics = Some(new.map_err(|error| error.to_string())?);
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}
