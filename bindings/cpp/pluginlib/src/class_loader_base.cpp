#include "pluginlib/class_loader_base.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "ament_index_cpp/get_package_prefix.hpp"
#include "catalog.hpp"
#include "class_loader/class_loader.hpp"
#include "library_search.hpp"
#include "pluginlib/exceptions.hpp"
#include "text.hpp"

namespace pluginlib
{

namespace
{

using Library = std::shared_ptr<class_loader::ClassLoader>;

constexpr char unresolved[] = "UNRESOLVED";

void checkPackage(const impl::CatalogSource & source)
{
  try {
    ament_index_cpp::get_package_prefix(source.package);
  } catch (const std::exception & error) {
    throw ClassLoaderException(
            "can't search plugins for the base class '" + source.base_class + "': " + error.what());
  }
}

std::string missingLibrary(const ClassDesc & plugin, const impl::LibrarySearch & search)
{
  return "the library '" + plugin.library_name_ + "', which '" + plugin.plugin_manifest_path_ +
         "' names, was not found. Is it built and installed into lib, and is the name right? Names that were tried: " +
         impl::listed(search.names) + " in the folders " + impl::listed(search.folders);
}

}  // namespace

/// Libraries are loaded and let go without the lock, because their static objects may use class loaders.
class ClassLoaderBase::Impl
{
public:
  Impl(impl::CatalogSource source, const char * typeid_base_class_name)
  : source_(std::move(source)), typeid_base_class_name_(typeid_base_class_name)
  {
    checkPackage(source_);
    catalog_ = impl::readCatalog(source_);
  }

  const std::string & baseClass() const {return source_.base_class;}

  std::vector<std::string> manifests() const
  {
    std::lock_guard<std::mutex> lock(mutex_);
    return catalog_.manifests;
  }

  std::vector<std::string> lookupNames() const
  {
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::string> names;
    for (const auto & declared : catalog_.classes) {
      names.push_back(declared.first);
    }
    return names;
  }

  std::vector<std::string> libraryPaths() const
  {
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::string> paths;
    for (const auto & library : libraries_) {
      paths.push_back(library.first);
    }
    return paths;
  }

  /// Returns the plugin; all texts of an unknown one are empty.
  ClassDesc plugin(const std::string & lookup_name) const
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = catalog_.classes.find(lookup_name);
    return found == catalog_.classes.end() ? ClassDesc("", "", "", "", "", "", "") : found->second.description;
  }

  /// Returns the loaded library of a plugin, or null.
  Library loaded(const std::string & lookup_name) const
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = catalog_.classes.find(lookup_name);
    return found == catalog_.classes.end() ? nullptr : loadedOf(found->second.description);
  }

  /// Returns the library of a plugin, and loads it if it is not loaded.
  Library load(const std::string & lookup_name) {return load(declared(lookup_name));}

  std::shared_ptr<class_loader::impl::Instance> prepare(const std::string & lookup_name)
  {
    const ClassDesc plugin = declared(lookup_name);
    const Library library = load(plugin);
    try {
      // If another thread has unloaded the library just now, this loads it again.
      return class_loader::impl::prepareInstance(library.get(), typeid_base_class_name_, plugin.derived_class_);
    } catch (const class_loader::CreateClassException &) {
      failToCreate(plugin, *library);
    } catch (const class_loader::LibraryLoadException & error) {
      failToLoad(lookup_name, error.what());
    }
  }

  int unload(const std::string & lookup_name)
  {
    const Library library = loaded(lookup_name);
    if (!library) {
      const char * reason = plugin(lookup_name).lookup_name_.empty() ?
        "no manifest declares it" : "this class loader has not loaded it";
      throw LibraryUnloadException("can't unload the library of the plugin '" + lookup_name + "': " + reason);
    }
    const int left = library->unloadLibrary();
    if (left == 0) {
      forget(library);
    }
    return left;
  }

  std::vector<std::string> namesIn(const class_loader::ClassLoader & library) const
  {
    return class_loader::impl::getAvailableClassNames(&library, typeid_base_class_name_);
  }

  void refresh()
  {
    impl::Catalog catalog = impl::readCatalog(source_);
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto & old : catalog_.classes) {
      if (loadedOf(old.second.description)) {
        catalog.classes.insert_or_assign(old.first, old.second);
      }
    }
    catalog_ = std::move(catalog);
  }

