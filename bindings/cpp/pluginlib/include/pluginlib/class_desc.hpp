// What a manifest says about a plugin.
#ifndef PLUGINLIB_CLASS_DESC_HPP_
#define PLUGINLIB_CLASS_DESC_HPP_

#include <string>
#include <utility>

namespace pluginlib
{

/// A plugin as its manifest declares it.
class ClassDesc
{
public:
  ClassDesc(
    std::string lookup_name, std::string derived_class, std::string base_class, std::string package,
    std::string description, std::string library_name, std::string plugin_manifest_path)
  : lookup_name_(std::move(lookup_name)),
    derived_class_(std::move(derived_class)),
    base_class_(std::move(base_class)),
    package_(std::move(package)),
    description_(std::move(description)),
    library_name_(std::move(library_name)),
    plugin_manifest_path_(std::move(plugin_manifest_path))
  {
  }

  std::string lookup_name_;
  std::string derived_class_;
  std::string base_class_;
  std::string package_;
  std::string description_;
  /// The library as the manifest names it.
  std::string library_name_;
  /// The path of the library, or "UNRESOLVED" while it is not loaded.
  std::string resolved_library_path_ = "UNRESOLVED";
  std::string plugin_manifest_path_;
};

}  // namespace pluginlib

#endif
