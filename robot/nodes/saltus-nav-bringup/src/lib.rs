//! The nodes of navigation, and the launch files, parameters and maps with which they are started.
//!
//! A program that uses this crate contains the components of all nodes. The files are those of the package `nav`:
//! `saltus launch nav bringup.launch.yaml`.

use std::{fs, io, path::Path};

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

#[cfg(test)]
mod parameter_tests;
#[cfg(test)]
mod tests;

/// The name of the package.
pub const PACKAGE: &str = "nav";

/// The files of the package, by their paths in its folder `share`.
pub(crate) const FILES: [(&str, &[u8]); 5] = [
    ("launch/bringup.launch.yaml", include_bytes!("../launch/bringup.launch.yaml")),
    ("maps/turtlebot3_world.png", include_bytes!("../maps/turtlebot3_world.png")),
    ("maps/turtlebot3_world.yaml", include_bytes!("../maps/turtlebot3_world.yaml")),
    ("params/experiment.yaml", include_bytes!("../params/experiment.yaml")),
    ("params/nav2_params.yaml", include_bytes!("../params/nav2_params.yaml")),
];

/// Writes the package into a prefix. Files that are the same stay as they are; a process that reads one sees the old or the new one.
///
/// # Errors
///
/// Returns an error if a file can't be written.
pub fn unpack(prefix: &Path) -> io::Result<()> {
    let share = prefix.join("share").join(PACKAGE);
    for (path, content) in FILES {
        write(&share.join(path), content)?;
    }
    write(&prefix.join("share/ament_index/resource_index/packages").join(PACKAGE), b"")
}

fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    if fs::read(path).is_ok_and(|known| known == content) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = folder.join(format!(".{name}.{}", std::process::id()));
    fs::write(&temporary, content)?;
    fs::rename(&temporary, path)
}
