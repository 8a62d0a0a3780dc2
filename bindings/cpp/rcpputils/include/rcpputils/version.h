/** The version of ROS 2's rcpputils whose API this package has. */
#ifndef RCPPUTILS_VERSION_H_
#define RCPPUTILS_VERSION_H_

#define RCPPUTILS_VERSION_MAJOR (2)
#define RCPPUTILS_VERSION_MINOR (11)
#define RCPPUTILS_VERSION_PATCH (2)
#define RCPPUTILS_VERSION_STR "2.11.2"

/** True if this version is at least major.minor.patch. */
#define RCPPUTILS_VERSION_GTE(major, minor, patch) ( \
    (major) < RCPPUTILS_VERSION_MAJOR || \
    ((major) == RCPPUTILS_VERSION_MAJOR && ((minor) < RCPPUTILS_VERSION_MINOR || \
    ((minor) == RCPPUTILS_VERSION_MINOR && (patch) <= RCPPUTILS_VERSION_PATCH))))

#endif
