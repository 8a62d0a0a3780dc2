/** The version of ROS 2's rcl_lifecycle whose API this package has. */
#ifndef RCL_LIFECYCLE_VERSION_H_
#define RCL_LIFECYCLE_VERSION_H_

#define RCL_LIFECYCLE_VERSION_MAJOR (9)
#define RCL_LIFECYCLE_VERSION_MINOR (2)
#define RCL_LIFECYCLE_VERSION_PATCH (7)
#define RCL_LIFECYCLE_VERSION_STR "9.2.7"

/** True if this version is at least major.minor.patch. */
#define RCL_LIFECYCLE_VERSION_GTE(major, minor, patch) ( \
    (major) < RCL_LIFECYCLE_VERSION_MAJOR || \
    ((major) == RCL_LIFECYCLE_VERSION_MAJOR && ((minor) < RCL_LIFECYCLE_VERSION_MINOR || \
    ((minor) == RCL_LIFECYCLE_VERSION_MINOR && (patch) <= RCL_LIFECYCLE_VERSION_PATCH))))

#endif
