/** The version of ROS 2's class_loader whose API this package has. */
#ifndef CLASS_LOADER_VERSION_H_
#define CLASS_LOADER_VERSION_H_

#define CLASS_LOADER_VERSION_MAJOR (2)
#define CLASS_LOADER_VERSION_MINOR (7)
#define CLASS_LOADER_VERSION_PATCH (0)
#define CLASS_LOADER_VERSION_STR "2.7.0"

/** True if this version is at least major.minor.patch. */
#define CLASS_LOADER_VERSION_GTE(major, minor, patch) ( \
    (major) < CLASS_LOADER_VERSION_MAJOR || \
    ((major) == CLASS_LOADER_VERSION_MAJOR && ((minor) < CLASS_LOADER_VERSION_MINOR || \
    ((minor) == CLASS_LOADER_VERSION_MINOR && (patch) <= CLASS_LOADER_VERSION_PATCH))))

#endif
