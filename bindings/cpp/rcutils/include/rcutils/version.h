/** The version of ROS 2's rcutils whose API this package has. */
#ifndef RCUTILS_VERSION_H_
#define RCUTILS_VERSION_H_

#define RCUTILS_VERSION_MAJOR (6)
#define RCUTILS_VERSION_MINOR (7)
#define RCUTILS_VERSION_PATCH (2)
#define RCUTILS_VERSION_STR "6.7.2"

/** True if this version is at least major.minor.patch. */
#define RCUTILS_VERSION_GTE(major, minor, patch) ( \
    (major) < RCUTILS_VERSION_MAJOR || \
    ((major) == RCUTILS_VERSION_MAJOR && ((minor) < RCUTILS_VERSION_MINOR || \
    ((minor) == RCUTILS_VERSION_MINOR && (patch) <= RCUTILS_VERSION_PATCH))))

#endif
