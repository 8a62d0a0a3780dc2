#include <string>

#include "pluginlib/class_list_macros.hpp"
#include "tool_base/tool.hpp"

namespace tools
{

class Drill : public tool_base::Tool
{
public:
  std::string use() override {return "brrr";}
};

}  // namespace tools

PLUGINLIB_EXPORT_CLASS(tools::Drill, tool_base::Tool)
