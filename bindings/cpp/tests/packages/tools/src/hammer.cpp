#include <string>

#include "pluginlib/class_list_macros.hpp"
#include "tool_base/tool.hpp"

namespace tools
{

class Hammer : public tool_base::Tool
{
public:
  std::string use() override {return "bang";}
};

}  // namespace tools

PLUGINLIB_EXPORT_CLASS(tools::Hammer, tool_base::Tool)
