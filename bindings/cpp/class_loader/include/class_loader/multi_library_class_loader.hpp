// Makes objects of the classes of several libraries.
#ifndef CLASS_LOADER_MULTI_LIBRARY_CLASS_LOADER_HPP_
#define CLASS_LOADER_MULTI_LIBRARY_CLASS_LOADER_HPP_

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "class_loader/class_loader.hpp"
#include "class_loader/visibility_control.hpp"

namespace class_loader
{

using LibraryPath = std::string;
using LibraryToClassLoaderMap = std::map<LibraryPath, std::shared_ptr<ClassLoader>>;
using ClassLoaderVector = std::vector<std::shared_ptr<ClassLoader>>;

/// A class loader per library. All functions may be called from several threads.
class CLASS_LOADER_PUBLIC_TYPE MultiLibraryClassLoader
{
public:
  /// Makes a loader without libraries; `enable_ondemand_loadunload` is that of each ClassLoader.
  explicit MultiLibraryClassLoader(bool enable_ondemand_loadunload);
  virtual ~MultiLibraryClassLoader();
  MultiLibraryClassLoader(const MultiLibraryClassLoader &) = delete;
  MultiLibraryClassLoader & operator=(const MultiLibraryClassLoader &) = delete;

  /// Makes an object of a class of any library. Throws as ClassLoader::createInstance.
  template<class Base>
  std::shared_ptr<Base> createInstance(const std::string & class_name)
  {
    return getClassLoaderForClass<Base>(class_name)->template createInstance<Base>(class_name);
  }

  /// Makes an object of a class of one library; throws also NoClassLoaderExistsException if it was not loaded.
  template<class Base>
  std::shared_ptr<Base> createInstance(const std::string & class_name, const std::string & library_path)
  {
    return loaderOf(library_path)->template createInstance<Base>(class_name);
  }

  /// As createInstance.
  template<class Base>
  std::shared_ptr<Base> createSharedInstance(const std::string & class_name)
  {
    return createInstance<Base>(class_name);
  }

  /// As createInstance.
  template<class Base>
  std::shared_ptr<Base> createSharedInstance(const std::string & class_name, const std::string & library_path)
  {
    return createInstance<Base>(class_name, library_path);
  }

  /// As createInstance, for one owner.
  template<class Base>
  ClassLoader::UniquePtr<Base> createUniqueInstance(const std::string & class_name)
  {
    return getClassLoaderForClass<Base>(class_name)->template createUniqueInstance<Base>(class_name);
  }

  /// As createInstance, for one owner.
  template<class Base>
  ClassLoader::UniquePtr<Base> createUniqueInstance(const std::string & class_name, const std::string & library_path)
  {
    return loaderOf(library_path)->template createUniqueInstance<Base>(class_name);
  }

  /// As createInstance, for an object that the caller deletes. The library stays in memory until the process ends.
  template<class Base>
  Base * createUnmanagedInstance(const std::string & class_name)
  {
    return getClassLoaderForClass<Base>(class_name)->template createUnmanagedInstance<Base>(class_name);
  }

  /// As createInstance, for an object that the caller deletes. The library stays in memory until the process ends.
  template<class Base>
  Base * createUnmanagedInstance(const std::string & class_name, const std::string & library_path)
  {
    return loaderOf(library_path)->template createUnmanagedInstance<Base>(class_name);
  }

  /// Returns true if getAvailableClasses has the class.
  template<class Base>
  bool isClassAvailable(const std::string & class_name) const
  {
    const auto names = getAvailableClasses<Base>();
    return std::find(names.begin(), names.end(), class_name) != names.end();
  }

  /// Returns true if loadLibrary was called for this path.
  bool isLibraryAvailable(const std::string & library_name) const;

  /// Returns the names of the classes with this base of all libraries, each once.
  template<class Base>
  std::vector<std::string> getAvailableClasses() const
  {
    std::vector<std::string> all;
    for (const auto & loader : getAllAvailableClassLoaders()) {
      for (auto & name : loader->template getAvailableClasses<Base>()) {
        if (std::find(all.begin(), all.end(), name) == all.end()) {
          all.push_back(name);
        }
      }
    }
    return all;
  }

  /// As ClassLoader::getAvailableClasses; throws NoClassLoaderExistsException if the library was not loaded.
  template<class Base>
  std::vector<std::string> getAvailableClassesForLibrary(const std::string & library_path) const
  {
    return loaderOf(library_path)->template getAvailableClasses<Base>();
  }

  /// Returns the paths of all libraries.
  std::vector<std::string> getRegisteredLibraries() const;

  /// Loads a library if it was not; throws LibraryLoadException if that fails.
  void loadLibrary(const std::string & library_path);

  /// As ClassLoader::unloadLibrary; returns 0 if the library was not loaded.
  int unloadLibrary(const std::string & library_path);

  /// Returns true if libraries are loaded and unloaded on demand.
  bool isOnDemandLoadUnloadEnabled() const;

private:
  ClassLoaderVector getAllAvailableClassLoaders() const;
  std::shared_ptr<ClassLoader> loaderOf(const std::string & library_path) const;

  // On demand, a library must be loaded to know its classes.
  template<class Base>
  std::shared_ptr<ClassLoader> getClassLoaderForClass(const std::string & class_name) const
  {
    for (const auto & loader : getAllAvailableClassLoaders()) {
      if (!loader->isLibraryLoaded()) {
        loader->loadLibrary();
      }
      if (loader->template isClassAvailable<Base>(class_name)) {
        return loader;
      }
    }
    throwNoLoaderForClass(class_name);
  }

  [[noreturn]] void throwNoLoaderForClass(const std::string & class_name) const;

  const bool enable_ondemand_loadunload_;
  mutable std::mutex mutex_;
  LibraryToClassLoaderMap loaders_;
};

}  // namespace class_loader

#endif
