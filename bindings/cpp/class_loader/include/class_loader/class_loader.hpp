// Loads a library at run time and makes objects of its classes.
#ifndef CLASS_LOADER_CLASS_LOADER_HPP_
#define CLASS_LOADER_CLASS_LOADER_HPP_

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "class_loader/class_loader_core.hpp"
#include "class_loader/exceptions.hpp"
#include "class_loader/register_macro.hpp"
#include "class_loader/visibility_control.hpp"

namespace class_loader
{

namespace impl
{
class LoaderState;
struct LoaderAccess;

/// Deletes an object, then lets its library go.
template<class Base>
struct InstanceDeleter
{
  std::shared_ptr<Instance> instance;

  void operator()(Base * object) const
  {
    delete object;
    instance->deleted();
  }
};
}  // namespace impl

/// Returns "lib".
CLASS_LOADER_PUBLIC std::string systemLibraryPrefix();

/// Returns ".so".
CLASS_LOADER_PUBLIC std::string systemLibrarySuffix();

/// Returns "lib<library_name>.so".
CLASS_LOADER_PUBLIC std::string systemLibraryFormat(const std::string & library_name);

/// Loads one library and makes objects of the classes that it registers.
///
/// An object keeps its library loaded, also beyond the life of the loader. The memory of a library that an object let
/// go is freed by the next call that loads or unloads, because code of the library may still run when its last object
/// is deleted. All functions may be called from several threads.
class CLASS_LOADER_PUBLIC_TYPE ClassLoader
{
public:
  template<typename Base>
  using DeleterType = std::function<void (Base *)>;

  template<typename Base>
  using UniquePtr = std::unique_ptr<Base, DeleterType<Base>>;

  /// Loads a library; throws LibraryLoadException if that fails.
  ///
  /// With `ondemand_load_unload`, the first object loads it and the end of the last object unloads it.
  explicit ClassLoader(const std::string & library_path, bool ondemand_load_unload = false);
  virtual ~ClassLoader();
  ClassLoader(const ClassLoader &) = delete;
  ClassLoader & operator=(const ClassLoader &) = delete;

  /// Returns the names of the classes with this base: those of the library, then those that no loader loaded.
  template<class Base>
  std::vector<std::string> getAvailableClasses() const
  {
    return impl::getAvailableClasses<Base>(this);
  }

  /// Makes an object. It loads the library if it is not loaded.
  ///
  /// Throws CreateClassException if there is no such class, LibraryLoadException, or what the constructor throws.
  template<class Base>
  std::shared_ptr<Base> createInstance(const std::string & derived_class_name)
  {
    return createUniqueInstance<Base>(derived_class_name);
  }

  /// As createInstance.
  template<class Base>
  std::shared_ptr<Base> createSharedInstance(const std::string & derived_class_name)
  {
    return createUniqueInstance<Base>(derived_class_name);
  }

  /// As createInstance, for one owner.
  template<class Base>
  UniquePtr<Base> createUniqueInstance(const std::string & derived_class_name)
  {
    auto instance = impl::prepareInstance(this, typeid(Base).name(), derived_class_name);
    DeleterType<Base> deleter = impl::InstanceDeleter<Base>{instance};
    return UniquePtr<Base>(impl::createObject<Base>(*instance), std::move(deleter));
  }

  /// As createInstance, for an object that the caller deletes. The library stays in memory until the process ends.
  template<class Base>
  Base * createUnmanagedInstance(const std::string & derived_class_name)
  {
    return impl::createInstance<Base>(derived_class_name, this);
  }

  /// Returns true if getAvailableClasses has the class.
  template<class Base>
  bool isClassAvailable(const std::string & class_name) const
  {
    const auto names = getAvailableClasses<Base>();
    return std::find(names.begin(), names.end(), class_name) != names.end();
  }

  /// Returns the path that the constructor got.
  const std::string & getLibraryPath() const;

  /// Returns true if this loader has loaded the library.
  bool isLibraryLoaded() const;

  /// Returns true if any loader has loaded the library, or an object keeps it.
  bool isLibraryLoadedByAnyClassloader() const;

  /// Returns true if the library is loaded and unloaded on demand.
  bool isOnDemandLoadUnloadEnabled() const;

  /// Loads the library, or counts one more load; throws LibraryLoadException if that fails.
  void loadLibrary();

  /// Counts one load less, and unloads the library when none is left; returns the loads that are left.
  ///
  /// While objects of this loader exist it only logs a warning.
  int unloadLibrary();

  /// Returns true if createUnmanagedInstance was called by any loader.
  static bool hasUnmanagedInstanceBeenCreated();

private:
  friend struct impl::LoaderAccess;

  // The objects share it with the loader.
  std::shared_ptr<impl::LoaderState> state_;
};

}  // namespace class_loader

#endif
