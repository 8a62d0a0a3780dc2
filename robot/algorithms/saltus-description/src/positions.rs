//! The positions of all joints, including those that mimic others.

use std::collections::BTreeMap;

use crate::{Description, Joint};

/// The positions of joints. A joint without a position takes it from the joint that it mimics.
///
/// ```
/// use saltus_description::{Description, Positions};
/// # let text = r#"<robot name="hand"><link name="a"/><link name="b"/><link name="c"/>
/// #   <joint name="left" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
/// #   <joint name="right" type="continuous"><parent link="a"/><child link="c"/><axis xyz="0 0 1"/>
/// #     <mimic joint="left" multiplier="-1"/></joint></robot>"#;
/// let hand = Description::parse(text)?; // the joint `right` mimics `left` with the factor -1
/// let mut positions = Positions::default();
/// positions.set("left", 0.5);
/// assert_eq!(positions.of(&hand, "right"), Some(-0.5));
/// # Ok::<(), saltus_description::DescriptionError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Positions(BTreeMap<String, f64>);

impl Positions {
    /// Sets the position of a joint, in radians or metres.
    pub fn set(&mut self, joint: impl Into<String>, position: f64) {
        self.0.insert(joint.into(), position);
    }

    /// Returns the position of a joint in radians or metres, or `None` if it is not known. A position that was set counts even if the
    /// joint mimics another one, because the driver of the joint knows it better.
    pub fn of(&self, robot: &Description, joint: &str) -> Option<f64> {
        let (mut factor, mut offset, mut joint) = (1.0, 0.0, joint);
        // A description has no loops of joints that mimic each other.
        loop {
            if let Some(position) = self.0.get(joint) {
                return Some(factor * position + offset);
            }
            let mimic = robot.joint(joint).and_then(|Joint { mimic, .. }| mimic.as_ref())?;
            offset += factor * mimic.offset;
            factor *= mimic.multiplier;
            joint = &mimic.joint;
        }
    }
}
