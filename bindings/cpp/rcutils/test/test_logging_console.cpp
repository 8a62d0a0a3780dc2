#include <regex>
#include <sstream>
#include <thread>

#include "logging_fixture.hpp"
#include "rcutils/logging_macros.h"

namespace
{

// Logs one message to the console with these variables.
std::string line_with(
  const std::vector<std::pair<const char *, const char *>> & variables, FILE * stream = stderr,
  int severity = RCUTILS_LOG_SEVERITY_WARN)
{
  EXPECT_EQ(RCUTILS_RET_OK, rcutils_logging_shutdown());
  for (const auto & variable : variables) {
    setenv(variable.first, variable.second, 1);
  }
  static const rcutils_log_location_t location = {"function", "/folder/file.cpp", 42};
  Captured captured(stream);
  rcutils_log(&location, severity, "node.child", "text %d", 1);
  return captured.text();
}

std::string format_of(const char * format)
{
  return line_with({{"RCUTILS_CONSOLE_OUTPUT_FORMAT", format}});
}

TEST_F(Logging, the_default_format)
{
  const std::regex expected(R"(\[WARN\] \[\d{10}\.\d{9}\] \[node\.child\]: text 1\n)");
  const std::string line = line_with({});
  EXPECT_TRUE(std::regex_match(line, expected)) << line;
}

TEST_F(Logging, words_of_the_format)
{
  EXPECT_EQ(
    "WARN node.child text 1 function /folder/file.cpp file.cpp 42\n",
    format_of("{severity} {name} {message} {function_name} {file_name} {short_file_name} {line_number}"));
  EXPECT_TRUE(std::regex_match(format_of("{time_as_nanoseconds}"), std::regex("\\d{19}\n")));
  const std::regex date("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3}\n");
  EXPECT_TRUE(std::regex_match(format_of("{date_time_with_ms}"), date));
}

TEST_F(Logging, what_is_no_word_stays)
{
  EXPECT_EQ("{unknown}{} {{text 1} { \n", format_of("{unknown}{} {{{message}} { "));
  EXPECT_EQ("a\nb\tc\\d\\q\n", format_of("a\\nb\\tc\\\\d\\q"));
  EXPECT_EQ("\\\n", format_of("\\"));
  const std::regex expected(R"(\[WARN\] .*\n)");
  EXPECT_TRUE(std::regex_match(format_of(""), expected));
}

TEST_F(Logging, colors)
{
  const auto colored = [](const char * value, int severity) {
      return line_with(
        {{"RCUTILS_COLORIZED_OUTPUT", value}, {"RCUTILS_CONSOLE_OUTPUT_FORMAT", "{message}"}}, stderr, severity);
    };
  EXPECT_EQ("\033[33mtext 1\033[0m\n", colored("1", RCUTILS_LOG_SEVERITY_WARN));
  EXPECT_EQ("\033[31mtext 1\033[0m\n", colored("1", RCUTILS_LOG_SEVERITY_ERROR));
  EXPECT_EQ("\033[31mtext 1\033[0m\n", colored("1", RCUTILS_LOG_SEVERITY_FATAL));
  EXPECT_EQ("\033[0mtext 1\033[0m\n", colored("1", RCUTILS_LOG_SEVERITY_INFO));
  EXPECT_EQ("text 1\n", colored("0", RCUTILS_LOG_SEVERITY_WARN));
  // A file is no terminal.
  EXPECT_EQ("text 1\n", colored("", RCUTILS_LOG_SEVERITY_WARN));
}

TEST_F(Logging, wrong_values_are_reported_and_ignored)
{
  const std::string text =
    line_with({{"RCUTILS_COLORIZED_OUTPUT", "yes"}, {"RCUTILS_CONSOLE_OUTPUT_FORMAT", "{message}"}});
  EXPECT_EQ("rcutils: RCUTILS_COLORIZED_OUTPUT is 'yes' and is ignored; set it to 0 or 1\ntext 1\n", text);
}

TEST_F(Logging, stdout_and_buffers)
{
  for (const char * is_buffered : {"0", "1"}) {
    EXPECT_EQ(
      "text 1\n",
      line_with(
        {{"RCUTILS_LOGGING_USE_STDOUT", "1"}, {"RCUTILS_LOGGING_BUFFERED_STREAM", is_buffered},
          {"RCUTILS_CONSOLE_OUTPUT_FORMAT", "{message}"}}, stdout));
  }
  Captured captured(stdout);
  EXPECT_EQ("", line_with({{"RCUTILS_LOGGING_USE_STDOUT", "1"}}, stderr));
}

TEST_F(Logging, unknown_severities_are_written)
{
  const std::string line = line_with({{"RCUTILS_CONSOLE_OUTPUT_FORMAT", "{severity}"}}, stderr, 25);
  EXPECT_EQ("UNKNOWN\n", line);
}

TEST_F(Logging, long_messages_are_not_cut)
{
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_logging_shutdown());
  setenv("RCUTILS_CONSOLE_OUTPUT_FORMAT", "{message}{message}", 1);
  const std::string text(5000, 'x');
  Captured captured(stderr);
  RCUTILS_LOG_INFO("%s", text.c_str());
  EXPECT_EQ(text + text + "\n", captured.text());
}

TEST_F(Logging, lines_of_threads_do_not_mix)
{
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_logging_shutdown());
  setenv("RCUTILS_CONSOLE_OUTPUT_FORMAT", "<{message}>", 1);
  Captured captured(stderr);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back(
      [thread] {
        const std::string text(100, static_cast<char>('a' + thread));
        for (int round = 0; round < 200; ++round) {
          RCUTILS_LOG_INFO("%s", text.c_str());
        }
      });
  }
  for (auto & thread : threads) {
    thread.join();
  }
  std::istringstream lines(captured.text());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    ASSERT_EQ(102u, line.size());
    EXPECT_EQ(std::string(100, line[1]), line.substr(1, 100));
  }
  EXPECT_EQ(800, count);
}

TEST_F(Logging, format_message)
{
  setenv("RCUTILS_CONSOLE_OUTPUT_FORMAT", "{name}:{line_number}:{message}", 1);
  setenv("RCUTILS_COLORIZED_OUTPUT", "1", 1);
  const auto allocator = rcutils_get_default_allocator();
  rcutils_char_array_t output = rcutils_get_zero_initialized_char_array();
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_char_array_init(&output, 4, &allocator));
  ASSERT_EQ(
    RCUTILS_RET_OK, rcutils_logging_format_message(nullptr, RCUTILS_LOG_SEVERITY_INFO, nullptr, 0, "m", &output));
  EXPECT_STREQ("::m", output.buffer);
  EXPECT_EQ(
    RCUTILS_RET_INVALID_ARGUMENT,
    rcutils_logging_format_message(nullptr, RCUTILS_LOG_SEVERITY_INFO, nullptr, 0, "m", nullptr));
  rcutils_reset_error();
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_char_array_fini(&output));
}

}  // namespace
