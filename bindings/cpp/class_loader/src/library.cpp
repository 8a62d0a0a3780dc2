#include "library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <map>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "class_loader/exceptions.hpp"
#include "rcutils/logging_macros.h"

namespace class_loader
{
namespace impl
{

namespace
{

struct Libraries
{
  std::mutex mutex;
  std::map<std::string, int> open_counts;
  std::vector<void *> unused;
  std::vector<std::shared_ptr<Library>> kept;
};

// Never destroyed: objects may end after the static objects of this library.
Libraries & libraries()
{
  alignas(Libraries) static unsigned char memory[sizeof(Libraries)];
  static Libraries * const instance = new (memory) Libraries;
  return *instance;
}

std::string lastError()
{
  const char * text = dlerror();
  return text ? text : "unknown error";
}

// The dynamic section is in the memory of the library, so that it finds the module of a handle.
const void * moduleOfHandle(void * handle)
{
  link_map * map = nullptr;
  return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map ? moduleOf(map->l_ld).base : nullptr;
}

void logNow(int severity, const std::string & text)
{
  RCUTILS_LOG_COND_NAMED(
    severity, RCUTILS_LOG_CONDITION_EMPTY, RCUTILS_LOG_CONDITION_EMPTY, "class_loader", "%s", text.c_str());
}

thread_local LoadScope * current_load = nullptr;

}  // namespace

std::shared_ptr<Library> Library::open(const std::string & path)
{
  void * handle = nullptr;
  std::string error;
  {
    LoadScope scope(path);
    handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (!handle) {
      error = lastError();
    }
  }
  if (!handle) {
    throw LibraryLoadException("can't load the library '" + path + "': " + error);
  }
  return std::make_shared<Library>(path, handle, true);
}

std::shared_ptr<Library> Library::hold(const std::string & file_name)
{
  void * handle = dlopen(file_name.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  return handle ? std::make_shared<Library>(file_name, handle, false) : nullptr;
}

Library::Library(const std::string & path, void * handle, bool is_counted)
: path_(path), handle_(handle), module_(moduleOfHandle(handle)), is_counted_(is_counted)
{
  if (is_counted_) {
    std::lock_guard<std::mutex> lock(libraries().mutex);
    ++libraries().open_counts[path_];
  }
}

Library::~Library()
{
  std::lock_guard<std::mutex> lock(libraries().mutex);
  libraries().unused.push_back(handle_);
  if (is_counted_ && --libraries().open_counts[path_] == 0) {
    libraries().open_counts.erase(path_);
  }
}

Module moduleOf(const void * address)
{
  Dl_info info = {};
  if (dladdr(address, &info) == 0) {
    return {};
  }
  return {info.dli_fbase, info.dli_fname ? info.dli_fname : ""};
}

void closeUnusedLibraries()
{
  std::vector<void *> unused;
  {
    std::lock_guard<std::mutex> lock(libraries().mutex);
    unused.swap(libraries().unused);
  }
  for (void * handle : unused) {
    if (dlclose(handle) != 0) {
      logNow(RCUTILS_LOG_SEVERITY_WARN, "can't close a library: " + lastError());
    }
  }
}

void keepForever(std::shared_ptr<Library> library)
{
  if (library) {
    std::lock_guard<std::mutex> lock(libraries().mutex);
    libraries().kept.push_back(std::move(library));
  }
}

bool isOpen(const std::string & path)
{
  std::lock_guard<std::mutex> lock(libraries().mutex);
  return libraries().open_counts.count(path) > 0;
}

struct LoadScope::Messages
{
  std::vector<std::pair<int, std::string>> all;
};

LoadScope::LoadScope(const std::string & path)
: path_(path), outer_(current_load), messages_(std::make_unique<Messages>())
{
  current_load = this;
}

LoadScope::~LoadScope()
{
  current_load = outer_;
  for (const auto & message : messages_->all) {
    log(message.first, message.second);
  }
}

LoadScope * LoadScope::current() {return current_load;}

void LoadScope::logLater(int severity, const std::string & text) {messages_->all.emplace_back(severity, text);}

void log(int severity, const std::string & text)
{
  if (LoadScope * load = LoadScope::current()) {
    load->logLater(severity, text);
  } else {
    logNow(severity, text);
  }
}

}  // namespace impl
}  // namespace class_loader