private:
  [[noreturn]] static void failToLoad(const std::string & lookup_name, const std::string & reason)
  {
    throw LibraryLoadException("can't load the plugin '" + lookup_name + "': " + reason);
  }

  [[noreturn]] void failToCreate(const ClassDesc & plugin, const class_loader::ClassLoader & library) const
  {
    const std::string & name = plugin.derived_class_;
    throw CreateClassException(
            "can't make an object of the plugin '" + plugin.lookup_name_ + "': the library '" +
            library.getLibraryPath() + "' does not register the class '" + name + "' with the base class '" +
            source_.base_class + "', but " + impl::listed(namesIn(library)) + ". Is PLUGINLIB_EXPORT_CLASS(" +
            name + ", " + source_.base_class + ") in one of its sources, and are the names those of the manifest?");
  }

  Library load(const ClassDesc & plugin)
  {
    if (Library library = loaded(plugin.lookup_name_)) {
      return library;
    }
    const auto search = impl::findLibrary(plugin.library_name_, plugin.package_);
    if (search.path.empty()) {
      failToLoad(plugin.lookup_name_, missingLibrary(plugin, search));
    }
    try {
      return keep(plugin, std::make_shared<class_loader::ClassLoader>(search.path));
    } catch (const class_loader::LibraryLoadException & error) {
      failToLoad(plugin.lookup_name_, error.what());
    }
  }

  // The lock is held.
  Library loadedOf(const ClassDesc & plugin) const
  {
    const auto found = libraries_.find(plugin.resolved_library_path_);
    return found == libraries_.end() ? nullptr : found->second;
  }

  // Returns a plugin that the manifests declare without contradiction.
  ClassDesc declared(const std::string & lookup_name) const
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = catalog_.classes.find(lookup_name);
    if (found == catalog_.classes.end()) {
      failToLoad(lookup_name, explainMissing(lookup_name));
    }
    const impl::Declaration & declaration = found->second;
    if (!declaration.contradicted_by.empty()) {
      failToLoad(
        lookup_name, "it is declared in '" + declaration.description.plugin_manifest_path_ +
        "' and, differently, in '" + declaration.contradicted_by + "'. Give one of them another name");
    }
    return declaration.description;
  }

  std::string explainMissing(const std::string & lookup_name) const
  {
    const std::string text = catalog_.explainMissing(lookup_name, source_.base_class);
    if (!catalog_.manifests.empty()) {
      return text;
    }
    return text + " No package exports plugins: is the workspace with them sourced, and does their CMakeLists.txt call "
           "pluginlib_export_plugin_description_file(" + source_.package + " <manifest>)? The index has no entries of "
           "the type '" + source_.resourceType() + "'";
  }

  // Keeps a library, unless another thread has loaded it first.
  Library keep(const ClassDesc & plugin, const Library & opened)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const Library library = libraries_.emplace(opened->getLibraryPath(), opened).first->second;
    for (auto & declared : catalog_.classes) {
      ClassDesc & other = declared.second.description;
      if (other.library_name_ == plugin.library_name_ && other.package_ == plugin.package_) {
        other.resolved_library_path_ = library->getLibraryPath();
      }
    }
    return library;
  }

  void forget(const Library & library)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = libraries_.find(library->getLibraryPath());
    if (found == libraries_.end() || found->second != library) {
      return;
    }
    libraries_.erase(found);
    for (auto & declared : catalog_.classes) {
      if (declared.second.description.resolved_library_path_ == library->getLibraryPath()) {
        declared.second.description.resolved_library_path_ = unresolved;
      }
    }
  }

  const impl::CatalogSource source_;
  const std::string typeid_base_class_name_;
  mutable std::mutex mutex_;
  impl::Catalog catalog_;
  std::map<std::string, Library> libraries_;
};

ClassLoaderBase::ClassLoaderBase(
  const std::string & package, const std::string & base_class, const std::string & attrib_name,
  const std::vector<std::string> & plugin_xml_paths, const char * typeid_base_class_name)
: impl_(std::make_unique<Impl>(
      impl::CatalogSource{package, base_class, attrib_name, plugin_xml_paths}, typeid_base_class_name))
{
}

ClassLoaderBase::~ClassLoaderBase() = default;

std::vector<std::string> ClassLoaderBase::getPluginXmlPaths() {return impl_->manifests();}

std::vector<std::string> ClassLoaderBase::getDeclaredClasses() {return impl_->lookupNames();}

std::vector<std::string> ClassLoaderBase::getRegisteredLibraries() {return impl_->libraryPaths();}

std::string ClassLoaderBase::getName(const std::string & lookup_name)
{
  const auto separator = lookup_name.find_last_of("/:");
  return separator == std::string::npos ? lookup_name : lookup_name.substr(separator + 1);
}

std::string ClassLoaderBase::getBaseClassType() const {return impl_->baseClass();}

std::string ClassLoaderBase::getClassType(const std::string & lookup_name)
{
  return impl_->plugin(lookup_name).derived_class_;
}

std::string ClassLoaderBase::getClassDescription(const std::string & lookup_name)
{
  return impl_->plugin(lookup_name).description_;
}

std::string ClassLoaderBase::getClassLibraryPath(const std::string & lookup_name)
{
  const ClassDesc plugin = impl_->plugin(lookup_name);
  if (plugin.library_name_.empty() || plugin.resolved_library_path_ != unresolved) {
    return plugin.library_name_.empty() ? "" : plugin.resolved_library_path_;
  }
  return impl::findLibrary(plugin.library_name_, plugin.package_).path;
}

std::string ClassLoaderBase::getClassPackage(const std::string & lookup_name)
{
  return impl_->plugin(lookup_name).package_;
}

std::string ClassLoaderBase::getPluginManifestPath(const std::string & lookup_name)
{
  return impl_->plugin(lookup_name).plugin_manifest_path_;
}

bool ClassLoaderBase::isClassAvailable(const std::string & lookup_name)
{
  return !impl_->plugin(lookup_name).lookup_name_.empty();
}

bool ClassLoaderBase::isClassLoaded(const std::string & lookup_name)
{
  const Library library = impl_->loaded(lookup_name);
  if (!library) {
    return false;
  }
  const auto names = impl_->namesIn(*library);
  return std::find(names.begin(), names.end(), getClassType(lookup_name)) != names.end();
}

void ClassLoaderBase::loadLibraryForClass(const std::string & lookup_name) {impl_->load(lookup_name);}

int ClassLoaderBase::unloadLibraryForClass(const std::string & lookup_name) {return impl_->unload(lookup_name);}

void ClassLoaderBase::refreshDeclaredClasses() {impl_->refresh();}

std::shared_ptr<class_loader::impl::Instance> ClassLoaderBase::prepareInstance(const std::string & lookup_name)
{
  return impl_->prepare(lookup_name);
}

}  // namespace pluginlib
