//! Publishes the positions of all joints of a robot, as ROS 2's package of this name does: those of other nodes, and defaults for
//! the rest.
//!
//! | name | description |
//! |---|---|
//! | `robot_description` (subscription) | the description in URDF, which `robot_state_publisher` publishes |
//! | `joint_states` (publisher) | the positions of all joints |
//! | `rate` (parameter) | the rate at which they are published, in hertz; 10 |
//! | `source_list` (parameter) | the topics with positions of other nodes |
//! | `zeros.NAME` (parameters) | the default positions of joints; otherwise 0, or the middle of the limits |
//! | `dependent_joints.NAME.parent`, `.factor`, `.offset` (parameters) | joints that follow others |
//! | `publish_default_positions` (parameter) | whether default positions are published; true |
//! | `publish_default_velocities`, `publish_default_efforts` (parameters) | the same for velocities and efforts; false |
//! | `use_mimic_tags` (parameter) | whether the elements `mimic` of the description are used; true |
//! | `use_smallest_joint_limits` (parameter) | whether soft limits are used; true |

mod joints;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};

use joints::{Defaults, Dependence, Joints, Settings};
use saltus::{
    Node, QoS, Subscription, Timer,
    component::{Component, ComponentError, NodeOptions},
    msgs::{sensor_msgs::msg::JointState, std_msgs::msg::String as Text},
    param::ParameterValue,
    types::lock,
};
use saltus_description::Description;

saltus::component!("joint_state_publisher::JointStatePublisher", JointStatePublisher);

/// The time in which a warning is not repeated.
const TELL_AGAIN: Duration = Duration::from_secs(10);

/// Publishes the positions of all joints of a robot.
#[derive(Debug)]
pub struct JointStatePublisher {
    node: Node,
    _subscriptions: (Subscription<Text>, Vec<Subscription<JointState>>),
    _timer: Timer,
}

impl Component for JointStatePublisher {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        let builder = options.node("joint_state_publisher");
        let node =
            builder.allow_undeclared_parameters(true).automatically_declare_parameters_from_overrides(true);
        let node = node.create()?;
        let rate = rate(&node)?;
        let settings = settings(&node)?;
        let joints = Arc::new(Mutex::new(None::<Joints>));
        let description = node.subscription("robot_description").qos(QoS::keep_last(1).transient_local());
        let description = description.callback({
            let (joints, logger) = (joints.clone(), node.logger());
            move |text: Text| {
                let robot = Description::parse(&text.data).map_err(|error| error.to_string());
                let new = match robot.and_then(|robot| Joints::new(&robot, &settings)) {
                    Ok(new) => new,
                    Err(error) => return saltus::error!(logger, "the description is refused: {error}"),
                };
                for (name, parent) in &new.unresolved {
                    saltus::warn!(logger, "the joint `{name}` follows `{parent}`, which has no position");
                }
                *lock(&joints) = Some(new);
            }
        })?;
        let topics: Vec<String> = declared(&node, "source_list", Vec::new())?;
        let sources = topics.iter().map(|topic| source(&node, topic, &joints)).collect::<Result<_, _>>()?;
        let publisher = node.publisher("joint_states").create()?;
        let (clock, logger) = (node.clock().clone(), node.logger());
        let timer = node.timer(Duration::from_secs_f64(1.0 / rate)).callback(move || {
            let Some(joints) = &*lock(&joints) else {
                return saltus::log::info_throttle!(
                    logger,
                    TELL_AGAIN,
                    "Waiting for a valid robot_description to be published on the robot_description topic..."
                );
            };
            let message = joints.message(clock.now());
            if message.name.is_empty() {
                return;
            }
            if let Err(error) = publisher.publish(&message) {
                saltus::error!(logger, "can't publish the positions of joints: {error}");
            }
        })?;
        Ok(Self { node, _subscriptions: (description, sources), _timer: timer })
    }

    fn node(&self) -> &Node {
        &self.node
    }
}

/// Subscribes to a topic with positions of another node.
fn source(
    node: &Node,
    topic: &str,
    joints: &Arc<Mutex<Option<Joints>>>,
) -> Result<Subscription<JointState>, ComponentError> {
    let joints = joints.clone();
    Ok(node.subscription(topic).callback(move |message: JointState| {
        if let Some(joints) = &mut *lock(&joints) {
            joints.update(&message);
        }
    })?)
}

