//! Goals, initial poses and velocities that a page sends.

use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Condvar, Mutex},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use saltus::{
    Node, Publisher,
    cdr::Message,
    graph::Graph,
    msgs::{
        geometry_msgs::msg::{
            Point, Pose, PoseStamped, PoseWithCovariance, PoseWithCovarianceStamped, Quaternion, Twist,
            Vector3,
        },
        std_msgs::msg::Header,
    },
    types::lock,
};

use crate::command::{PageCommand, Target};

/// A robot is stopped after this time without a velocity from a page, because the page may be gone.
const STOP_AFTER: Duration = Duration::from_millis(500);
/// The maximum number of topics of each type that a server publishes.
const MAX_TOPICS: usize = 100;

/// Publishes the goals, poses and velocities that pages send.
#[derive(Debug)]
pub(crate) struct Control {
    node: Node,
    publishers: Mutex<Publishers>,
    monitor: Arc<DriveMonitor>,
    /// The thread that stops robots.
    stop_thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
struct Publishers {
    goals: BTreeMap<String, Publisher<PoseStamped>>,
    poses: BTreeMap<String, Publisher<PoseWithCovarianceStamped>>,
}

/// The robots that pages drive. A separate thread stops them, so that other work can't delay a stop.
#[derive(Debug, Default)]
struct DriveMonitor {
    robots: Mutex<DrivenRobots>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct DrivenRobots {
    by_topic: BTreeMap<String, DrivenRobot>,
    /// Whether the server has ended, so that no page can drive a robot.
    is_ended: bool,
}

/// A robot that a page drives.
#[derive(Debug)]
struct DrivenRobot {
    publisher: Publisher<Twist>,
    /// The time of the last velocity; `None` if the robot was stopped.
    last_velocity: Option<Instant>,
}

impl DriveMonitor {
    /// Stops each robot for which no velocity has come in time. When the server ends, stops all robots and returns.
    fn watch(&self) {
        loop {
            let mut robots = lock(&self.robots);
            if !robots.is_ended {
                let waited = self.changed.wait_timeout(robots, STOP_AFTER / 5);
                robots = waited.map_or_else(|error| error.into_inner().0, |(robots, _)| robots);
            }
            let is_ended = robots.is_ended;
            let is_silent = |last: Instant| is_ended || last.elapsed() > STOP_AFTER;
            let silent =
                robots.by_topic.iter().filter(|(_, robot)| robot.last_velocity.is_some_and(is_silent));
            let silent: Vec<_> = silent
                .map(|(topic, robot)| (topic.clone(), robot.publisher.clone(), robot.last_velocity))
                .collect();
            drop(robots);
            for (topic, publisher, last) in silent {
                // If publishing fails, the next pass tries again.
                if publisher.publish(&Twist::default()).is_ok()
                    && let Some(robot) = lock(&self.robots)
                        .by_topic
                        .get_mut(&topic)
                        .filter(|robot| robot.last_velocity == last)
                {
                    robot.last_velocity = None;
                }
            }
            if is_ended {
                return;
            }
        }
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        self.end();
    }
}

/// The index and the value of each covariance of an initial pose that is not 0. The standard deviations are those of RViz:
/// 0.5 m and 15 degrees.
const COVARIANCE: [(usize, f64); 3] = [(0, 0.25), (7, 0.25), (35, 0.068_538_919_452_009_43)];

impl Control {
    /// Creates the control of robots and starts its thread.
    pub(crate) fn new(node: &Node) -> io::Result<Self> {
        let monitor = Arc::new(DriveMonitor::default());
        let watched = monitor.clone();
        let stop_thread = thread::Builder::new().name("view-stop".into()).spawn(move || watched.watch())?;
        Ok(Self {
            node: node.clone(),
            publishers: Mutex::default(),
            monitor,
            stop_thread: Mutex::new(Some(stop_thread)),
        })
    }

    /// Stops all robots. Afterwards, no page can drive a robot.
    pub(crate) fn end(&self) {
        lock(&self.monitor.robots).is_ended = true;
        self.monitor.changed.notify_all();
        if let Some(thread) = lock(&self.stop_thread).take() {
            let _ = thread.join();
        }
    }

