/** The version of ROS 2's tf2 whose API this package has. */
#ifndef TF2_VERSION_H_
#define TF2_VERSION_H_

#define TF2_VERSION_MAJOR (0)
#define TF2_VERSION_MINOR (36)
#define TF2_VERSION_PATCH (7)
#define TF2_VERSION_STR "0.36.7"

/** True if this version is at least major.minor.patch. */
#define TF2_VERSION_GTE(major, minor, patch) ( \
    (major) < TF2_VERSION_MAJOR || \
    ((major) == TF2_VERSION_MAJOR && ((minor) < TF2_VERSION_MINOR || \
    ((minor) == TF2_VERSION_MINOR && (patch) <= TF2_VERSION_PATCH))))

#endif
