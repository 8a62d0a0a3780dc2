/** The version of ROS 2's ament_index_cpp whose API this package has. */
#ifndef AMENT_INDEX_CPP_VERSION_H_
#define AMENT_INDEX_CPP_VERSION_H_

#define AMENT_INDEX_CPP_VERSION_MAJOR (1)
#define AMENT_INDEX_CPP_VERSION_MINOR (8)
#define AMENT_INDEX_CPP_VERSION_PATCH (1)
#define AMENT_INDEX_CPP_VERSION_STR "1.8.1"

/** True if this version is at least major.minor.patch. */
#define AMENT_INDEX_CPP_VERSION_GTE(major, minor, patch) ( \
    (major) < AMENT_INDEX_CPP_VERSION_MAJOR || \
    ((major) == AMENT_INDEX_CPP_VERSION_MAJOR && ((minor) < AMENT_INDEX_CPP_VERSION_MINOR || \
    ((minor) == AMENT_INDEX_CPP_VERSION_MINOR && (patch) <= AMENT_INDEX_CPP_VERSION_PATCH))))

#endif
