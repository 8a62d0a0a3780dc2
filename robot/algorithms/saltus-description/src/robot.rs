//! A description: a tree of links.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    DescriptionError, Joint, Link, Mimic,
    read::{self, RobotParts},
};

/// The description of a robot.
///
/// **Invariant:** the links are a tree: each link except the root is the child of exactly one joint, and all are below the root. The
/// joints are in the order of the text.
#[derive(Clone, Debug)]
pub struct Description {
    name: String,
    root: String,
    links: Vec<Link>,
    joints: Vec<Joint>,
    /// The index of each joint in `joints`, by its name.
    joint_indices: BTreeMap<String, usize>,
    /// The indices of the joints below each link, by the name of the link.
    below: BTreeMap<String, Vec<usize>>,
}

impl Description {
    /// Reads a description in URDF.
    ///
    /// # Errors
    ///
    /// Fails if the text is not URDF, or if its links and joints are not a tree.
    pub fn parse(text: &str) -> Result<Self, DescriptionError> {
        let RobotParts { name, links, joints } = read::read(text)?;
        let root = root(&links, &joints)?;
        check_mimics(&joints)?;
        let (mut joint_indices, mut below) = (BTreeMap::new(), BTreeMap::<_, Vec<_>>::new());
        for (index, joint) in joints.iter().enumerate() {
            joint_indices.insert(joint.name.clone(), index);
            below.entry(joint.parent.clone()).or_default().push(index);
        }
        Ok(Self { name, root, links, joints, joint_indices, below })
    }

    /// Returns the name of the robot.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name of the root link.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// Returns all links.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Returns all joints.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Returns a joint by its name.
    pub fn joint(&self, name: &str) -> Option<&Joint> {
        self.joint_indices.get(name).map(|index| &self.joints[*index])
    }

    /// Returns the joints whose parent is a link.
    pub fn below(&self, link: &str) -> impl Iterator<Item = &Joint> {
        self.below.get(link).into_iter().flatten().map(|index| &self.joints[*index])
    }

    /// Returns warnings about likely mistakes: joints that mimic a joint that does not exist or has no position. Such a joint moves only
    /// if its own position is set.
    pub fn warnings(&self) -> Vec<String> {
        let warning = |joint: &Joint| {
            let source = &joint.mimic.as_ref()?.joint;
            let reason = match self.joint(source) {
                None => "does not exist",
                Some(source) if !source.kind.has_position() => "has no position",
                Some(_) => return None,
            };
            Some(format!("the joint `{}` mimics `{source}`, which {reason}", joint.name))
        };
        self.joints.iter().filter_map(warning).collect()
    }
}

/// Checks that links and joints are a tree. Returns the name of its root.
fn root(links: &[Link], joints: &[Joint]) -> Result<String, DescriptionError> {
    let error = |text: String| Err(DescriptionError::Tree(text));
    let mut names = BTreeSet::new();
    for link in links {
        if link.name.is_empty() {
            return error("a link has no name".into());
        }
        if !names.insert(&*link.name) {
            return error(format!("two links have the name `{}`", link.name));
        }
    }
    let (mut known, mut parents) = (BTreeSet::new(), BTreeMap::new());
    for joint in joints {
        let Joint { name, parent, child, .. } = joint;
        if name.is_empty() {
            return error(format!("the joint between `{parent}` and `{child}` has no name"));
        }
        if !known.insert(name) {
            return error(format!("two joints have the name `{name}`"));
        }
        if let Some(missing) = [parent, child].into_iter().find(|link| !names.contains(&***link)) {
            return error(format!("the joint `{name}` needs the link `{missing}`, which does not exist"));
        }
        if let Some(other) = parents.insert(&**child, joint) {
            return error(format!(
                "the link `{child}` is the child of two joints, `{}` and `{name}`",
                other.name
            ));
        }
    }
    let mut roots = links.iter().map(|link| &*link.name).filter(|name| !parents.contains_key(name));
    let Some(root) = roots.next() else {
        return error(match links {
            [] => "the robot has no links".into(),
            _ => "no link is the root: each one is the child of a joint".into(),
        });
    };
    if let Some(other) = roots.next() {
        return error(format!(
            "two links have no parent, `{root}` and `{other}`; only the root may have none"
        ));
    }
    let below = reachable(root, joints);
    match links.iter().find(|link| !below.contains(&*link.name)) {
        Some(link) => error(format!("the link `{}` is in a loop of joints", link.name)),
        None => Ok(root.to_owned()),
    }
}

/// Returns the names of a link and of all links below it.
fn reachable<'a>(root: &'a str, joints: &'a [Joint]) -> BTreeSet<&'a str> {
    let mut children = BTreeMap::<_, Vec<_>>::new();
    joints.iter().for_each(|joint| children.entry(&*joint.parent).or_default().push(&*joint.child));
    let (mut below, mut next) = (BTreeSet::new(), vec![root]);
    while let Some(link) = next.pop() {
        if below.insert(link) {
            next.extend(children.get(link).into_iter().flatten());
        }
    }
    below
}

/// The maximum length of a chain of joints that mimic each other.
const MAX_CHAIN: usize = 100;

/// Checks that joints do not mimic each other in a loop or in a long chain.
fn check_mimics(joints: &[Joint]) -> Result<(), DescriptionError> {
    let by_name: BTreeMap<_, _> = joints.iter().map(|joint| (&*joint.name, joint)).collect();
    for joint in joints {
        let mut seen = BTreeSet::from([&*joint.name]);
        let mut mimic = joint.mimic.as_ref();
        while let Some(Mimic { joint: source, .. }) = mimic {
            let error = |reason| {
                DescriptionError::Tree(format!(
                    "the joint `{}` mimics `{source}`, which {reason}",
                    joint.name
                ))
            };
            if !seen.insert(source) {
                return Err(error("in turn mimics it"));
            }
            if seen.len() > MAX_CHAIN {
                return Err(error("is too far from a joint that mimics none"));
            }
            mimic = by_name.get(&**source).and_then(|followed| followed.mimic.as_ref());
        }
    }
    Ok(())
}
