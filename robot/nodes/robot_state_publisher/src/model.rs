//! The transforms of a message with positions. Without I/O.

use std::{collections::BTreeMap, time::Duration};

use saltus::{
    Time,
    msgs::sensor_msgs::msg::JointState,
    tf::{StampedTransform, Transform},
};
use saltus_description::{Description, Joint, JointKind, Positions};

/// The values of the parameters.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The time between two transforms of a joint, at least.
    pub(crate) interval: Duration,
    /// Whether each message is sent.
    pub(crate) ignore_timestamp: bool,
    /// The prefix of the names of all frames.
    pub(crate) frame_prefix: String,
}

/// The transforms of a message.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Update {
    pub(crate) transforms: Vec<StampedTransform>,
    /// A position that is not a finite number, if there is one: its joint and those that mimic it are left out.
    pub(crate) warning: Option<String>,
}

/// A robot, and the stamps of its last transforms.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) settings: Settings,
    description: Description,
    /// The stamps of the last transforms, by joint.
    sent: BTreeMap<String, Time>,
    last_message: Time,
}

impl Model {
    pub(crate) fn new(description: Description, settings: Settings) -> Self {
        Self { settings, description, sent: BTreeMap::new(), last_message: Time::default() }
    }

    pub(crate) fn description(&self) -> &Description {
        &self.description
    }

    /// Returns the transforms of the fixed joints. As in ROS 2, planar ones count as fixed.
    pub(crate) fn fixed(&self, now: Time) -> Vec<StampedTransform> {
        let is_fixed = |joint: &&Joint| matches!(joint.kind, JointKind::Fixed | JointKind::Planar);
        let joints = self.description.joints().iter().filter(is_fixed);
        joints.map(|joint| self.stamped(joint, now, joint.transform(0.0))).collect()
    }

    /// Returns the transforms that a message gives: none if the last ones of its joints were sent less than the interval
    /// before. If time has gone back, the old stamps are forgotten.
    ///
    /// # Errors
    ///
    /// Returns an error if there are not as many positions as names.
    pub(crate) fn update(&mut self, message: &JointState, now: Time) -> Result<Update, String> {
        let JointState { header, name: names, position: positions, .. } = message;
        if names.len() != positions.len() {
            let (names, positions) = (names.len(), positions.len());
            return Err(format!("a message of joint states has {names} names, but {positions} positions"));
        }
        if now < self.last_message {
            self.sent.clear();
        }
        self.last_message = now;
        let stamp = Time::from(header.stamp);
        if !self.settings.ignore_timestamp && !self.is_due(names, stamp) {
            return Ok(Update::default());
        }
        let (mut known, mut warning) = (Positions::default(), None);
        for (name, position) in names.iter().zip(positions) {
            if self.description.joint(name).is_some() {
                known.set(name, *position);
                self.sent.insert(name.clone(), stamp);
                if warning.is_none() && !position.is_finite() {
                    warning = Some(format!("the position of the joint `{name}` is {position}"));
                }
            }
        }
        let moving = self.description.joints().iter().filter(|joint| joint.kind.has_position());
        let placed = moving.filter_map(|joint| Some((joint, known.of(&self.description, &joint.name)?)));
        let finite = placed.filter(|(_, position)| position.is_finite());
        let transforms =
            finite.map(|(joint, position)| self.stamped(joint, stamp, joint.transform(position)));
        Ok(Update { transforms: transforms.collect(), warning })
    }

    /// Whether the oldest transform of these joints is at least as old as the interval. As in ROS 2, it is in whole
    /// milliseconds, so that joint states of exactly this frequency are all sent.
    fn is_due(&self, names: &[String], stamp: Time) -> bool {
        let known = names.iter().filter(|name| self.description.joint(name).is_some());
        let last = known.map(|name| self.sent.get(name).copied()).min().flatten();
        let interval = i64::try_from(self.settings.interval.as_millis()).unwrap_or(i64::MAX);
        let interval = interval.saturating_mul(1_000_000);
        last.is_none_or(|last| stamp.as_nanos() >= last.as_nanos().saturating_add(interval))
    }

    fn stamped(&self, joint: &Joint, stamp: Time, transform: Transform) -> StampedTransform {
        let frame = |link: &str| format!("{}{link}", self.settings.frame_prefix);
        StampedTransform::new(&frame(&joint.parent), &frame(&joint.child), stamp, transform)
    }
}
