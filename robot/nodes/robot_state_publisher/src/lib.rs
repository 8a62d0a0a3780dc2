//! Publishes the description of a robot, and the transforms of its joints, as ROS 2's package of this name does.
//!
//! | name | description |
//! |---|---|
//! | `robot_description` (parameter) | the description in URDF; required. It may be changed while the node runs |
//! | `publish_frequency` (parameter) | the highest rate of the transforms of joints, in hertz; 20 |
//! | `ignore_timestamp` (parameter) | whether each message is sent, with any stamp; false |
//! | `frame_prefix` (parameter) | the prefix of the names of all frames; empty |
//! | `joint_states` (subscription) | the positions of joints |
//! | `robot_description` (publisher) | the description, for late joiners, too |
//! | `/tf` (publisher) | the transforms of joints that move, and of those that mimic them |
//! | `/tf_static` (publisher) | the transforms of fixed joints |

mod model;
#[cfg(test)]
mod tests;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use model::{Model, Settings, Update};
use saltus::{
    Node, Publisher, QoS, Subscription,
    component::{Component, ComponentError, NodeOptions},
    msgs::{sensor_msgs::msg::JointState, std_msgs::msg::String as Text},
    param::{Parameter, ParameterCallback, ParameterValue},
    tf::{StaticTransformBroadcaster, TransformBroadcaster},
    types::lock,
};
use saltus_description::Description;

saltus::component!("robot_state_publisher::RobotStatePublisher", RobotStatePublisher);

const DESCRIPTION: &str = "robot_description";
const FREQUENCY: &str = "publish_frequency";
const IGNORE_TIMESTAMP: &str = "ignore_timestamp";
const FRAME_PREFIX: &str = "frame_prefix";

/// Publishes the description of a robot, and the transforms of its joints.
#[derive(Debug)]
pub struct RobotStatePublisher {
    node: Node,
    _joint_states: Subscription<JointState>,
    _on_parameters: [ParameterCallback; 2],
}

impl Component for RobotStatePublisher {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        let node = options.node("robot_state_publisher").create()?;
        let text: String = node
            .parameter(DESCRIPTION)
            .description("The description of the robot in URDF")
            .declare(String::new())?;
        if text.is_empty() {
            return Err(format!(
                "the parameter `{DESCRIPTION}` must not be empty: it is the URDF of the robot"
            )
            .into());
        }
        let frequency = node
            .parameter(FREQUENCY)
            .description("How often transforms are sent at most, in hertz")
            .floating_point_range(1e-3, 1000.0, 0.0)
            .declare(20.0)?;
        let settings = Settings {
            interval: interval(frequency),
            ignore_timestamp: node.declare_parameter(IGNORE_TIMESTAMP, false)?,
            frame_prefix: node.declare_parameter(FRAME_PREFIX, String::new())?,
        };
        let state = Arc::new(State {
            description: node.publisher(DESCRIPTION).qos(QoS::keep_last(1).transient_local()).create()?,
            moving: TransformBroadcaster::new(&node)?,
            sent: Mutex::new(Sent {
                statics: StaticTransformBroadcaster::new(&node)?,
                model: Model::new(Description::parse(&text)?, settings),
            }),
            node: node.clone(),
        });
        state.announce(&text)?;
        let check = node.on_set_parameters(check);
        let apply = node.on_post_set_parameters({
            let state = state.clone();
            move |changed| state.apply(changed)
        });
        let joint_states = node
            .subscription("joint_states")
            .qos(QoS::sensor_data())
            .callback(move |message: JointState| state.receive(&message))?;
        Ok(Self { node, _joint_states: joint_states, _on_parameters: [check, apply] })
    }

    fn node(&self) -> &Node {
        &self.node
    }
}

/// The state that the callbacks share.
struct State {
    node: Node,
    description: Publisher<Text>,
    moving: TransformBroadcaster,
    sent: Mutex<Sent>,
}

struct Sent {
    statics: StaticTransformBroadcaster,
    model: Model,
}

impl State {
    /// Publishes the description and the fixed transforms.
    fn announce(&self, text: &str) -> Result<(), ComponentError> {
        let Sent { statics, model } = &*lock(&self.sent);
        for link in model.description().links() {
            saltus::debug!(self.node.logger(), "got segment {}", link.name);
        }
        for warning in model.description().warnings() {
            saltus::warn!(self.node.logger(), "{warning}");
        }
        self.description.publish(&Text { data: text.into() })?;
        Ok(statics.send(&model.fixed(self.node.clock().now()))?)
    }

    fn receive(&self, message: &JointState) {
        let now = self.node.clock().now();
        let updated = lock(&self.sent).model.update(message, now);
        let Update { transforms, warning } =
            updated.unwrap_or_else(|error| Update { warning: Some(error), ..Update::default() });
        if let Some(warning) = warning {
            saltus::log::warn_throttle!(self.node.logger(), TELL_AGAIN, "{warning}");
        }
        if transforms.is_empty() {
            return;
        }
        if let Err(error) = self.moving.send(&transforms) {
            saltus::error!(self.node.logger(), "can't send the transforms of joints: {error}");
        }
    }

    /// Applies parameters that were checked.
    fn apply(&self, changed: &[Parameter]) {
        for Parameter { name, value } in changed {
            let done = match (&**name, value) {
                (DESCRIPTION, ParameterValue::String(text)) => self.describe(text),
                (FREQUENCY, ParameterValue::Double(hertz)) => {
                    lock(&self.sent).model.settings.interval = interval(*hertz);
                    Ok(())
                }
                (IGNORE_TIMESTAMP, ParameterValue::Bool(ignore)) => {
                    lock(&self.sent).model.settings.ignore_timestamp = *ignore;
                    Ok(())
                }
                (FRAME_PREFIX, ParameterValue::String(prefix)) => self.rename(prefix),
                _ => Ok(()),
            };
            if let Err(error) = done {
                saltus::error!(self.node.logger(), "can't apply the parameter `{name}`: {error}");
            }
        }
    }

    fn describe(&self, text: &str) -> Result<(), ComponentError> {
        let description = Description::parse(text)?;
        self.replace(|settings| Model::new(description, settings))?;
        self.announce(text)
    }

    fn rename(&self, prefix: &str) -> Result<(), ComponentError> {
        let description = lock(&self.sent).model.description().clone();
        let model = |settings| Model::new(description, Settings { frame_prefix: prefix.into(), ..settings });
        self.replace(model)?;
        let Sent { statics, model } = &*lock(&self.sent);
        Ok(statics.send(&model.fixed(self.node.clock().now()))?)
    }

    /// Replaces the model. Late joiners must not get the frames of the old one, so its publisher is closed.
    fn replace(&self, model: impl FnOnce(Settings) -> Model) -> Result<(), ComponentError> {
        let statics = StaticTransformBroadcaster::new(&self.node)?;
        let mut sent = lock(&self.sent);
        let model = model(sent.model.settings.clone());
        *sent = Sent { statics, model };
        Ok(())
    }
}

/// The time in which a warning is not repeated.
const TELL_AGAIN: Duration = Duration::from_secs(10);

fn interval(hertz: f64) -> Duration {
    Duration::from_secs_f64(1.0 / hertz)
}

/// Refuses a description that can't be read.
fn check(changed: &[Parameter]) -> Result<(), String> {
    for Parameter { name, value } in changed {
        if let (DESCRIPTION, ParameterValue::String(text)) = (&**name, value) {
            Description::parse(text).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}
