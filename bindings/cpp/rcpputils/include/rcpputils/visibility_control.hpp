// Compiler attributes that decide which symbols a shared library exports.
#ifndef RCPPUTILS_VISIBILITY_CONTROL_HPP_
#define RCPPUTILS_VISIBILITY_CONTROL_HPP_

#define RCPPUTILS_EXPORT __attribute__((visibility("default")))
#define RCPPUTILS_IMPORT __attribute__((visibility("default")))
#define RCPPUTILS_PUBLIC __attribute__((visibility("default")))
#define RCPPUTILS_PUBLIC_TYPE __attribute__((visibility("default")))
#define RCPPUTILS_LOCAL __attribute__((visibility("hidden")))

#endif
