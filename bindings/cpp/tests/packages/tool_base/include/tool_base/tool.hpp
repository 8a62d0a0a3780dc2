#ifndef TOOL_BASE__TOOL_HPP_
#define TOOL_BASE__TOOL_HPP_

#include <string>

namespace tool_base
{

class Tool
{
public:
  virtual ~Tool() = default;
  virtual std::string use() = 0;
};

}  // namespace tool_base

#endif
