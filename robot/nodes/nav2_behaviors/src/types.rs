//! The behaviors by name.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use saltus::{component::ComponentError, executor::CallbackGroup, lifecycle::LifecycleNode};

use crate::{
    motions::{Backing, Driving, Spinning},
    robot::Robot,
    teleop::Teleop,
    timed::{Server, TimedBehavior},
    waiting::Waiting,
};

/// What the server of a behavior is opened with.
pub struct Opening<'a> {
    pub(crate) node: &'a LifecycleNode,
    pub(crate) group: &'a CallbackGroup,
    pub(crate) name: &'a str,
    pub(crate) robot: &'a Arc<Robot>,
    pub(crate) timeout: Duration,
}

impl std::fmt::Debug for Opening<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opening").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A behavior that clients can ask for, while it is active.
pub trait Served: Send {
    /// Accepts goals from now on.
    fn activate(&self);

    /// Rejects goals from now on.
    fn deactivate(&self);
}

impl<B: TimedBehavior> Served for Arc<Server<B>> {
    fn activate(&self) {
        Server::activate(self);
    }

    fn deactivate(&self) {
        Server::deactivate(self);
    }
}

/// Opens the action of a behavior.
///
/// # Errors
///
/// Returns an error if it can't be opened.
pub fn serve<B: TimedBehavior>(opening: &Opening<'_>) -> Result<Box<dyn Served>, ComponentError> {
    let Opening { node, group, name, robot, timeout } = opening;
    Ok(Box::new(Server::<B>::open(node, group, name, robot, *timeout)?))
}

type Serve = fn(&Opening<'_>) -> Result<Box<dyn Served>, ComponentError>;

/// The types of behaviors that a server knows, by their names.
#[derive(Clone)]
pub struct BehaviorTypes(BTreeMap<String, Serve>);

impl std::fmt::Debug for BehaviorTypes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl BehaviorTypes {
    /// Returns the behaviors of Nav2.
    pub fn standard() -> Self {
        let mut types = Self(BTreeMap::new());
        types
            .add("nav2_behaviors::Spin", serve::<Spinning>)
            .add("nav2_behaviors::BackUp", serve::<Backing>)
            .add("nav2_behaviors::DriveOnHeading", serve::<Driving>)
            .add("nav2_behaviors::Wait", serve::<Waiting>)
            .add("nav2_behaviors::AssistedTeleop", serve::<Teleop>);
        types
    }

    /// Adds a type: `serve` opens its action, such as [`serve::<MyBehavior>`](serve). One with the same name is replaced.
    pub fn add(&mut self, kind: &str, serve: Serve) -> &mut Self {
        self.0.insert(kind.to_owned(), serve);
        self
    }

    /// Opens the action of a behavior of a type.
    pub(crate) fn open(&self, kind: &str, opening: &Opening<'_>) -> Result<Box<dyn Served>, ComponentError> {
        // Older files say `nav2_recoveries/Spin`, and `nav2_behaviors/Spin`.
        let name = kind.replace('/', "::").replace("nav2_recoveries::", "nav2_behaviors::");
        let Some(serve) = self.0.get(&name) else {
            let known: Vec<&str> = self.0.keys().map(String::as_str).collect();
            let known = known.join(" ");
            return Err(format!(
                "Failed to create behavior {} of type {kind}. Declared types are {known}",
                opening.name
            )
            .into());
        };
        serve(opening)
    }
}
