// The classes of all libraries of the process.
#ifndef REGISTRY_HPP_
#define REGISTRY_HPP_

#include <memory>
#include <string>
#include <vector>

#include "class_loader/meta_object.hpp"
#include "library.hpp"

namespace class_loader
{
namespace impl
{

/// A factory, and the library that must stay in memory while it is used.
struct FoundFactory
{
  /// Null if there is no such class.
  const AbstractMetaObjectBase * factory = nullptr;
  /// Null if the library of the loader, or the program itself, has the class.
  std::shared_ptr<Library> library;
};

/// Finds a class that a loader of `library` sees, which must be held; a null library sees what no loader loaded.
FoundFactory findFactory(
  const Library * library, const std::string & typeid_base_class_name, const std::string & class_name);

/// Returns the names of the classes that a loader of `library` sees, those of the library first, each once.
std::vector<std::string> classNames(const Library * library, const std::string & typeid_base_class_name);

}  // namespace impl
}  // namespace class_loader

#endif
