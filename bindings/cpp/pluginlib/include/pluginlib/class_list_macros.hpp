// The macro that makes a class a plugin.
#ifndef PLUGINLIB_CLASS_LIST_MACROS_HPP_
#define PLUGINLIB_CLASS_LIST_MACROS_HPP_

#include "class_loader/class_loader.hpp"

/// Registers a class, which needs a default constructor, as a plugin of a base class.
///
/// Both names are written as in the manifest, with their namespaces. It stands at the scope of a namespace, with or
/// without a semicolon.
#define PLUGINLIB_EXPORT_CLASS(class_type, base_class_type) \
  CLASS_LOADER_REGISTER_CLASS(class_type, base_class_type)

#endif
