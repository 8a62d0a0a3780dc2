/** The version of ROS 2's tracetools whose API this package has. */
#ifndef TRACETOOLS_VERSION_H_
#define TRACETOOLS_VERSION_H_

#define TRACETOOLS_VERSION_MAJOR (8)
#define TRACETOOLS_VERSION_MINOR (2)
#define TRACETOOLS_VERSION_PATCH (4)
#define TRACETOOLS_VERSION_STR "8.2.4"

/** True if this version is at least major.minor.patch. */
#define TRACETOOLS_VERSION_GTE(major, minor, patch) ( \
    (major) < TRACETOOLS_VERSION_MAJOR || \
    ((major) == TRACETOOLS_VERSION_MAJOR && ((minor) < TRACETOOLS_VERSION_MINOR || \
    ((minor) == TRACETOOLS_VERSION_MINOR && (patch) <= TRACETOOLS_VERSION_PATCH))))

#endif
