// Logs: their levels, which rcutils has too, their output, and the services for them.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "fixture.hpp"
#include "rcl_interfaces/msg/log.hpp"
#include "rcl_interfaces/srv/get_logger_levels.hpp"
#include "rcl_interfaces/srv/set_logger_levels.hpp"
#include "rcutils/logging_macros.h"

namespace
{

std::vector<std::string> records;

void keep(
  const rcutils_log_location_t * location, int severity, const char * name, rcutils_time_point_value_t, const char * format,
  va_list * arguments)
{
  char text[2000];
  std::vsnprintf(text, sizeof text, format, *arguments);
  const std::string function = location == nullptr ? "nowhere" : location->function_name;
  records.push_back(std::to_string(severity) + " " + name + " " + function + " " + text);
}

class Logging : public WithContext
{
protected:
  ~Logging() override
  {
    rcutils_logging_set_output_handler(rcutils_logging_console_output_handler);
    rcutils_logging_set_default_logger_level(RCUTILS_LOG_SEVERITY_INFO);
    records.clear();
  }
};

}  // namespace

TEST_F(Logging, levels_of_rcutils_are_those_of_loggers)
{
  auto logger = rclcpp::get_logger("levels");
  EXPECT_FALSE(logger.is_enabled(RCUTILS_LOG_SEVERITY_DEBUG));
  ASSERT_EQ(rcutils_logging_set_logger_level("levels", RCUTILS_LOG_SEVERITY_DEBUG), RCUTILS_RET_OK);
  EXPECT_TRUE(logger.is_enabled(RCUTILS_LOG_SEVERITY_DEBUG));
  EXPECT_TRUE(logger.get_child("below").is_enabled(RCUTILS_LOG_SEVERITY_DEBUG));
  ASSERT_EQ(rcutils_logging_set_logger_level("levels", RCUTILS_LOG_SEVERITY_UNSET), RCUTILS_RET_OK);
  EXPECT_FALSE(logger.is_enabled(RCUTILS_LOG_SEVERITY_DEBUG));
  rcutils_logging_set_default_logger_level(RCUTILS_LOG_SEVERITY_ERROR);
  EXPECT_EQ(logger.get_effective_level(), rclcpp::Logger::Level::Error);
}

TEST_F(Logging, levels_of_loggers_are_those_of_rcutils)
{
  auto logger = rclcpp::get_logger("set_levels");
  logger.set_level(rclcpp::Logger::Level::Fatal);
  EXPECT_EQ(rcutils_logging_get_logger_level("set_levels"), RCUTILS_LOG_SEVERITY_FATAL);
  EXPECT_EQ(logger.get_effective_level(), rclcpp::Logger::Level::Fatal);
  logger.set_level(rclcpp::Logger::Level::Unset);
  EXPECT_EQ(logger.get_effective_level(), rclcpp::Logger::Level::Info);
  EXPECT_THROW(logger.set_level(static_cast<rclcpp::Logger::Level>(33)), rclcpp::exceptions::RCLInvalidArgument);
}

TEST_F(Logging, the_level_of_the_command_line_is_that_of_rcutils)
{
  rclcpp::shutdown();
  const char * arguments[] = {"program", "--ros-args", "--log-level", "error"};
  rclcpp::init(4, arguments);
  EXPECT_EQ(rcutils_logging_get_default_logger_level(), RCUTILS_LOG_SEVERITY_ERROR);
  EXPECT_FALSE(rcutils_logging_logger_is_enabled_for("of_c", RCUTILS_LOG_SEVERITY_WARN));
  EXPECT_FALSE(rclcpp::get_logger("of_cpp").is_enabled(RCUTILS_LOG_SEVERITY_WARN));
}

TEST_F(Logging, an_output_handler_gets_all_records)
{
  rcutils_logging_set_output_handler(&keep);
  auto logger = rclcpp::get_logger("handler");
  RCLCPP_WARN(logger, "%d%%", 7);
  RCLCPP_DEBUG(logger, "hidden");
  RCUTILS_LOG_ERROR_NAMED("handler", "of C");
  RCLCPP_INFO_STREAM(logger, std::string(1500, 'x'));
  EXPECT_EQ(
    records, (std::vector<std::string>{
    "30 handler TestBody 7%", "40 handler TestBody of C", "20 handler TestBody " + std::string(1500, 'x')}));
  rcutils_logging_set_output_handler(nullptr);
  RCLCPP_WARN(logger, "dropped");
  EXPECT_EQ(records.size(), 3u);
}

TEST_F(Logging, rosout_is_an_option)
{
  auto node = new_node();
  auto silent = std::make_shared<rclcpp::Node>("silent", "here", rclcpp::NodeOptions().enable_rosout(false));
  std::vector<std::string> heard;
  auto subscription = node->create_subscription<rcl_interfaces::msg::Log>(
    "/rosout", rclcpp::RosoutQoS(), [&](const rcl_interfaces::msg::Log & log) {heard.push_back(log.msg);});
  EXPECT_STREQ(silent->get_logger().get_name(), "here.silent");
  RCLCPP_WARN(silent->get_logger(), "only on the console");
  RCLCPP_WARN(node->get_logger(), "on /rosout");
  EXPECT_TRUE(spin_until(node, [&] {return !heard.empty();}));
  EXPECT_EQ(heard, std::vector<std::string>{"on /rosout"});
}

