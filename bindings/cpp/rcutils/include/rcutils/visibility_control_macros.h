/** Compiler attributes that decide which symbols a shared library exports. */
#ifndef RCUTILS_VISIBILITY_CONTROL_MACROS_H_
#define RCUTILS_VISIBILITY_CONTROL_MACROS_H_

#define RCUTILS_EXPORT __attribute__((visibility("default")))
#define RCUTILS_IMPORT __attribute__((visibility("default")))
#define RCUTILS_LOCAL __attribute__((visibility("hidden")))

#endif
