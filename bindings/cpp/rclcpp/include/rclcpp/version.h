#ifndef RCLCPP__VERSION_H_
#define RCLCPP__VERSION_H_

// The version of rclcpp whose interface this one has.
#define RCLCPP_VERSION_MAJOR (28)
#define RCLCPP_VERSION_MINOR (1)
#define RCLCPP_VERSION_PATCH (6)
#define RCLCPP_VERSION_STR "28.1.6"

/// Whether the version is at least this one.
#define RCLCPP_VERSION_GTE(major, minor, patch) ( \
    (major < RCLCPP_VERSION_MAJOR) ? true : \
    ((major > RCLCPP_VERSION_MAJOR) ? false : \
    ((minor < RCLCPP_VERSION_MINOR) ? true : \
    ((minor > RCLCPP_VERSION_MINOR) ? false : (patch <= RCLCPP_VERSION_PATCH)))))

#endif  // RCLCPP__VERSION_H_