    /// Uses simulated time while `/clock` is published. Does nothing if the user has set the parameter `use_sim_time`.
    pub(crate) fn follow_clock(&self, graph: &Graph) {
        let is_simulated = graph.publishers("/clock").next().is_some();
        let is_given = self.node.parameter_overrides().iter().any(|(name, _)| name == "use_sim_time");
        if is_given || is_simulated == self.node.clock().is_simulated() {
            return;
        }
        if let Err(error) = self.node.use_sim_time(is_simulated) {
            saltus::warn!(self.node.logger(), "can't use the time of /clock: {error}");
        }
    }

    /// Executes a command of a page.
    ///
    /// # Errors
    ///
    /// Returns an error text for the page.
    pub(crate) fn execute(&self, command: &PageCommand) -> Result<(), String> {
        match command {
            PageCommand::Goal(target) => {
                let message = PoseStamped { header: self.header(target), pose: pose(target) };
                self.send(|publishers| &mut publishers.goals, &target.topic, &message)
            }
            PageCommand::InitialPose(target) => {
                let mut covariance = [0.0; 36];
                COVARIANCE.iter().for_each(|(index, value)| covariance[*index] = *value);
                let pose = PoseWithCovariance { pose: pose(target), covariance };
                let message = PoseWithCovarianceStamped { header: self.header(target), pose };
                self.send(|publishers| &mut publishers.poses, &target.topic, &message)
            }
            PageCommand::Drive { topic, forward, left, turn } => {
                let linear = Vector3 { x: *forward, y: *left, z: 0.0 };
                let angular = Vector3 { x: 0.0, y: 0.0, z: *turn };
                self.drive(topic, &Twist { linear, angular })
            }
            PageCommand::Subscribe { .. } | PageCommand::Unsubscribe { .. } => Ok(()),
        }
    }

    fn drive(&self, topic: &str, twist: &Twist) -> Result<(), String> {
        let mut robots = lock(&self.monitor.robots);
        if robots.is_ended {
            return Err("the server ends".into());
        }
        if !robots.by_topic.contains_key(topic) {
            check(robots.by_topic.len())?;
            let publisher = self.node.publisher(topic).create().map_err(|error| error.to_string())?;
            robots.by_topic.insert(topic.into(), DrivenRobot { publisher, last_velocity: None });
        }
        let Some(robot) = robots.by_topic.get_mut(topic) else { return Ok(()) };
        robot.last_velocity = Some(Instant::now()).filter(|_| *twist != Twist::default());
        // The lock is held, so that a velocity is not published after a later stop.
        robot.publisher.publish(twist).map_err(|error| error.to_string())
    }

    /// Publishes a message on a topic, and keeps the publisher for later messages.
    fn send<M: Message>(
        &self,
        of: fn(&mut Publishers) -> &mut BTreeMap<String, Publisher<M>>,
        topic: &str,
        message: &M,
    ) -> Result<(), String> {
        let known = of(&mut lock(&self.publishers)).get(topic).cloned();
        let publisher = match known {
            Some(publisher) => publisher,
            None => {
                check(of(&mut lock(&self.publishers)).len())?;
                let publisher = self.node.publisher(topic).create().map_err(|error| error.to_string())?;
                of(&mut lock(&self.publishers)).entry(topic.into()).or_insert(publisher).clone()
            }
        };
        // A new publisher is not yet connected to its subscriptions, so its first message could be lost.
        if !publisher.wait_for_subscriptions(1, Duration::from_millis(500)) {
            return Err(format!("no one subscribes to {topic}"));
        }
        publisher.publish(message).map_err(|error| error.to_string())
    }

    fn header(&self, target: &Target) -> Header {
        Header { stamp: self.node.clock().now().into(), frame_id: target.frame.clone() }
    }
}

/// Checks that another topic may be published.
fn check(count: usize) -> Result<(), String> {
    if count < MAX_TOPICS { Ok(()) } else { Err("too many topics are published".into()) }
}

fn pose(target: &Target) -> Pose {
    let (z, w) = (target.yaw / 2.0).sin_cos();
    Pose {
        position: Point { x: target.x, y: target.y, z: 0.0 },
        orientation: Quaternion { x: 0.0, y: 0.0, z, w },
    }
}
