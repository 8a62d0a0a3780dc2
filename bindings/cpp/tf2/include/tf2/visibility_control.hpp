// Compiler attributes that decide which symbols a shared library exports.
#ifndef TF2_VISIBILITY_CONTROL_HPP_
#define TF2_VISIBILITY_CONTROL_HPP_

#define TF2_EXPORT __attribute__((visibility("default")))
#define TF2_IMPORT __attribute__((visibility("default")))
#define TF2_PUBLIC __attribute__((visibility("default")))
#define TF2_PUBLIC_TYPE __attribute__((visibility("default")))
#define TF2_LOCAL __attribute__((visibility("hidden")))

#endif
