//! The behaviors by name.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use saltus::{component::ComponentError, executor::CallbackGroup, lifecycle::LifecycleNode};
use saltus_server::CycleServer;

use crate::{
    motions::{Backing, Driving, Spinning},
    robot::Robot,
    teleop::Teleop,
    timed::{BehaviorWork, TimedBehavior},
    waiting::Waiting,
};

/// The parts with which the action of a behavior is opened.
pub struct BehaviorConfig<'a> {
    pub(crate) node: &'a LifecycleNode,
    pub(crate) group: &'a CallbackGroup,
    pub(crate) name: &'a str,
    pub(crate) robot: &'a Arc<Robot>,
    pub(crate) timeout: Duration,
}

impl std::fmt::Debug for BehaviorConfig<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BehaviorConfig").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The action of a behavior.
pub trait BehaviorAction: Send {
    /// Accepts goals from now on.
    fn activate(&self);

    /// Stops the behavior, and rejects goals from now on.
    fn deactivate(&self, node: &LifecycleNode);
}

impl<B: TimedBehavior> BehaviorAction for CycleServer<BehaviorWork<B>> {
    fn activate(&self) {
        CycleServer::activate(self);
    }

    fn deactivate(&self, node: &LifecycleNode) {
        CycleServer::deactivate(self, node);
    }
}

/// Opens the action of a behavior.
///
/// # Errors
///
/// Returns an error if the action can't be opened.
pub fn serve<B: TimedBehavior>(
    config: &BehaviorConfig<'_>,
) -> Result<Box<dyn BehaviorAction>, ComponentError> {
    let BehaviorConfig { node, group, name, robot, timeout } = config;
    B::declare(robot)?;
    let work = BehaviorWork::<B> { name: (*name).to_owned(), robot: Arc::clone(robot), running: None };
    let timer = node.timer(robot.cycle);
    Ok(Box::new(CycleServer::open(node, group, name, *timeout, timer, work)?))
}

type Serve = fn(&BehaviorConfig<'_>) -> Result<Box<dyn BehaviorAction>, ComponentError>;

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

    /// Adds a type: `serve` opens its action, such as [`serve::<MyBehavior>`](serve). A type with the same name is
    /// replaced.
    pub fn add(&mut self, kind: &str, serve: Serve) -> &mut Self {
        self.0.insert(kind.to_owned(), serve);
        self
    }

    /// Opens the action of a behavior of a type.
    pub(crate) fn open(
        &self,
        kind: &str,
        config: &BehaviorConfig<'_>,
    ) -> Result<Box<dyn BehaviorAction>, ComponentError> {
        // Older files say `nav2_recoveries/Spin`, and `nav2_behaviors/Spin`.
        let name = kind.replace('/', "::").replace("nav2_recoveries::", "nav2_behaviors::");
        let Some(serve) = self.0.get(&name) else {
            let known: Vec<&str> = self.0.keys().map(String::as_str).collect();
            let known = known.join(" ");
            return Err(format!(
                "Failed to create behavior {} of type {kind}. Declared types are {known}",
                config.name
            )
            .into());
        };
        serve(config)
    }
}
