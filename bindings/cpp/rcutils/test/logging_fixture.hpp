// Collects log messages, and captures stderr and stdout.
#ifndef LOGGING_FIXTURE_HPP_
#define LOGGING_FIXTURE_HPP_

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "rcutils/logging.h"

struct Message
{
  int severity;
  std::string name;
  std::string text;
  std::string function;
  size_t line;
};

/** The messages that the handler of the fixture got. */
class Collected
{
public:
  static Collected & get()
  {
    static Collected collected;
    return collected;
  }
  void add(const Message & message)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    messages_.push_back(message);
  }
  std::vector<Message> take()
  {
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<Message> taken;
    taken.swap(messages_);
    return taken;
  }

private:
  std::mutex mutex_;
  std::vector<Message> messages_;
};

inline void collect(
  const rcutils_log_location_t * location, int severity, const char * name, rcutils_time_point_value_t,
  const char * format, va_list * args)
{
  char text[4096];
  std::vsnprintf(text, sizeof(text), format, *args);
  Collected::get().add(
    {severity, name, text, location ? location->function_name : "", location ? location->line_number : 0});
}

/** Starts each test with fresh logging, without environment variables. */
class Logging : public ::testing::Test
{
protected:
  void SetUp() override
  {
    restart();
    rcutils_logging_set_output_handler(collect);
    take();
  }
  void TearDown() override {restart();}

  static void restart()
  {
    for (const char * name : {"RCUTILS_CONSOLE_OUTPUT_FORMAT", "RCUTILS_COLORIZED_OUTPUT",
        "RCUTILS_LOGGING_USE_STDOUT", "RCUTILS_LOGGING_BUFFERED_STREAM"})
    {
      unsetenv(name);
    }
    ASSERT_EQ(RCUTILS_RET_OK, rcutils_logging_shutdown());
  }
  static std::vector<Message> take() {return Collected::get().take();}
};

/** Redirects a file descriptor to a file until text() is called. */
class Captured
{
public:
  explicit Captured(FILE * stream)
  : stream_(stream), file_(std::tmpfile())
  {
    std::fflush(stream_);
    saved_ = dup(fileno(stream_));
    dup2(fileno(file_), fileno(stream_));
  }
  ~Captured() {text();}
  Captured(const Captured &) = delete;
  Captured & operator=(const Captured &) = delete;

  std::string text()
  {
    if (saved_ >= 0) {
      std::fflush(stream_);
      dup2(saved_, fileno(stream_));
      close(saved_);
      saved_ = -1;
      std::rewind(file_);
      char buffer[4096];
      for (size_t size = 1; size > 0; ) {
        size = std::fread(buffer, 1, sizeof(buffer), file_);
        text_.append(buffer, size);
      }
      std::fclose(file_);
    }
    return text_;
  }

private:
  FILE * stream_;
  FILE * file_;
  int saved_ = -1;
  std::string text_;
};

#endif
