// Compiler attributes that decide which symbols a shared library exports.
#ifndef PLUGINLIB_VISIBILITY_CONTROL_HPP_
#define PLUGINLIB_VISIBILITY_CONTROL_HPP_

#define PLUGINLIB_PUBLIC __attribute__((visibility("default")))

#endif
