#include "registry.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "class_loader/class_loader_core.hpp"
#include "rcutils/logging.h"

namespace class_loader
{
namespace impl
{

namespace
{

struct Entry
{
  const AbstractMetaObjectBase * factory;
  // The library that holds the registration.
  Module module;
  // The path by which a loader loaded it; "" if no loader did.
  std::string loaded_by;
};

// How a loader sees an entry; a higher rank is preferred.
enum class Rank {hidden, of_no_loader, loaded_with, own};

Rank rankOf(const Entry & entry, const Library * library)
{
  if (library && entry.module.base && entry.module.base == library->module()) {
    return Rank::own;
  }
  if (library && entry.loaded_by == library->path()) {
    return Rank::loaded_with;
  }
  return entry.loaded_by.empty() ? Rank::of_no_loader : Rank::hidden;
}

struct Registry
{
  std::mutex mutex;
  // By typeid(Base).name(), in the order of registration.
  std::map<std::string, std::vector<Entry>> entries;
  bool has_classes_of_no_loader = false;
};

// Never destroyed: libraries remove their classes when the process ends.
Registry & registry()
{
  alignas(Registry) static unsigned char memory[sizeof(Registry)];
  static Registry * const instance = new (memory) Registry;
  return *instance;
}

// The best entry of a class; the last one registered among equals. An entry without factory if there is none.
Entry bestEntry(const Library * library, const std::string & base, const std::string & class_name)
{
  std::lock_guard<std::mutex> lock(registry().mutex);
  Entry best = {};
  Rank best_rank = Rank::of_no_loader;
  const auto found = registry().entries.find(base);
  if (found == registry().entries.end()) {
    return best;
  }
  for (const Entry & entry : found->second) {
    const Rank rank = rankOf(entry, library);
    if (rank >= best_rank && entry.factory->className() == class_name) {
      best = entry;
      best_rank = rank;
    }
  }
  return best;
}

// Adds an entry, and returns a text if the class was registered before.
std::string add(const Entry & entry)
{
  std::lock_guard<std::mutex> lock(registry().mutex);
  auto & entries = registry().entries[entry.factory->typeidBaseClassName()];
  std::string warning;
  for (const Entry & other : entries) {
    if (other.factory->className() == entry.factory->className()) {
      warning = "the class '" + entry.factory->className() + "' with the base '" + entry.factory->baseClassName() +
        "' is registered by '" + other.module.file_name + "' and again by '" + entry.module.file_name +
        "'; each library uses its own, and the last one is used where no library is named";
    }
  }
  entries.push_back(entry);
  registry().has_classes_of_no_loader |= entry.loaded_by.empty();
  return warning;
}

void removeFactory(const AbstractMetaObjectBase * factory)
{
  std::lock_guard<std::mutex> lock(registry().mutex);
  const auto found = registry().entries.find(factory->typeidBaseClassName());
  if (found == registry().entries.end()) {
    return;
  }
  auto & entries = found->second;
  const auto is_removed = [factory](const Entry & entry) {return entry.factory == factory;};
  entries.erase(std::remove_if(entries.begin(), entries.end(), is_removed), entries.end());
  if (entries.empty()) {
    registry().entries.erase(found);
  }
}

}  // namespace

FoundFactory findFactory(
  const Library * library, const std::string & typeid_base_class_name, const std::string & class_name)
{
  while (true) {
    const Entry entry = bestEntry(library, typeid_base_class_name, class_name);
    if (!entry.factory || rankOf(entry, library) == Rank::own) {
      return {entry.factory, nullptr};
    }
    // Another module may be unloaded at any time, until it is held. The lock of the registry is not held here,
    // because the linker has its own lock when it calls the registry.
    std::shared_ptr<Library> held = Library::hold(entry.module.file_name);
    const Entry again = bestEntry(library, typeid_base_class_name, class_name);
    if (again.factory == entry.factory && again.module.base == entry.module.base) {
      return {entry.factory, std::move(held)};
    }
  }
}

std::vector<std::string> classNames(const Library * library, const std::string & typeid_base_class_name)
{
  std::vector<std::string> names;
  std::lock_guard<std::mutex> lock(registry().mutex);
  const auto found = registry().entries.find(typeid_base_class_name);
  if (found == registry().entries.end()) {
    return names;
  }
  for (const Rank rank : {Rank::own, Rank::loaded_with, Rank::of_no_loader}) {
    for (const Entry & entry : found->second) {
      const std::string & name = entry.factory->className();
      if (rankOf(entry, library) == rank && std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(name);
      }
    }
  }
  return names;
}

MetaObjectHandle addMetaObject(
  std::unique_ptr<AbstractMetaObjectBase> factory, const void * address, const char * message)
{
  const LoadScope * load = LoadScope::current();
  const void * known_address = address ? address : __builtin_return_address(0);
  const Entry entry = {factory.get(), moduleOf(known_address), load ? load->path() : ""};
  const std::string warning = add(entry);
  if (!warning.empty()) {
    log(RCUTILS_LOG_SEVERITY_WARN, warning);
  }
  if (message && *message != '\0') {
    log(RCUTILS_LOG_SEVERITY_INFO, message);
  }
  return MetaObjectHandle(factory.release());
}

void MetaObjectDeleter::operator()(AbstractMetaObjectBase * factory) const
{
  removeFactory(factory);
  delete factory;
}

void printDebugInfoToScreen()
{
  std::string text;
  {
    std::lock_guard<std::mutex> lock(registry().mutex);
    for (const auto & base : registry().entries) {
      for (const Entry & entry : base.second) {
        text += entry.factory->className() + " : " + entry.factory->baseClassName() + " in " +
          entry.module.file_name + (entry.loaded_by.empty() ? "" : ", loaded as " + entry.loaded_by) + "\n";
      }
    }
  }
  std::fputs(text.c_str(), stdout);
}

bool hasANonPurePluginLibraryBeenOpened()
{
  std::lock_guard<std::mutex> lock(registry().mutex);
  return registry().has_classes_of_no_loader;
}

AbstractMetaObjectBase::AbstractMetaObjectBase(
  const std::string & class_name, const std::string & base_class_name, const std::string & typeid_base_class_name)
: class_name_(class_name), base_class_name_(base_class_name), typeid_base_class_name_(typeid_base_class_name)
{
}

AbstractMetaObjectBase::~AbstractMetaObjectBase() = default;

const std::string & AbstractMetaObjectBase::className() const {return class_name_;}

const std::string & AbstractMetaObjectBase::baseClassName() const {return base_class_name_;}

const std::string & AbstractMetaObjectBase::typeidBaseClassName() const {return typeid_base_class_name_;}

std::string AbstractMetaObjectBase::getAssociatedLibraryPath() const
{
  std::lock_guard<std::mutex> lock(registry().mutex);
  const auto found = registry().entries.find(typeid_base_class_name_);
  if (found != registry().entries.end()) {
    for (const Entry & entry : found->second) {
      if (entry.factory == this) {
        return entry.loaded_by;
      }
    }
  }
  return "";
}

}  // namespace impl
}  // namespace class_loader
