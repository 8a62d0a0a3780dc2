// Makes objects of plugins: of classes that are known only by a name when the program runs.
#ifndef PLUGINLIB_CLASS_LOADER_HPP_
#define PLUGINLIB_CLASS_LOADER_HPP_

#include <memory>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "class_loader/class_loader.hpp"
#include "pluginlib/class_desc.hpp"
#include "pluginlib/class_loader_base.hpp"
#include "pluginlib/exceptions.hpp"

namespace pluginlib
{

/// An object of a plugin with one owner. It keeps its library loaded.
template<typename T>
using UniquePtr = class_loader::ClassLoader::UniquePtr<T>;

/// Finds the plugins with the base class T that packages export, and makes objects of them.
///
/// An object keeps its library loaded, also beyond the life of the loader. All functions may be called from several
/// threads.
///
/// ```
/// pluginlib::ClassLoader<tool_base::Tool> loader("tool_base", "tool_base::Tool");
/// auto tool = loader.createUniqueInstance("tools::Drill");
/// ```
template<class T>
class ClassLoader : public ClassLoaderBase
{
public:
  /// Reads the manifests of all packages that export plugins for `package`, which has the base class.
  ///
  /// `base_class` is its name with namespaces, as manifests write it. `attrib_name` is the kind of the entries in the
  /// index, which are of the type "<package>__pluginlib__<attrib_name>". If `plugin_xml_paths` are given, these
  /// manifests are read instead.
  ///
  /// Throws ClassLoaderException if the package is not installed, and InvalidXMLException if one of the
  /// `plugin_xml_paths` is wrong. A wrong manifest of another package is logged and left out; the exceptions for
  /// plugins that are not found then name it.
  explicit ClassLoader(
    std::string package, std::string base_class, std::string attrib_name = std::string("plugin"),
    std::vector<std::string> plugin_xml_paths = std::vector<std::string>())
  : ClassLoaderBase(package, base_class, attrib_name, plugin_xml_paths, typeid(T).name())
  {
  }

  /// Makes an object. It loads the library if it is not loaded.
  ///
  /// Throws LibraryLoadException as loadLibraryForClass, CreateClassException if the library does not register the
  /// class, and what the constructor of the plugin throws.
  std::shared_ptr<T> createSharedInstance(const std::string & lookup_name)
  {
    return createUniqueInstance(lookup_name);
  }

  /// As createSharedInstance, for one owner.
  UniquePtr<T> createUniqueInstance(const std::string & lookup_name)
  {
    auto instance = prepareInstance(lookup_name);
    class_loader::ClassLoader::DeleterType<T> deleter = class_loader::impl::InstanceDeleter<T>{instance};
    return UniquePtr<T>(class_loader::impl::createObject<T>(*instance), std::move(deleter));
  }

  /// As createSharedInstance, for an object that the caller deletes. The library stays in memory until the process
  /// ends.
  T * createUnmanagedInstance(const std::string & lookup_name)
  {
    return class_loader::impl::createObject<T>(*prepareInstance(lookup_name));
  }
};

}  // namespace pluginlib

#endif
