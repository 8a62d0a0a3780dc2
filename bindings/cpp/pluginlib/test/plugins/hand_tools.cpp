// A library with plugins of two base classes.
#include <stdexcept>
#include <string>

#include "pluginlib/class_list_macros.hpp"
#include "tool.hpp"

namespace hand
{

struct Hammer : shed::Tool
{
  std::string use() override {return "bang";}
};

struct Saw : shed::Tool
{
  std::string use() override {return "ritsch";}
};

struct Broken : shed::Tool
{
  Broken() {throw std::runtime_error("the handle is off");}
  std::string use() override {return "";}
};

struct Candle : shed::Light
{
};

}  // namespace hand

PLUGINLIB_EXPORT_CLASS(hand::Hammer, shed::Tool)
PLUGINLIB_EXPORT_CLASS(hand::Saw, shed::Tool);
PLUGINLIB_EXPORT_CLASS(hand::Broken, shed::Tool)
PLUGINLIB_EXPORT_CLASS(hand::Candle, shed::Light)
