// The registry of classes of all libraries of the process.
//
// A library registers its classes when it is loaded and removes them when it is unloaded. An entry belongs to the
// library that holds the registration, whoever loaded it. A class loader sees the classes of its library, of libraries
// that were loaded with it, and of libraries that no loader loaded, for example the program itself.
#ifndef CLASS_LOADER_CLASS_LOADER_CORE_HPP_
#define CLASS_LOADER_CLASS_LOADER_CORE_HPP_

#include <memory>
#include <string>
#include <typeinfo>
#include <vector>

#include "class_loader/exceptions.hpp"
#include "class_loader/meta_object.hpp"
#include "class_loader/visibility_control.hpp"

namespace class_loader
{

class ClassLoader;

namespace impl
{

/// Removes a factory from the registry and deletes it.
struct CLASS_LOADER_PUBLIC_TYPE MetaObjectDeleter
{
  void operator()(AbstractMetaObjectBase * factory) const;
};

/// A registration: the class is registered while it lives.
using MetaObjectHandle = std::unique_ptr<AbstractMetaObjectBase, MetaObjectDeleter>;

/// Adds a factory to the registry. `address` is one in the library of the class; null is the caller's.
CLASS_LOADER_PUBLIC MetaObjectHandle
addMetaObject(std::unique_ptr<AbstractMetaObjectBase> factory, const void * address, const char * message);

/// Registers a class until the result is destroyed; this must happen before its library is unloaded.
template<typename Derived, typename Base>
[[nodiscard]] MetaObjectHandle registerPlugin(
  const std::string & class_name, const std::string & base_class_name, const void * address = nullptr,
  const char * message = "")
{
  return addMetaObject(
    std::make_unique<MetaObject<Derived, Base>>(class_name, base_class_name), address, message);
}

/// An object that was made by a loader. It keeps the library of the object loaded.
class CLASS_LOADER_PUBLIC_TYPE Instance
{
public:
  virtual ~Instance();

  /// The factory of the class; valid while this lives.
  virtual const AbstractMetaObjectBase & factory() const = 0;

  /// The object exists now. If it is never deleted, its library stays in memory.
  virtual void created() = 0;

  /// The object was deleted, so that its library may go.
  virtual void deleted() = 0;
};

/// Prepares an object of a class that the loader sees; a null loader sees what no loader loaded.
///
/// Throws CreateClassException if there is no such class, LibraryLoadException if its library can't be loaded.
CLASS_LOADER_PUBLIC std::shared_ptr<Instance> prepareInstance(
  ClassLoader * loader, const std::string & typeid_base_class_name, const std::string & class_name);

/// Returns the names of the classes that the loader sees, those of its own library first.
CLASS_LOADER_PUBLIC std::vector<std::string> getAvailableClassNames(
  const ClassLoader * loader, const std::string & typeid_base_class_name);

/// Returns the names of the classes with a base that the loader sees, those of its own library first.
template<typename Base>
std::vector<std::string> getAvailableClasses(const ClassLoader * loader)
{
  return getAvailableClassNames(loader, typeid(Base).name());
}

/// Makes the object of an instance.
template<typename Base>
Base * createObject(Instance & instance)
{
  // The registry matches bases by the name of their type. A dynamic_cast could fail for types of two libraries.
  Base * object = static_cast<const AbstractMetaObject<Base> &>(instance.factory()).create();
  instance.created();
  return object;
}

/// Makes an object that the caller deletes. Its library stays in memory until the process ends.
template<typename Base>
Base * createInstance(const std::string & derived_class_name, ClassLoader * loader)
{
  return createObject<Base>(*prepareInstance(loader, typeid(Base).name(), derived_class_name));
}

/// Returns true if the loader has loaded this library.
CLASS_LOADER_PUBLIC bool isLibraryLoaded(const std::string & library_path, const ClassLoader * loader);

/// Returns true if a loader has loaded the library, or an object keeps it.
CLASS_LOADER_PUBLIC bool isLibraryLoadedByAnybody(const std::string & library_path);

/// Loads the library of a loader once more, or another library, which then stays in memory until the process ends.
///
/// Throws LibraryLoadException if that fails.
CLASS_LOADER_PUBLIC void loadLibrary(const std::string & library_path, ClassLoader * loader);

/// As ClassLoader::unloadLibrary; throws LibraryUnloadException if the loader is not one of this library.
CLASS_LOADER_PUBLIC void unloadLibrary(const std::string & library_path, ClassLoader * loader);

/// Returns the path of the library that the loader has loaded, or nothing.
CLASS_LOADER_PUBLIC std::vector<std::string> getAllLibrariesUsedByClassLoader(const ClassLoader * loader);

/// Writes all registered classes to stdout, with their base, the file of their library, and the path of the loader.
CLASS_LOADER_PUBLIC void printDebugInfoToScreen();

/// Returns true if a class was registered that no loader loaded.
CLASS_LOADER_PUBLIC bool hasANonPurePluginLibraryBeenOpened();

}  // namespace impl
}  // namespace class_loader

#endif