TEST_F(Logging, records_under_the_name_of_a_node_are_on_rosout)
{
  auto node = new_node();
  std::vector<std::string> heard;
  auto subscription = node->create_subscription<rcl_interfaces::msg::Log>(
    "/rosout", rclcpp::RosoutQoS(), [&](const rcl_interfaces::msg::Log & log) {heard.push_back(log.msg);});
  const std::string name = node->get_logger().get_name();
  RCLCPP_WARN(rclcpp::get_logger(name), "node");
  RCLCPP_WARN(rclcpp::get_logger(name + ".child"), "no child yet");
  {
    const auto child = node->get_logger().get_child("child");
    RCLCPP_WARN(node->get_logger().get_child("child"), "temporary");
    RCLCPP_WARN(rclcpp::get_logger(name + ".child"), "child");
    RCLCPP_WARN(rclcpp::get_logger(name).get_child("other"), "other");
  }
  RCLCPP_WARN(rclcpp::get_logger(name + ".child"), "the child has gone");
  RCLCPP_WARN(node->get_logger(), "end");
  EXPECT_TRUE(spin_until(node, [&] {return !heard.empty() && heard.back() == "end";}));
  EXPECT_EQ(heard, (std::vector<std::string>{"node", "temporary", "child", "other", "end"}));
}

TEST_F(Logging, services_read_and_set_levels)
{
  auto plain = new_node();
  EXPECT_EQ(plain->count_services("~/get_logger_levels"), 0u);
  auto node = std::make_shared<rclcpp::Node>("with_services", rclcpp::NodeOptions().enable_logger_service(true));
  auto set = plain->create_client<rcl_interfaces::srv::SetLoggerLevels>("/with_services/set_logger_levels");
  auto get = plain->create_client<rcl_interfaces::srv::GetLoggerLevels>("/with_services/get_logger_levels");
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(node);
  executor.add_node(plain);
  ASSERT_TRUE(set->wait_for_service(10s));
  auto set_request = std::make_shared<rcl_interfaces::srv::SetLoggerLevels::Request>();
  set_request->levels.resize(2);
  set_request->levels[0].name = "with_services";
  set_request->levels[0].level = RCUTILS_LOG_SEVERITY_DEBUG;
  set_request->levels[1].name = "with_services";
  set_request->levels[1].level = 33;
  auto set_future = set->async_send_request(set_request);
  ASSERT_EQ(executor.spin_until_future_complete(set_future, 10s), rclcpp::FutureReturnCode::SUCCESS);
  const auto results = set_future.get()->results;
  ASSERT_EQ(results.size(), 2u);
  EXPECT_TRUE(results[0].successful);
  EXPECT_FALSE(results[1].successful);
  EXPECT_NE(results[1].reason.find("33"), std::string::npos) << results[1].reason;
  EXPECT_TRUE(node->get_logger().is_enabled(RCUTILS_LOG_SEVERITY_DEBUG));

  auto get_request = std::make_shared<rcl_interfaces::srv::GetLoggerLevels::Request>();
  get_request->names = {"with_services", "other"};
  auto get_future = get->async_send_request(get_request);
  ASSERT_EQ(executor.spin_until_future_complete(get_future, 10s), rclcpp::FutureReturnCode::SUCCESS);
  const auto levels = get_future.get()->levels;
  ASSERT_EQ(levels.size(), 2u);
  EXPECT_EQ(levels[0].name, "with_services");
  EXPECT_EQ(levels[0].level, RCUTILS_LOG_SEVERITY_DEBUG);
  // It has no level of its own.
  EXPECT_EQ(levels[1].level, RCUTILS_LOG_SEVERITY_UNSET);
}

TEST(LogLevels, those_of_the_arguments_apply_to_rcutils)
{
  const char * arguments[] = {
    "program", "--ros-args", "--log-level", "warn", "--log-level", "chatty:=debug", "--log-level", "a.b:=error"};
  rclcpp::init(8, arguments);
  EXPECT_EQ(rcutils_logging_get_default_logger_level(), RCUTILS_LOG_SEVERITY_WARN);
  EXPECT_TRUE(rcutils_logging_logger_is_enabled_for("chatty", RCUTILS_LOG_SEVERITY_DEBUG));
  EXPECT_TRUE(rclcpp::get_logger("chatty").is_enabled(RCUTILS_LOG_SEVERITY_DEBUG));
  EXPECT_EQ(rcutils_logging_get_logger_effective_level("a.b.c"), RCUTILS_LOG_SEVERITY_ERROR);
  EXPECT_EQ(rcutils_logging_get_logger_level("a.b.c"), RCUTILS_LOG_SEVERITY_UNSET);
  EXPECT_FALSE(rcutils_logging_logger_is_enabled_for("other", RCUTILS_LOG_SEVERITY_INFO));
  rclcpp::shutdown();
  rcutils_logging_set_default_logger_level(RCUTILS_LOG_SEVERITY_INFO);
  EXPECT_EQ(RCUTILS_RET_OK, rcutils_logging_set_logger_level("chatty", RCUTILS_LOG_SEVERITY_UNSET));
  EXPECT_EQ(RCUTILS_RET_OK, rcutils_logging_set_logger_level("a.b", RCUTILS_LOG_SEVERITY_UNSET));
}

TEST(LogFolder, it_is_that_of_ros_2)
{
  const auto folder = [](const char * logs, const char * home) {
      setenv("ROS_LOG_DIR", logs, 1);
      setenv("ROS_HOME", home, 1);
      return rclcpp::get_logging_directory().string();
    };
  const std::string own = std::getenv("HOME");
  EXPECT_EQ(folder("/logs", "/home"), "/logs");
  EXPECT_EQ(folder("~/logs", ""), own + "/logs");
  EXPECT_EQ(folder("", "/ros"), "/ros/log");
  EXPECT_EQ(folder("", ""), own + "/.ros/log");
  unsetenv("ROS_LOG_DIR");
  unsetenv("ROS_HOME");
}
