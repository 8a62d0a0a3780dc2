//! The stack that is composed by a program: one process, with a thread and an executor for each node.

use saltus::{
    Context, SingleThreadedExecutor,
    component::{ComponentError, Isolation, ManualComposition, NodeOptions, Plugin},
    param::ParameterValue,
};

/// The nodes: packages, types and names.
pub(super) const NODES: [(&str, &str, &str); 10] = [
    ("nav2_map_server", "nav2_map_server::MapServer", "map_server"),
    ("nav2_amcl", "nav2_amcl::AmclNode", "amcl"),
    ("nav2_controller", "nav2_controller::ControllerServer", "controller_server"),
    ("nav2_smoother", "nav2_smoother::SmootherServer", "smoother_server"),
    ("nav2_planner", "nav2_planner::PlannerServer", "planner_server"),
    ("nav2_recoveries", "recovery_server::RecoveryServer", "recoveries_server"),
    ("nav2_bt_navigator", "nav2_bt_navigator::BtNavigator", "bt_navigator"),
    ("nav2_waypoint_follower", "nav2_waypoint_follower::WaypointFollower", "waypoint_follower"),
    ("nav2_lifecycle_manager", "nav2_lifecycle_manager::LifecycleManager", "lifecycle_manager_localization"),
    ("nav2_lifecycle_manager", "nav2_lifecycle_manager::LifecycleManager", "lifecycle_manager_navigation"),
];
const LOCALIZATION: [&str; 2] = ["map_server", "amcl"];
const NAVIGATION: [&str; 6] = [
    "controller_server",
    "smoother_server",
    "planner_server",
    "recoveries_server",
    "bt_navigator",
    "waypoint_follower",
];

/// Runs the stack with the map in a file, until Ctrl-C. The parameters come from the command line.
pub(crate) fn run(map: &str) -> Result<(), ComponentError> {
    let context = Context::from_args()?;
    let executor = SingleThreadedExecutor::new(&context)?;
    let mut composition = ManualComposition::new(executor, Isolation::Thread);
    for (package, plugin, name) in NODES {
        let found =
            Plugin::find(package, plugin).ok_or_else(|| format!("{plugin} is not in this program"))?;
        let arguments = ["--ros-args", "-r", &format!("__node:={name}")];
        let mut options = NodeOptions::new(&context).arguments(arguments)?.use_global_arguments(true);
        let names =
            |names: &[&str]| ParameterValue::StringArray(names.iter().map(|name| (*name).into()).collect());
        options = match name {
            "map_server" => options.parameter_override("yaml_filename", ParameterValue::String(map.into())),
            "lifecycle_manager_localization" => {
                options.parameter_override("node_names", names(&LOCALIZATION))
            }
            "lifecycle_manager_navigation" => options.parameter_override("node_names", names(&NAVIGATION)),
            _ => options,
        };
        if name.starts_with("lifecycle_manager") {
            options = options.parameter_override("autostart", ParameterValue::Bool(true));
        }
        composition.add_from(&found.factory(), &options)?;
    }
    Ok(composition.spin()?)
}
