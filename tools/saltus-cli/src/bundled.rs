//! The programs that `saltus` contains. They have the packages and names that they have in ROS 2, so that launch files and
//! `saltus run` find them without an installed package.

use std::{env, ffi::OsString, path::PathBuf, process::Command};

// They register their components.
use joint_state_publisher as _;
use nav2_amcl as _;
use nav2_behaviors as _;
use nav2_bt_navigator as _;
use nav2_controller as _;
use nav2_costmap_2d as _;
use nav2_lifecycle_manager as _;
use nav2_map_server as _;
use nav2_planner as _;
use nav2_smoother as _;
use nav2_velocity_smoother as _;
use nav2_waypoint_follower as _;
use robot_state_publisher as _;
use saltus::{
    Context,
    component::{Plugin, run_factory},
};

use saltus_package::Prefix;

use crate::{error::Error, packages::replace_process};

/// A program that `saltus` contains.
#[derive(Debug)]
pub(crate) struct Bundled {
    pub(crate) package: &'static str,
    pub(crate) name: &'static str,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// A component that runs alone.
    Component(&'static str),
    /// A verb, which gets the arguments of the program.
    Verb(&'static [&'static str]),
}

/// All programs, sorted by their packages.
pub(crate) const PROGRAMS: [Bundled; 20] = [
    component("joint_state_publisher", "joint_state_publisher", "joint_state_publisher::JointStatePublisher"),
    component("nav2_amcl", "amcl", "nav2_amcl::AmclNode"),
    component("nav2_behaviors", "behavior_server", "behavior_server::BehaviorServer"),
    component("nav2_bt_navigator", "bt_navigator", "nav2_bt_navigator::BtNavigator"),
    component("nav2_controller", "controller_server", "nav2_controller::ControllerServer"),
    component("nav2_costmap_2d", "nav2_costmap_2d", "nav2_costmap_2d::Costmap2DROS"),
    component("nav2_lifecycle_manager", "lifecycle_manager", "nav2_lifecycle_manager::LifecycleManager"),
    verb("nav2_map_server", "map_saver_cli", &["map", "save"]),
    component("nav2_map_server", "map_saver_server", "nav2_map_server::MapSaver"),
    component("nav2_map_server", "map_server", "nav2_map_server::MapServer"),
    component("nav2_planner", "planner_server", "nav2_planner::PlannerServer"),
    component("nav2_recoveries", "recoveries_server", "recovery_server::RecoveryServer"),
    component("nav2_smoother", "smoother_server", "nav2_smoother::SmootherServer"),
    component("nav2_velocity_smoother", "velocity_smoother", "nav2_velocity_smoother::VelocitySmoother"),
    component("nav2_waypoint_follower", "waypoint_follower", "nav2_waypoint_follower::WaypointFollower"),
    component("robot_state_publisher", "robot_state_publisher", "robot_state_publisher::RobotStatePublisher"),
    verb("teleop_twist_keyboard", "teleop_twist_keyboard", &["teleop"]),
    verb("tf2_ros", "static_transform_publisher", &["tf", "static"]),
    verb("tf2_ros", "tf2_echo", &["tf", "echo"]),
    verb("tf2_ros", "tf2_monitor", &["tf", "monitor"]),
];

/// The package with the launch files of navigation.
pub(crate) const NAVIGATION: &str = saltus_nav_bringup::PACKAGE;

/// Returns a prefix with the files of the packages that `saltus` contains: in the user's folder for caches. `None` if it can't be
/// written.
pub(crate) fn prefix() -> Option<Prefix> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let caches = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
    let folder = caches.join("saltus").join(env!("CARGO_PKG_VERSION"));
    match saltus_nav_bringup::unpack(&folder) {
        Ok(()) => Some(Prefix::new(folder)),
        Err(error) => {
            crate::output::tell!("can't write the files of the package nav to {}: {error}", folder.display());
            None
        }
    }
}

const fn component(package: &'static str, name: &'static str, plugin: &'static str) -> Bundled {
    Bundled { package, name, kind: Kind::Component(plugin) }
}

const fn verb(package: &'static str, name: &'static str, words: &'static [&'static str]) -> Bundled {
    Bundled { package, name, kind: Kind::Verb(words) }
}

/// Returns a program by its package, and by its name or by the plugin name of its component.
pub(crate) fn find(package: &str, name: &str) -> Option<&'static Bundled> {
    let is_it = |bundled: &Bundled| bundled.name == name || bundled.plugin() == Some(name);
    PROGRAMS.iter().find(|bundled| bundled.package == package && is_it(bundled))
}

/// Returns the programs of a package.
pub(crate) fn of_package(package: &str) -> impl Iterator<Item = &'static Bundled> {
    PROGRAMS.iter().filter(move |bundled| bundled.package == package)
}

impl Bundled {
    pub(crate) fn plugin(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Component(plugin) => Some(plugin),
            Kind::Verb(_) => None,
        }
    }

    /// Returns the words of a command line that run this program.
    fn words(&self) -> Vec<&'static str> {
        match self.kind {
            Kind::Component(_) => vec!["run", self.package, self.name],
            Kind::Verb(words) => words.to_vec(),
        }
    }

    /// Returns the command of this program: `saltus` itself.
    pub(crate) fn command(&self) -> Result<Command, Error> {
        let mut command = Command::new(env::current_exe()?);
        command.args(self.words());
        Ok(command)
    }

    /// Runs the program. The arguments of this process are for the node of a component.
    pub(crate) fn run(&self, arguments: &[OsString]) -> Result<(), Error> {
        let Some(plugin) = self.plugin() else {
            let mut command = self.command()?;
            command.args(arguments);
            return Err(replace_process(command));
        };
        // A test below finds all of them.
        let plugin = Plugin::find(self.package, plugin);
        let plugin = plugin.ok_or_else(|| format!("{} is not in this program", self.name))?;
        run_factory(&Context::from_args()?, &plugin.factory()).map_err(|error| error as Error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_component_is_in_this_program() {
        for bundled in &PROGRAMS {
            if let Some(plugin) = bundled.plugin() {
                assert!(Plugin::find(bundled.package, plugin).is_some(), "{plugin}");
            }
        }
    }
}
