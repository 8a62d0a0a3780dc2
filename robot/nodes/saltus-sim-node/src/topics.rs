//! The topics of a robot.

use std::sync::{Arc, Mutex};

use robot_state_publisher::RobotStatePublisher;
use saltus::{
    Node, QoS, Subscription, Time,
    component::{Component, ComponentError, NodeOptions},
    executor::ExecutorHandle,
    msgs::{
        geometry_msgs::msg::{PoseWithCovarianceStamped, Twist},
        nav_msgs::msg::Odometry,
        sensor_msgs::msg::{CameraInfo, Image, Imu, JointState, LaserScan},
        std_msgs::msg::Bool,
        tf2_msgs::msg::TFMessage,
    },
    node::NodeError,
    param::ParameterValue,
    topic::PublishValueError,
    types::lock,
};
use saltus_sim::{Command, Reading, RobotSpec, Sensor, SensorKind};

use crate::{
    digest::{Digest, Topic},
    messages,
};

/// The topics of a robot.
pub(crate) struct RobotTopics {
    spec: RobotSpec,
    odometry: Topic<Odometry>,
    transforms: Topic<TFMessage>,
    joints: Topic<JointState>,
    sensors: Vec<SensorTopic>,
    _commands: Subscription<Twist>,
    _description: Option<Described>,
    /// The last command that was not given to the robot yet.
    command: Arc<Mutex<Option<Command>>>,
}

enum SensorTopic {
    Scan(Topic<LaserScan>),
    Imu(Topic<Imu>),
    Bumper(Topic<Bool>),
    Position(Topic<PoseWithCovarianceStamped>),
    Depth(Topic<Image>, Topic<CameraInfo>),
}

/// The node `robot_state_publisher` of a robot. It leaves its executor when this is dropped.
struct Described {
    publisher: RobotStatePublisher,
    executor: ExecutorHandle,
}

impl Described {
    /// Returns the node if the robot has a description.
    fn new(node: &Node, spec: &RobotSpec, executor: &ExecutorHandle) -> Option<Self> {
        let text = spec.model.urdf.clone()?;
        let namespace = match spec.namespace.trim_matches('/') {
            "" => node.name().namespace().to_owned(),
            namespace => format!("/{namespace}"),
        };
        let mut words = vec!["--ros-args".to_owned(), "-r".into(), format!("__ns:={namespace}")];
        if has_own_frames(spec) {
            words.extend(["-r", "/tf:=tf", "-r", "/tf_static:=tf_static"].map(Into::into));
        }
        let publisher = NodeOptions::new(node.context())
            .arguments(words)
            .map_err(ComponentError::from)
            .and_then(|options| {
                let options = options
                    .parameter_override("robot_description", ParameterValue::String(text))
                    .parameter_override("use_sim_time", ParameterValue::Bool(true));
                RobotStatePublisher::new(&options)
            })
            .inspect_err(|error| {
                let name = &spec.name;
                saltus::error!(node.logger(), "can't publish the description of the robot `{name}`: {error}");
            })
            .ok()?;
        executor.add_node(publisher.node());
        Some(Self { publisher, executor: executor.clone() })
    }
}

impl Drop for Described {
    fn drop(&mut self) {
        self.executor.remove_node(self.publisher.node());
    }
}

/// As in Nav2, each robot with a namespace has its own tree of frames.
fn has_own_frames(spec: &RobotSpec) -> bool {
    !spec.namespace.trim_matches('/').is_empty()
}

/// The QoS of sensors in Gazebo: that of sensor data, but reliable.
fn sensor_data() -> QoS {
    QoS::sensor_data().reliable()
}

