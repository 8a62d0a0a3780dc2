// What the tests of class_loader share.
#ifndef FIXTURE_HPP_
#define FIXTURE_HPP_

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "rcutils/logging.h"

constexpr char cats[] = "libsaltus_test_cats.so";
constexpr char cows[] = "libsaltus_test_cows.so";
constexpr char herd[] = "libsaltus_test_herd.so";
constexpr char linked[] = "libsaltus_test_linked.so";
constexpr char sticky[] = "libsaltus_test_sticky.so";
constexpr char greedy[] = "libsaltus_test_greedy.so";

/// Returns true if a library is in memory.
inline bool is_mapped(const char * path)
{
  void * handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (handle) {
    dlclose(handle);
  }
  return handle != nullptr;
}

/// Returns a number that a plugin counts in the environment.
inline int counted(const char * name)
{
  const char * value = std::getenv(name);
  return value ? std::atoi(value) : 0;
}

/// Collects the log messages of a test.
class WithLog : public ::testing::Test
{
protected:
  void SetUp() override
  {
    messages().clear();
    rcutils_logging_set_output_handler(
      [](const rcutils_log_location_t *, int, const char * name, rcutils_time_point_value_t, const char * format,
      va_list * args) {
        char text[1024];
        std::vsnprintf(text, sizeof(text), format, *args);
        static std::mutex mutex;
        std::lock_guard<std::mutex> lock(mutex);
        messages().push_back(std::string(name) + ": " + text);
      });
  }
  void TearDown() override {rcutils_logging_set_output_handler(rcutils_logging_console_output_handler);}

  static std::vector<std::string> & messages()
  {
    static std::vector<std::string> all;
    return all;
  }
  /// Returns how many messages have a text.
  static int logged(const std::string & text)
  {
    int count = 0;
    for (const auto & message : messages()) {
      count += message.find(text) != std::string::npos ? 1 : 0;
    }
    return count;
  }
};

#endif
