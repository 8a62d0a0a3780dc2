// What the tests of pluginlib share: a prefix with packages, which a test fills.
#ifndef FIXTURE_HPP_
#define FIXTURE_HPP_

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "pluginlib/class_loader.hpp"
#include "rcutils/logging.h"
#include "tool.hpp"

using ToolLoader = pluginlib::ClassLoader<shed::Tool>;
using Names = std::vector<std::string>;

constexpr char hand_tools[] = "libsaltus_test_hand_tools.so";
constexpr char power_tools[] = "libsaltus_test_power_tools.so";

constexpr char hand_manifest[] = R"(<?xml version="1.0"?>
<!-- Comments, and elements of others, may be everywhere. -->
<library path="saltus_test_hand_tools">
  <class name="hand/Hammer" type="hand::Hammer" base_class_type="shed::Tool">
    <description>Hits &amp; bangs.</description>
  </class>
  <!-- The name is that of the type. -->
  <class type="hand::Saw" base_class_type="shed::Tool"/>
  <class type="hand::Broken" base_class_type="shed::Tool"><description/></class>
  <class type="hand::Candle" base_class_type="shed::Light"/>
  <other/>
</library>
)";

/// Returns true if a text has a part.
inline bool has(const std::string & text, const std::string & part) {return text.find(part) != std::string::npos;}

/// Returns true if a library is in memory.
inline bool is_mapped(const std::string & path)
{
  void * handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle) {
    dlclose(handle);
  }
  return handle != nullptr;
}

/// Returns the text of the exception that a function throws, which must be an `Exception`.
template<class Exception, class Function>
std::string message_of(Function function)
{
  try {
    function();
  } catch (const Exception & exception) {
    return exception.what();
  }
  ADD_FAILURE() << "no exception";
  return "";
}

/// A temporary prefix, which is the only one. It has the packages `shed` and `hand` with the plugins above.
class Shed : public ::testing::Test
{
protected:
  Shed()
  {
    char folder[] = "/tmp/saltus-pluginlib-XXXXXX";
    prefix = mkdtemp(folder);
    setenv("AMENT_PREFIX_PATH", prefix.c_str(), 1);
    collect_log();
    add_package("shed");
    add_package("hand");
    export_manifest("hand", "plugins.xml", hand_manifest);
    add_library(hand_tools);
  }

  ~Shed() override
  {
    rcutils_logging_set_output_handler(rcutils_logging_console_output_handler);
    std::filesystem::remove_all(prefix);
  }

  std::string path(const std::string & relative) const {return prefix + "/" + relative;}

  void write(const std::string & relative, const std::string & content) const
  {
    const std::filesystem::path file = path(relative);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
  }

  void add_package(const std::string & name) const
  {
    write("share/ament_index/resource_index/packages/" + name, "");
    write("share/" + name + "/package.xml", "<package format=\"3\"><name>" + name + "</name></package>");
  }

  /// Writes a manifest and the entry of the index.
  void export_manifest(const std::string & package, const std::string & file, const std::string & content) const
  {
    const std::string relative = "share/" + package + "/" + file;
    write(relative, content);
    write("share/ament_index/resource_index/shed__pluginlib__plugin/" + package, relative + "\n");
  }

  /// Installs a library of the build folder, which LD_LIBRARY_PATH has.
  void add_library(const std::string & name, const std::string & as = "") const
  {
    const std::filesystem::path target = path("lib/" + (as.empty() ? name : as));
    std::filesystem::create_directories(target.parent_path());
    const char * value = std::getenv("LD_LIBRARY_PATH");
    std::istringstream folders(value ? value : "");
    for (std::string folder; std::getline(folders, folder, ':'); ) {
      const auto file = std::filesystem::path(folder) / name;
      if (std::filesystem::exists(file)) {
        std::filesystem::copy_file(file, target);
        return;
      }
    }
    FAIL() << name << " is not in LD_LIBRARY_PATH";
  }

  static ToolLoader loader() {return ToolLoader("shed", "shed::Tool");}

  static bool logged(const std::string & text)
  {
    for (const auto & message : messages()) {
      if (has(message, text)) {
        return true;
      }
    }
    return false;
  }

  std::string prefix;

private:
  static std::vector<std::string> & messages()
  {
    static std::vector<std::string> all;
    return all;
  }

  static void collect_log()
  {
    messages().clear();
    rcutils_logging_set_output_handler(
      [](const rcutils_log_location_t *, int, const char * name, rcutils_time_point_value_t, const char * format,
      va_list * args) {
        char text[2048];
        std::vsnprintf(text, sizeof(text), format, *args);
        static std::mutex mutex;
        std::lock_guard<std::mutex> lock(mutex);
        messages().push_back(std::string(name) + ": " + text);
      });
  }
};

#endif