impl SensorTopic {
    fn new(node: &Node, spec: &RobotSpec, sensor: &Sensor) -> Result<Self, NodeError> {
        let name = messages::topic(spec, &sensor.topic);
        Ok(match sensor.kind {
            SensorKind::Lidar(_) => Self::Scan(Topic::new(node, name, sensor_data())?),
            SensorKind::Imu(_) => Self::Imu(Topic::new(node, name, sensor_data())?),
            SensorKind::Bumper => Self::Bumper(Topic::new(node, name, QoS::keep_last(10))?),
            SensorKind::Position { .. } => Self::Position(Topic::new(node, name, sensor_data())?),
            SensorKind::Camera(_) => Self::Depth(
                Topic::new(node, format!("{name}/depth/image_raw"), sensor_data())?,
                Topic::new(node, format!("{name}/depth/camera_info"), sensor_data())?,
            ),
        })
    }
}

impl RobotTopics {
    /// Opens the topics of a robot. With an executor, its description and the frames of its sensors are published, too.
    pub(crate) fn new(
        node: &Node,
        spec: &RobotSpec,
        executor: Option<&ExecutorHandle>,
    ) -> Result<Self, NodeError> {
        let topic = |name: &str| messages::topic(spec, name);
        let command = Arc::new(Mutex::new(None));
        let commands = node.subscription(&topic("cmd_vel")).qos(QoS::keep_last(1)).callback({
            let command = command.clone();
            move |twist: Twist| {
                // A command that is not finite must not replace a waiting command.
                let new = messages::command(&twist);
                if [new.forward, new.left, new.turn].iter().all(|speed| speed.is_finite()) {
                    *lock(&command) = Some(new);
                }
            }
        })?;
        let sensors = spec.model.sensors.iter().map(|sensor| SensorTopic::new(node, spec, sensor));
        let transforms = if has_own_frames(spec) { topic("tf") } else { "/tf".into() };
        Ok(Self {
            odometry: Topic::new(node, topic("odom"), QoS::keep_last(1))?,
            transforms: Topic::new(node, transforms, QoS::keep_last(100))?,
            joints: Topic::new(node, topic("joint_states"), QoS::keep_last(10))?,
            sensors: sensors.collect::<Result<_, _>>()?,
            _commands: commands,
            _description: executor.and_then(|executor| Described::new(node, spec, executor)),
            command,
            spec: spec.clone(),
        })
    }

    /// Returns the robot.
    pub(crate) fn spec(&self) -> &RobotSpec {
        &self.spec
    }

    /// Returns the command that came since the last call.
    pub(crate) fn take_command(&self) -> Option<Command> {
        lock(&self.command).take()
    }

    pub(crate) fn publish(
        &self,
        digest: &mut Digest,
        sensor: usize,
        reading: Reading,
        now: Time,
    ) -> Result<(), PublishValueError> {
        let model = &self.spec.model;
        match reading {
            Reading::Odometry(reading) => {
                let (odometry, transforms) = messages::odometry(model, &reading, now);
                digest.publish(&self.odometry, &odometry)?;
                return digest.publish(&self.transforms, &transforms);
            }
            Reading::Joints(reading) => {
                return digest.publish(&self.joints, &messages::joints(model, reading, now));
            }
            _ => {}
        }
        let kind = &model.sensors[sensor];
        match (&self.sensors[sensor], reading, &kind.kind) {
            (SensorTopic::Scan(topic), Reading::Scan(scan), SensorKind::Lidar(lidar)) => {
                digest.publish(topic, &messages::scan(kind, lidar, &scan, now))
            }
            (SensorTopic::Imu(topic), Reading::Imu(imu), _) => {
                digest.publish(topic, &messages::imu(kind, &imu, now))
            }
            (SensorTopic::Bumper(topic), Reading::Bumper(data), _) => digest.publish(topic, &Bool { data }),
            (SensorTopic::Position(topic), Reading::Position(pose), _) => {
                digest.publish(topic, &messages::position(kind, &pose, now))
            }
            (SensorTopic::Depth(image, info), Reading::Depth(depth), SensorKind::Camera(camera)) => {
                digest.publish(info, &messages::camera_info(kind, camera, now))?;
                digest.publish(image, &messages::depth(kind, camera, &depth, now))
            }
            _ => unreachable!("a sensor tells what its kind measures"),
        }
    }
}
