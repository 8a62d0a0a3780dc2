#include "class_loader/multi_library_class_loader.hpp"

namespace class_loader
{

MultiLibraryClassLoader::MultiLibraryClassLoader(bool enable_ondemand_loadunload)
: enable_ondemand_loadunload_(enable_ondemand_loadunload)
{
}

MultiLibraryClassLoader::~MultiLibraryClassLoader() = default;

bool MultiLibraryClassLoader::isLibraryAvailable(const std::string & library_name) const
{
  std::lock_guard<std::mutex> lock(mutex_);
  return loaders_.count(library_name) > 0;
}

std::vector<std::string> MultiLibraryClassLoader::getRegisteredLibraries() const
{
  std::vector<std::string> paths;
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto & loader : loaders_) {
    paths.push_back(loader.first);
  }
  return paths;
}

void MultiLibraryClassLoader::loadLibrary(const std::string & library_path)
{
  if (isLibraryAvailable(library_path)) {
    return;
  }
  // Made without the lock, because static objects of the library may use this loader. If another thread was faster,
  // its loader stays and this one ends.
  auto loader = std::make_shared<ClassLoader>(library_path, enable_ondemand_loadunload_);
  std::lock_guard<std::mutex> lock(mutex_);
  loaders_.emplace(library_path, loader);
}

int MultiLibraryClassLoader::unloadLibrary(const std::string & library_path)
{
  std::shared_ptr<ClassLoader> loader;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = loaders_.find(library_path);
    if (found == loaders_.end()) {
      return 0;
    }
    loader = found->second;
  }
  const int left = loader->unloadLibrary();
  if (left == 0) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = loaders_.find(library_path);
    if (found != loaders_.end() && found->second == loader) {
      loaders_.erase(found);
    }
  }
  return left;
}

bool MultiLibraryClassLoader::isOnDemandLoadUnloadEnabled() const {return enable_ondemand_loadunload_;}

ClassLoaderVector MultiLibraryClassLoader::getAllAvailableClassLoaders() const
{
  ClassLoaderVector all;
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto & loader : loaders_) {
    all.push_back(loader.second);
  }
  return all;
}

std::shared_ptr<ClassLoader> MultiLibraryClassLoader::loaderOf(const std::string & library_path) const
{
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = loaders_.find(library_path);
  if (found == loaders_.end()) {
    throw NoClassLoaderExistsException(
            "the library '" + library_path + "' is not loaded; call loadLibrary with this path first");
  }
  return found->second;
}

void MultiLibraryClassLoader::throwNoLoaderForClass(const std::string & class_name) const
{
  std::string libraries;
  for (const auto & path : getRegisteredLibraries()) {
    libraries += (libraries.empty() ? "'" : ", '") + path + "'";
  }
  throw CreateClassException(
          "can't make an object of the class '" + class_name + "': none of the loaded libraries registers it for "
          "this base: [" + libraries + "]");
}

}  // namespace class_loader
