//! The packages of interfaces whose address is known. `docs/interfaces.md` has their licences.

/// A package with the repository that it is in.
pub(super) struct Package {
    pub(super) name: &'static str,
    pub(super) address: &'static str,
    /// The branch for ROS 2, if it is not the main one.
    pub(super) branch: Option<&'static str>,
}

const fn package(name: &'static str, address: &'static str, branch: Option<&'static str>) -> Package {
    Package { name, address, branch }
}

/// The packages, sorted by name.
pub(super) const PACKAGES: [Package; 16] = [
    package("ackermann_msgs", "https://github.com/ros-drivers/ackermann_msgs", Some("ros2")),
    package("apriltag_msgs", "https://github.com/christianrauch/apriltag_msgs", None),
    package("autoware_msgs", "https://github.com/autowarefoundation/autoware_msgs", None),
    package("can_msgs", "https://github.com/ros-industrial/ros_canopen", Some("dashing-devel")),
    package("control_msgs", "https://github.com/ros-controls/control_msgs", None),
    package("geographic_msgs", "https://github.com/ros-geographic-info/geographic_info", Some("ros2")),
    package("gps_msgs", "https://github.com/swri-robotics/gps_umd", Some("ros2-devel")),
    package("grid_map_msgs", "https://github.com/ANYbotics/grid_map", Some("rolling")),
    package("mavros_msgs", "https://github.com/mavlink/mavros", Some("ros2")),
    package("moveit_msgs", "https://github.com/moveit/moveit_msgs", Some("ros2")),
    package("nmea_msgs", "https://github.com/ros-drivers/nmea_msgs", Some("ros2")),
    package(
        "object_recognition_msgs",
        "https://github.com/wg-perception/object_recognition_msgs",
        Some("ros2"),
    ),
    package("octomap_msgs", "https://github.com/OctoMap/octomap_msgs", Some("ros2")),
    package("px4_msgs", "https://github.com/PX4/px4_msgs", None),
    package("radar_msgs", "https://github.com/ros-perception/radar_msgs", Some("ros2")),
    package("vision_msgs", "https://github.com/ros-perception/vision_msgs", Some("ros2")),
];