/// Returns the rate at which the positions are published, in Hz. It can't be changed while the node runs.
fn rate(node: &Node) -> Result<f64, ComponentError> {
    const RATE: &str = "rate";
    // In ROS 2 it is an integer. A value of the user is declared already, without a range.
    if node.has_parameter(RATE) {
        node.undeclare_parameter(RATE)?;
    }
    let parameter = node.parameter(RATE).dynamic_typing().read_only().floating_point_range(1e-3, 1000.0, 0.0);
    parameter.declare_value(ParameterValue::Double(10.0))?;
    match number(node, RATE)? {
        rate if (1e-3..=1000.0).contains(&rate) => Ok(rate),
        rate => Err(format!("the parameter `{RATE}` must be 0.001 to 1000 Hz, found {rate}").into()),
    }
}

/// Returns a parameter. It is declared already if the user has set it.
fn declared<T: saltus::param::ParameterVariant>(
    node: &Node,
    name: &str,
    default: T,
) -> Result<T, ComponentError> {
    if node.has_parameter(name) {
        return Ok(node.get_parameter(name)?);
    }
    Ok(node.declare_parameter(name, default)?)
}

fn settings(node: &Node) -> Result<Settings, ComponentError> {
    let defaults = Defaults {
        positions: declared(node, "publish_default_positions", true)?,
        velocities: declared(node, "publish_default_velocities", false)?,
        efforts: declared(node, "publish_default_efforts", false)?,
    };
    Ok(Settings {
        defaults,
        mimic: declared(node, "use_mimic_tags", true)?,
        soft_limits: declared(node, "use_smallest_joint_limits", true)?,
        zeros: zeros(node)?,
        dependent: dependent(node)?,
    })
}

fn number(node: &Node, name: &str) -> Result<f64, ComponentError> {
    match node.parameter_value(name)? {
        ParameterValue::Double(number) if number.is_finite() => Ok(number),
        ParameterValue::Integer(number) => Ok(number as f64),
        ParameterValue::Double(number) => {
            Err(format!("the parameter `{name}` must be finite, found {number}").into())
        }
        _ => Err(format!("the parameter `{name}` must be a number").into()),
    }
}

/// Returns the parameters `zeros.NAME`.
fn zeros(node: &Node) -> Result<BTreeMap<String, f64>, ComponentError> {
    const PREFIX: &str = "zeros.";
    let names = node.parameter_overrides().iter().filter_map(|(name, _)| name.strip_prefix(PREFIX));
    names.map(|joint| Ok((joint.into(), number(node, &format!("{PREFIX}{joint}"))?))).collect()
}

/// Returns the parameters `dependent_joints.NAME.parent`, `.factor` and `.offset`.
fn dependent(node: &Node) -> Result<BTreeMap<String, Dependence>, ComponentError> {
    const PREFIX: &str = "dependent_joints.";
    let names = node.parameter_overrides().iter().filter_map(|(name, _)| name.strip_prefix(PREFIX));
    let mut joints = BTreeSet::new();
    for name in names {
        match name.rsplit_once('.') {
            Some((joint, "parent" | "factor" | "offset")) => joints.insert(joint),
            _ => {
                let text = "its name must end with `.parent`, `.factor` or `.offset`";
                return Err(format!("the parameter `{PREFIX}{name}` is unknown: {text}").into());
            }
        };
    }
    let number_or = |name: String, default| match node.has_parameter(&name) {
        true => number(node, &name),
        false => Ok(default),
    };
    let dependence = |joint: &str| -> Result<_, ComponentError> {
        let parent = format!("{PREFIX}{joint}.parent");
        if !node.has_parameter(&parent) {
            return Err(format!(
                "the parameter `{parent}` is missing: it is the joint that `{joint}` follows"
            )
            .into());
        }
        let parent = node.get_parameter(&parent)?;
        let factor = number_or(format!("{PREFIX}{joint}.factor"), 1.0)?;
        let offset = number_or(format!("{PREFIX}{joint}.offset"), 0.0)?;
        Ok((joint.to_owned(), Dependence { parent, factor, offset }))
    };
    joints.into_iter().map(dependence).collect()
}
