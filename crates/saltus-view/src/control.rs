//! Goals, initial poses and velocities that a page sends.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use saltus::{
    Node, Publisher, Timer,
    cdr::Message,
    msgs::{
        geometry_msgs::msg::{
            Point, Pose, PoseStamped, PoseWithCovariance, PoseWithCovarianceStamped, Quaternion, Twist,
            Vector3,
        },
        std_msgs::msg::Header,
    },
    node::NodeError,
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
    driven: Arc<Mutex<BTreeMap<String, Driven>>>,
    _timer: Timer,
}

#[derive(Debug, Default)]
struct Publishers {
    goals: BTreeMap<String, Publisher<PoseStamped>>,
    poses: BTreeMap<String, Publisher<PoseWithCovarianceStamped>>,
}

/// A robot that a page drives.
#[derive(Debug)]
struct Driven {
    publisher: Publisher<Twist>,
    /// When the last velocity came; `None` if the robot was stopped.
    last: Option<Instant>,
}

/// The covariances of an initial pose: 0.5 m, and 15 degrees, as in RViz.
const COVARIANCE: [(usize, f64); 3] = [(0, 0.25), (7, 0.25), (35, 0.068_538_919_452_009_43)];

impl Control {
    pub(crate) fn new(node: &Node) -> Result<Self, NodeError> {
        let driven = Arc::new(Mutex::new(BTreeMap::<String, Driven>::new()));
        let timer = node.wall_timer(STOP_AFTER / 5).callback({
            let driven = driven.clone();
            move || {
                for robot in lock(&driven).values_mut() {
                    if robot.last.is_some_and(|last| last.elapsed() > STOP_AFTER) {
                        robot.last = None;
                        // If it can't be published, the robot's own driver must stop it.
                        let _ = robot.publisher.publish(&Twist::default());
                    }
                }
            }
        })?;
        Ok(Self { node: node.clone(), publishers: Mutex::default(), driven, _timer: timer })
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
                send(&self.node, &mut lock(&self.publishers).goals, &target.topic, &message)
            }
            Order::InitialPose(target) => {
                let mut covariance = [0.0; 36];
                COVARIANCE.iter().for_each(|(place, value)| covariance[*place] = *value);
                let pose = PoseWithCovariance { pose: pose(target), covariance };
                let message = PoseWithCovarianceStamped { header: self.header(target), pose };
                send(&self.node, &mut lock(&self.publishers).poses, &target.topic, &message)
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
        let mut driven = lock(&self.driven);
        if !driven.contains_key(topic) {
            check(driven.len())?;
            let publisher = self.node.publisher(topic).create().map_err(|error| error.to_string())?;
            driven.insert(topic.into(), Driven { publisher, last: None });
        }
        let Some(robot) = driven.get_mut(topic) else { return Ok(()) };
        robot.last = Some(Instant::now()).filter(|_| *twist != Twist::default());
        robot.publisher.publish(twist).map_err(|error| error.to_string())
    }

    fn header(&self, target: &Target) -> Header {
        Header { stamp: self.node.clock().now().into(), frame_id: target.frame.clone() }
    }
}

/// Publishes a message on a topic, and keeps its publisher.
fn send<M: Message>(
    node: &Node,
    publishers: &mut BTreeMap<String, Publisher<M>>,
    topic: &str,
    message: &M,
) -> Result<(), String> {
    if !publishers.contains_key(topic) {
        check(publishers.len())?;
        let publisher = node.publisher(topic).create().map_err(|error| error.to_string())?;
        // A new publisher has no subscriptions for a moment, and the message would be for no one.
        publisher.wait_for_subscriptions(1, Duration::from_millis(500));
        publishers.insert(topic.into(), publisher);
    }
    match publishers.get(topic) {
        Some(publisher) => publisher.publish(message).map_err(|error| error.to_string()),
        None => Ok(()),
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
