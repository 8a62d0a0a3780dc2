// Compiler attributes that decide which symbols a shared library exports.
#ifndef CLASS_LOADER_VISIBILITY_CONTROL_HPP_
#define CLASS_LOADER_VISIBILITY_CONTROL_HPP_

#define CLASS_LOADER_EXPORT __attribute__((visibility("default")))
#define CLASS_LOADER_IMPORT __attribute__((visibility("default")))
#define CLASS_LOADER_PUBLIC __attribute__((visibility("default")))
#define CLASS_LOADER_PUBLIC_TYPE __attribute__((visibility("default")))
#define CLASS_LOADER_LOCAL __attribute__((visibility("hidden")))

#endif
