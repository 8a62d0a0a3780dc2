//! The positions of joints. Without I/O.

use std::{collections::BTreeMap, f64::consts::PI};

use saltus::{
    Time,
    msgs::{sensor_msgs::msg::JointState, std_msgs::msg::Header},
};
use saltus_description::{Description, Joint, JointKind};

/// The values of the parameters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) defaults: Defaults,
    /// Whether the elements `mimic` of the description are used.
    pub(crate) mimic: bool,
    /// Whether soft limits are used.
    pub(crate) soft_limits: bool,
    /// The default positions of joints.
    pub(crate) zeros: BTreeMap<String, f64>,
    /// Joints that follow others.
    pub(crate) dependent: BTreeMap<String, Dependence>,
}

/// The kinds of default values that are published.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Defaults {
    pub(crate) positions: bool,
    pub(crate) velocities: bool,
    pub(crate) efforts: bool,
}

/// A joint that follows another one: `factor` times its position, plus `offset`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dependence {
    pub(crate) parent: String,
    pub(crate) factor: f64,
    pub(crate) offset: f64,
}

/// The joints of a robot, in the order of its description.
#[derive(Debug)]
pub(crate) struct Joints {
    names: Vec<String>,
    free: BTreeMap<String, Values>,
    /// Each one follows a joint of this robot, and at the end a free one.
    dependent: BTreeMap<String, Dependence>,
    /// Joints that should follow others, which are not in the robot or have no position. They are free.
    pub(crate) unresolved: Vec<(String, String)>,
}

/// The values of a joint; `None` if it has none that are to be published.
#[derive(Clone, Copy, Debug, Default)]
struct Values {
    position: Option<f64>,
    velocity: Option<f64>,
    effort: Option<f64>,
}

impl Joints {
    /// # Errors
    ///
    /// Returns an error if joints follow each other in a loop.
    pub(crate) fn new(robot: &Description, settings: &Settings) -> Result<Self, String> {
        let moving: Vec<&Joint> = robot.joints().iter().filter(|joint| joint.kind.has_position()).collect();
        let names: Vec<String> = moving.iter().map(|joint| joint.name.clone()).collect();
        let all = moving.iter().filter_map(|joint| Some((joint.name.clone(), dependence(joint, settings)?)));
        let has_position = |name: &str| robot.joint(name).is_some_and(|joint| joint.kind.has_position());
        let (dependent, unresolved): (BTreeMap<_, _>, BTreeMap<_, _>) =
            all.partition(|(_, dependence)| has_position(&dependence.parent));
        let free = moving.iter().filter(|joint| !dependent.contains_key(&joint.name));
        let free = free.map(|joint| (joint.name.clone(), values(joint, settings))).collect();
        let unresolved = unresolved.into_iter().map(|(name, dependence)| (name, dependence.parent)).collect();
        let joints = Self { names, free, dependent, unresolved };
        match joints.names.iter().find_map(|name| joints.loop_of(name)) {
            Some(names) => Err(format!("joints follow each other in a loop: {names}")),
            None => Ok(joints),
        }
    }

    /// Returns the names of the joints that a joint follows, if they follow it.
    fn loop_of(&self, name: &str) -> Option<String> {
        let next = |name: &&str| self.dependent.get(*name).map(|dependence| &*dependence.parent);
        let parents: Vec<&str> =
            std::iter::successors(next(&name), next).take(self.dependent.len()).collect();
        let end = parents.iter().position(|parent| *parent == name)?;
        Some(format!("{name} follows {}", parents[..=end].join(", which follows ")))
    }

    /// Updates the joints that follow no other one with a message of another node.
    pub(crate) fn update(&mut self, message: &JointState) {
        for (index, name) in message.name.iter().enumerate() {
            if let Some(values) = self.free.get_mut(name) {
                let heard = |list: &[f64], before| list.get(index).copied().or(before);
                values.position = heard(&message.position, values.position);
                values.velocity = heard(&message.velocity, values.velocity);
                values.effort = heard(&message.effort, values.effort);
            }
        }
    }

    /// Returns the message. As in ROS 2, a list of values is empty if no joint has such a value, and a value that is not
    /// known is 0.
    pub(crate) fn message(&self, now: Time) -> JointState {
        let all: Vec<Values> = self.names.iter().map(|name| self.values(name)).collect();
        let list = |value: fn(&Values) -> Option<f64>| match all.iter().any(|values| value(values).is_some())
        {
            true => all.iter().map(|values| value(values).unwrap_or_default()).collect(),
            false => Vec::new(),
        };
        JointState {
            header: Header { stamp: now.into(), ..Header::default() },
            name: self.names.clone(),
            position: list(|values| values.position),
            velocity: list(|values| values.velocity),
            effort: list(|values| values.effort),
        }
    }

    /// Returns the values of a joint.
    fn values(&self, name: &str) -> Values {
        let (mut factor, mut offset, mut name) = (1.0, 0.0, name);
        loop {
            if let Some(values) = self.free.get(name) {
                return Values {
                    position: values.position.map(|position| factor * position + offset),
                    velocity: values.velocity.map(|velocity| factor * velocity),
                    effort: values.effort,
                };
            }
            let dependence = &self.dependent[name];
            offset += factor * dependence.offset;
            factor *= dependence.factor;
            name = &dependence.parent;
        }
    }
}

/// Returns the joint that a joint follows. As in ROS 2, the description overrides parameters.
fn dependence(joint: &Joint, settings: &Settings) -> Option<Dependence> {
    let mimic = joint.mimic.as_ref().filter(|_| settings.mimic);
    let of_mimic = mimic.map(|mimic| Dependence {
        parent: mimic.joint.clone(),
        factor: mimic.multiplier,
        offset: mimic.offset,
    });
    of_mimic.or_else(|| settings.dependent.get(&joint.name).cloned())
}

/// Returns the default values of a joint.
fn values(joint: &Joint, settings: &Settings) -> Values {
    let (lower, upper) = limits(joint, settings.soft_limits);
    let middle = || if lower > 0.0 || upper < 0.0 { f64::midpoint(lower, upper) } else { 0.0 };
    let zero = settings.zeros.get(&joint.name).copied().unwrap_or_else(middle);
    let Defaults { positions, velocities, efforts } = settings.defaults;
    Values {
        position: positions.then_some(zero),
        velocity: velocities.then_some(0.0),
        effort: efforts.then_some(0.0),
    }
}

/// Returns the lowest and the highest position.
fn limits(joint: &Joint, with_soft: bool) -> (f64, f64) {
    let (lower, upper) = match joint.kind {
        JointKind::Continuous => (-PI, PI),
        _ => joint.limits.map_or((0.0, 0.0), |limits| (limits.lower, limits.upper)),
    };
    match joint.soft_limits.filter(|_| with_soft) {
        Some((soft_lower, soft_upper)) => (lower.max(soft_lower), upper.min(soft_upper)),
        None => (lower, upper),
    }
}
