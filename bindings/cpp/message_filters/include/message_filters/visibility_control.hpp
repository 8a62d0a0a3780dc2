// Compiler attributes that decide which symbols a shared library exports.
#ifndef MESSAGE_FILTERS_VISIBILITY_CONTROL_HPP_
#define MESSAGE_FILTERS_VISIBILITY_CONTROL_HPP_

#define MESSAGE_FILTERS_EXPORT __attribute__((visibility("default")))
#define MESSAGE_FILTERS_IMPORT __attribute__((visibility("default")))
#define MESSAGE_FILTERS_PUBLIC __attribute__((visibility("default")))
#define MESSAGE_FILTERS_LOCAL __attribute__((visibility("hidden")))

#endif
