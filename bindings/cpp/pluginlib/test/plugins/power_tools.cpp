// A library with a plugin, which includes the header by its old name.
#include <string>

#include "pluginlib/class_list_macros.h"
#include "tool.hpp"

namespace power
{

struct Drill : shed::Tool
{
  std::string use() override {return "brrr";}
};

}  // namespace power

PLUGINLIB_EXPORT_CLASS(power::Drill, shed::Tool)
