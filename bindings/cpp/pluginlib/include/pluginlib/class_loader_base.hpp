// What class loaders for all base classes have in common: they read manifests, and find and load libraries.
#ifndef PLUGINLIB_CLASS_LOADER_BASE_HPP_
#define PLUGINLIB_CLASS_LOADER_BASE_HPP_

#include <memory>
#include <string>
#include <vector>

#include "pluginlib/visibility_control.hpp"

namespace class_loader
{
namespace impl
{
class Instance;
}
}  // namespace class_loader

namespace pluginlib
{

/// The part of a ClassLoader that needs no type of the base class.
///
/// A lookup name is that of the attribute `name` of a <class>, or its `type` if there is no name. The functions that
/// return a text return "" for an unknown lookup name.
class PLUGINLIB_PUBLIC ClassLoaderBase
{
public:
  virtual ~ClassLoaderBase();
  ClassLoaderBase(const ClassLoaderBase &) = delete;
  ClassLoaderBase & operator=(const ClassLoaderBase &) = delete;

  /// Returns the paths of the manifests, also of those that could not be read.
  virtual std::vector<std::string> getPluginXmlPaths();

  /// Returns the lookup names of all plugins.
  virtual std::vector<std::string> getDeclaredClasses();

  /// Returns the paths of the libraries that this loader has loaded.
  virtual std::vector<std::string> getRegisteredLibraries();

  /// Returns what is after the last '/' or ':' of a lookup name.
  virtual std::string getName(const std::string & lookup_name);

  /// Returns the name of the base class that the constructor got.
  virtual std::string getBaseClassType() const;

  /// Returns the name of the class.
  virtual std::string getClassType(const std::string & lookup_name);

  /// Returns the description in the manifest.
  virtual std::string getClassDescription(const std::string & lookup_name);

  /// Returns the path of the library, or "" if there is no such file.
  virtual std::string getClassLibraryPath(const std::string & lookup_name);

  /// Returns the package that exports the plugin.
  virtual std::string getClassPackage(const std::string & lookup_name);

  /// Returns the path of the manifest that declares the plugin.
  virtual std::string getPluginManifestPath(const std::string & lookup_name);

  /// Returns true if a manifest declares the plugin.
  virtual bool isClassAvailable(const std::string & lookup_name);

  /// Returns true if this loader has loaded the library of the plugin, and the library registers its class.
  virtual bool isClassLoaded(const std::string & lookup_name);

  /// Loads the library of a plugin if it is not loaded.
  ///
  /// Throws LibraryLoadException if no manifest declares the plugin, if manifests contradict each other about it, or
  /// if its library can't be found or loaded.
  virtual void loadLibraryForClass(const std::string & lookup_name);

  /// Unloads the library of a plugin, unless objects of it exist: then it logs a warning. Returns 0 if it is unloaded.
  ///
  /// Throws LibraryUnloadException if this loader has not loaded the library.
  virtual int unloadLibraryForClass(const std::string & lookup_name);

  /// Reads the manifests again. Plugins whose libraries are loaded stay as they are.
  ///
  /// Throws InvalidXMLException as the constructor of ClassLoader.
  virtual void refreshDeclaredClasses();

protected:
  ClassLoaderBase(
    const std::string & package, const std::string & base_class, const std::string & attrib_name,
    const std::vector<std::string> & plugin_xml_paths, const char * typeid_base_class_name);

  /// Loads the library of a plugin and finds the class, of which the caller makes an object.
  ///
  /// Throws CreateClassException if the library does not register it, and what loadLibraryForClass throws.
  std::shared_ptr<class_loader::impl::Instance> prepareInstance(const std::string & lookup_name);

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pluginlib

#endif
