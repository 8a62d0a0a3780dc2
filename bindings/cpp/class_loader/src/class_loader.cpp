#include "class_loader/class_loader.hpp"

#include <atomic>
#include <mutex>

#include "library.hpp"
#include "rcpputils/shared_library.hpp"
#include "rcutils/logging.h"
#include "registry.hpp"

namespace class_loader
{
namespace impl
{

/// What a loader shares with its objects, which may live longer.
class LoaderState
{
public:
  LoaderState(const std::string & library_path, bool is_on_demand)
  : path(library_path), on_demand(is_on_demand)
  {
  }

  const std::string path;
  const bool on_demand;

  std::shared_ptr<Library> library() const
  {
    std::lock_guard<std::mutex> lock(mutex_);
    return library_;
  }

  /// Counts one load. The library is opened without a lock, because its static objects may use class loaders.
  void load()
  {
    closeUnusedLibraries();
    auto opened = Library::open(path);
    std::lock_guard<std::mutex> lock(mutex_);
    if (!library_) {
      library_ = std::move(opened);
    }
    ++load_count_;
  }

  /// Counts one load less; returns what is left.
  int unload()
  {
    std::unique_lock<std::mutex> lock(mutex_);
    if (load_count_ == 0) {
      return 0;
    }
    if (instance_count_ > 0) {
      const int left = load_count_;
      lock.unlock();
      log(RCUTILS_LOG_SEVERITY_WARN, "the library '" + path + "' is not unloaded, because objects of it exist");
      return left;
    }
    --load_count_;
    if (load_count_ == 0) {
      library_.reset();
    }
    return load_count_;
  }

  /// Counts one object and returns the library; loads it if it is not loaded.
  std::shared_ptr<Library> beginInstance()
  {
    while (true) {
      {
        std::lock_guard<std::mutex> lock(mutex_);
        if (library_) {
          ++instance_count_;
          return library_;
        }
      }
      load();
    }
  }

  void endInstance()
  {
    std::lock_guard<std::mutex> lock(mutex_);
    --instance_count_;
    if (on_demand && instance_count_ == 0 && !has_unmanaged_instance_) {
      load_count_ = 0;
      library_.reset();
    }
  }

  void noteUnmanagedInstance()
  {
    std::lock_guard<std::mutex> lock(mutex_);
    has_unmanaged_instance_ = true;
  }

private:
  mutable std::mutex mutex_;
  std::shared_ptr<Library> library_;
  int load_count_ = 0;
  int instance_count_ = 0;
  bool has_unmanaged_instance_ = false;
};

struct LoaderAccess
{
  static const std::shared_ptr<LoaderState> & stateOf(const ClassLoader & loader) {return loader.state_;}
};

namespace
{

std::atomic<bool> has_unmanaged_instance{false};

/// The libraries of an object, and its place in the count of its loader.
class LoadedInstance : public Instance
{
public:
  explicit LoadedInstance(std::shared_ptr<LoaderState> state)
  : state_(std::move(state)), library_(state_ ? state_->beginInstance() : nullptr)
  {
  }

  ~LoadedInstance() override
  {
    // The object exists and its owner deletes it in another way than ours: its code must stay.
    if (exists_) {
      keepForever(library_);
      keepForever(found_.library);
      has_unmanaged_instance = true;
      if (state_) {
        state_->noteUnmanagedInstance();
      }
    }
    end();
  }

  void find(const std::string & typeid_base_class_name, const std::string & class_name)
  {
    found_ = findFactory(library_.get(), typeid_base_class_name, class_name);
    if (!found_.factory) {
      throw CreateClassException(
              "can't make an object of the class '" + class_name + "': " +
              (library_ ? "the library '" + library_->path() + "' does not register it" : "no library registers it") +
              " for this base");
    }
  }

  const AbstractMetaObjectBase & factory() const override {return *found_.factory;}

  void created() override {exists_ = true;}

  void deleted() override
  {
    exists_ = false;
    end();
  }

private:
  void end()
  {
    library_.reset();
    found_ = {};
    if (const auto state = std::move(state_)) {
      state->endInstance();
    }
  }

  std::shared_ptr<LoaderState> state_;
  std::shared_ptr<Library> library_;
  FoundFactory found_;
  bool exists_ = false;
};

}  // namespace

Instance::~Instance() = default;

std::shared_ptr<Instance> prepareInstance(
  ClassLoader * loader, const std::string & typeid_base_class_name, const std::string & class_name)
{
  auto instance = std::make_shared<LoadedInstance>(loader ? LoaderAccess::stateOf(*loader) : nullptr);
  instance->find(typeid_base_class_name, class_name);
  return instance;
}

std::vector<std::string> getAvailableClassNames(
  const ClassLoader * loader, const std::string & typeid_base_class_name)
{
  const auto library = loader ? LoaderAccess::stateOf(*loader)->library() : nullptr;
  return classNames(library.get(), typeid_base_class_name);
}

bool isLibraryLoaded(const std::string & library_path, const ClassLoader * loader)
{
  return loader && loader->getLibraryPath() == library_path && loader->isLibraryLoaded();
}

bool isLibraryLoadedByAnybody(const std::string & library_path) {return isOpen(library_path);}

void loadLibrary(const std::string & library_path, ClassLoader * loader)
{
  if (loader && loader->getLibraryPath() == library_path) {
    loader->loadLibrary();
  } else {
    keepForever(Library::open(library_path));
  }
}

void unloadLibrary(const std::string & library_path, ClassLoader * loader)
{
  if (!isLibraryLoaded(library_path, loader)) {
    throw LibraryUnloadException("can't unload the library '" + library_path + "': this loader has not loaded it");
  }
  loader->unloadLibrary();
}

std::vector<std::string> getAllLibrariesUsedByClassLoader(const ClassLoader * loader)
{
  std::vector<std::string> paths;
  if (loader && loader->isLibraryLoaded()) {
    paths.push_back(loader->getLibraryPath());
  }
  return paths;
}

}  // namespace impl

std::string systemLibraryPrefix() {return "lib";}

std::string systemLibrarySuffix() {return ".so";}

std::string systemLibraryFormat(const std::string & library_name)
{
  return rcpputils::get_platform_library_name(library_name);
}

ClassLoader::ClassLoader(const std::string & library_path, bool ondemand_load_unload)
: state_(std::make_shared<impl::LoaderState>(library_path, ondemand_load_unload))
{
  if (!ondemand_load_unload) {
    loadLibrary();
  }
}

ClassLoader::~ClassLoader()
{
  state_.reset();
  impl::closeUnusedLibraries();
}

const std::string & ClassLoader::getLibraryPath() const {return state_->path;}

bool ClassLoader::isLibraryLoaded() const {return state_->library() != nullptr;}

bool ClassLoader::isLibraryLoadedByAnyClassloader() const {return impl::isLibraryLoadedByAnybody(getLibraryPath());}

bool ClassLoader::isOnDemandLoadUnloadEnabled() const {return state_->on_demand;}

void ClassLoader::loadLibrary() {state_->load();}

int ClassLoader::unloadLibrary()
{
  const int left = state_->unload();
  impl::closeUnusedLibraries();
  return left;
}

bool ClassLoader::hasUnmanagedInstanceBeenCreated() {return impl::has_unmanaged_instance;}

}  // namespace class_loader
