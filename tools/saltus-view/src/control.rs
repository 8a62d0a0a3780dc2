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

use crate::order::{Order, Target};

/// After this time without a velocity from a page, the robot is stopped: the page may be gone.
const STOP_AFTER: Duration = Duration::from_millis(500);
/// How many topics a server publishes.
const MOST_TOPICS: usize = 100;

/// Publishes what pages send.
#[derive(Debug)]
pub(crate) struct Control {
    node: Node,
    publishers: Mutex<Publishers>,
    driven: Arc<Driven>,
    stopping: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
struct Publishers {
    goals: BTreeMap<String, Publisher<PoseStamped>>,
    poses: BTreeMap<String, Publisher<PoseWithCovarianceStamped>>,
}

/// The robots that pages drive. A thread of its own stops them, so that nothing else delays it.
#[derive(Debug, Default)]
struct Driven {
    robots: Mutex<Robots>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Robots {
    by_topic: BTreeMap<String, Robot>,
    is_over: bool,
}

/// A robot that a page drives.
#[derive(Debug)]
struct Robot {
    publisher: Publisher<Twist>,
    /// When the last velocity came; `None` if the robot was stopped.
    last: Option<Instant>,
}

impl Driven {
    /// Stops each robot whose page is silent, until the server ends. Then it stops all of them.
    fn watch(&self) {
        loop {
            let mut robots = lock(&self.robots);
            if !robots.is_over {
                let waited = self.changed.wait_timeout(robots, STOP_AFTER / 5);
                robots = waited.map_or_else(|error| error.into_inner().0, |(robots, _)| robots);
            }
            let is_over = robots.is_over;
            let is_silent = |last: Instant| is_over || last.elapsed() > STOP_AFTER;
            let silent = robots.by_topic.iter().filter(|(_, robot)| robot.last.is_some_and(is_silent));
            let silent: Vec<_> =
                silent.map(|(topic, robot)| (topic.clone(), robot.publisher.clone(), robot.last)).collect();
            drop(robots);
            for (topic, publisher, last) in silent {
                // If it can't be published now, it is tried again.
                if publisher.publish(&Twist::default()).is_ok()
                    && let Some(robot) =
                        lock(&self.robots).by_topic.get_mut(&topic).filter(|robot| robot.last == last)
                {
                    robot.last = None;
                }
            }
            if is_over {
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

/// The covariances of an initial pose: 0.5 m, and 15 degrees, as in RViz.
const COVARIANCE: [(usize, f64); 3] = [(0, 0.25), (7, 0.25), (35, 0.068_538_919_452_009_43)];

impl Control {
    /// Returns the control of robots, with its thread.
    pub(crate) fn new(node: &Node) -> io::Result<Self> {
        let driven = Arc::new(Driven::default());
        let watched = driven.clone();
        let stopping = thread::Builder::new().name("view-stop".into()).spawn(move || watched.watch())?;
        Ok(Self {
            node: node.clone(),
            publishers: Mutex::default(),
            driven,
            stopping: Mutex::new(Some(stopping)),
        })
    }

    /// Stops all robots. From then on, no page can drive one.
    pub(crate) fn end(&self) {
        lock(&self.driven.robots).is_over = true;
        self.driven.changed.notify_all();
        if let Some(stopping) = lock(&self.stopping).take() {
            let _ = stopping.join();
        }
    }

    /// Uses simulated time as long as it is published, unless the parameter `use_sim_time` of the node is given.
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

    /// Does what a page asks for.
    ///
    /// # Errors
    ///
    /// Returns what is wrong.
    pub(crate) fn act(&self, order: &Order) -> Result<(), String> {
        match order {
            Order::Goal(target) => {
                let message = PoseStamped { header: self.header(target), pose: pose(target) };
                self.send(|publishers| &mut publishers.goals, &target.topic, &message)
            }
            Order::InitialPose(target) => {
                let mut covariance = [0.0; 36];
                COVARIANCE.iter().for_each(|(place, value)| covariance[*place] = *value);
                let pose = PoseWithCovariance { pose: pose(target), covariance };
                let message = PoseWithCovarianceStamped { header: self.header(target), pose };
                self.send(|publishers| &mut publishers.poses, &target.topic, &message)
            }
            Order::Drive { topic, forward, left, turn } => {
                let linear = Vector3 { x: *forward, y: *left, z: 0.0 };
                let angular = Vector3 { x: 0.0, y: 0.0, z: *turn };
                self.drive(topic, &Twist { linear, angular })
            }
            Order::Subscribe { .. } | Order::Unsubscribe { .. } => Ok(()),
        }
    }

    fn drive(&self, topic: &str, twist: &Twist) -> Result<(), String> {
        let mut robots = lock(&self.driven.robots);
        if robots.is_over {
            return Err("the server ends".into());
        }
        if !robots.by_topic.contains_key(topic) {
            check(robots.by_topic.len())?;
            let publisher = self.node.publisher(topic).create().map_err(|error| error.to_string())?;
            robots.by_topic.insert(topic.into(), Robot { publisher, last: None });
        }
        let Some(robot) = robots.by_topic.get_mut(topic) else { return Ok(()) };
        robot.last = Some(Instant::now()).filter(|_| *twist != Twist::default());
        // Under the lock, so that a stop is not overtaken.
        robot.publisher.publish(twist).map_err(|error| error.to_string())
    }

    /// Publishes a message on a topic, and keeps its publisher.
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
        // A new publisher has no subscriptions for a moment, and the message would be for no one.
        if !publisher.wait_for_subscriptions(1, Duration::from_millis(500)) {
            return Err(format!("no one subscribes to {topic}"));
        }
        publisher.publish(message).map_err(|error| error.to_string())
    }

    fn header(&self, target: &Target) -> Header {
        Header { stamp: self.node.clock().now().into(), frame_id: target.frame.clone() }
    }
}

fn check(count: usize) -> Result<(), String> {
    if count < MOST_TOPICS { Ok(()) } else { Err("too many topics are published".into()) }
}

fn pose(target: &Target) -> Pose {
    let (z, w) = (target.yaw / 2.0).sin_cos();
    Pose {
        position: Point { x: target.x, y: target.y, z: 0.0 },
        orientation: Quaternion { x: 0.0, y: 0.0, z, w },
    }
}
