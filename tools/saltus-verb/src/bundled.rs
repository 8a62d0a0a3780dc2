//! The programs that Saltus contains. They have the packages and names that they have in ROS 2, so that launch files and
//! `saltus run` find them without an installed package.

use std::{
    os::unix::process::ExitStatusExt,
    path::PathBuf,
    process::{Command, Stdio},
};

use saltus_package::Prefix;

use crate::{error::Error, output::tell, programs::Program};

/// A program that Saltus contains.
#[derive(Debug)]
pub struct Bundled {
    /// The package of the program in ROS 2.
    pub package: &'static str,
    /// The name of the program in ROS 2.
    pub name: &'static str,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// A component of `saltus-robot` that runs alone, by its plugin name.
    Component(&'static str),
    /// A verb of a program, which gets the arguments.
    Verb(Program, &'static [&'static str]),
}

/// All programs, sorted by their packages.
pub const PROGRAMS: [Bundled; 20] = [
    component("joint_state_publisher", "joint_state_publisher", "joint_state_publisher::JointStatePublisher"),
    component("nav2_amcl", "amcl", "nav2_amcl::AmclNode"),
    component("nav2_behaviors", "behavior_server", "behavior_server::BehaviorServer"),
    component("nav2_bt_navigator", "bt_navigator", "nav2_bt_navigator::BtNavigator"),
    component("nav2_controller", "controller_server", "nav2_controller::ControllerServer"),
    component("nav2_costmap_2d", "nav2_costmap_2d", "nav2_costmap_2d::Costmap2DROS"),
    component("nav2_lifecycle_manager", "lifecycle_manager", "nav2_lifecycle_manager::LifecycleManager"),
    verb("nav2_map_server", "map_saver_cli", Program::Robot, &["map", "save"]),
    component("nav2_map_server", "map_saver_server", "nav2_map_server::MapSaver"),
    component("nav2_map_server", "map_server", "nav2_map_server::MapServer"),
    component("nav2_planner", "planner_server", "nav2_planner::PlannerServer"),
    component("nav2_recoveries", "recoveries_server", "recovery_server::RecoveryServer"),
    component("nav2_smoother", "smoother_server", "nav2_smoother::SmootherServer"),
    component("nav2_velocity_smoother", "velocity_smoother", "nav2_velocity_smoother::VelocitySmoother"),
    component("nav2_waypoint_follower", "waypoint_follower", "nav2_waypoint_follower::WaypointFollower"),
    component("robot_state_publisher", "robot_state_publisher", "robot_state_publisher::RobotStatePublisher"),
    verb("teleop_twist_keyboard", "teleop_twist_keyboard", Program::Robot, &["teleop"]),
    verb("tf2_ros", "static_transform_publisher", Program::Saltus, &["tf", "static"]),
    verb("tf2_ros", "tf2_echo", Program::Saltus, &["tf", "echo"]),
    verb("tf2_ros", "tf2_monitor", Program::Saltus, &["tf", "monitor"]),
];

/// The verb of `saltus-robot` that runs a component alone. It is not in the help, because `saltus run` is for users.
pub const RUN: &str = "run";
/// The hidden verb of `saltus-robot` that writes its launch files, parameters and maps, and prints their prefix.
pub const PREFIX: &str = "__prefix";

/// Returns the prefix with the launch files, parameters and maps of navigation, which `saltus-robot` writes. `None` if it is
/// not installed, or if it can't write them.
pub fn prefix() -> Option<Prefix> {
    let mut command = Program::Robot.command().ok()?;
    let output = command.arg(PREFIX).stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    match output {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8(output.stdout).ok()?;
            Some(Prefix::new(PathBuf::from(text.strip_suffix('\n')?)))
        }
        Ok(output) => {
            // The program has said why, unless a signal has ended it.
            if output.status.signal().is_some() {
                tell!("can't find the packages of {}: {}", Program::Robot.file_name(), output.status);
            }
            None
        }
        Err(error) => {
            tell!("can't start {}: {error}", Program::Robot.file_name());
            None
        }
    }
}

const fn component(package: &'static str, name: &'static str, plugin: &'static str) -> Bundled {
    Bundled { package, name, kind: Kind::Component(plugin) }
}

const fn verb(
    package: &'static str,
    name: &'static str,
    program: Program,
    words: &'static [&'static str],
) -> Bundled {
    Bundled { package, name, kind: Kind::Verb(program, words) }
}

/// Returns a program by its package, and by its name or by the plugin name of its component.
pub fn find(package: &str, name: &str) -> Option<&'static Bundled> {
    let is_it = |bundled: &Bundled| bundled.name == name || bundled.plugin() == Some(name);
    PROGRAMS.iter().find(|bundled| bundled.package == package && is_it(bundled))
}

/// Returns the programs of a package.
pub fn of_package(package: &str) -> impl Iterator<Item = &'static Bundled> {
    PROGRAMS.iter().filter(move |bundled| bundled.package == package)
}

impl Bundled {
    /// Returns the plugin name of the component, or `None` if the program is a verb.
    pub fn plugin(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Component(plugin) => Some(plugin),
            Kind::Verb(..) => None,
        }
    }

    /// Returns the command of this program.
    ///
    /// # Errors
    ///
    /// Returns an error if the program that contains it is not installed.
    pub fn command(&self) -> Result<Command, Error> {
        let mut command = match self.kind {
            Kind::Component(_) => Program::Robot.command()?,
            Kind::Verb(program, _) => program.command()?,
        };
        match self.kind {
            Kind::Component(_) => command.args([RUN, self.package, self.name]),
            Kind::Verb(_, words) => command.args(words),
        };
        Ok(command)
    }
}
