// Visibility of the functions of tracetools.
#ifndef TRACETOOLS_VISIBILITY_CONTROL_HPP_
#define TRACETOOLS_VISIBILITY_CONTROL_HPP_

#define TRACETOOLS_EXPORT __attribute__((visibility("default")))
#define TRACETOOLS_IMPORT
#define TRACETOOLS_PUBLIC TRACETOOLS_EXPORT
#define TRACETOOLS_LOCAL __attribute__((visibility("hidden")))
#define TRACETOOLS_PUBLIC_TYPE

#endif
