// The base classes of the test plugins.
#ifndef TOOL_HPP_
#define TOOL_HPP_

#include <string>

namespace shed
{

struct Tool
{
  virtual ~Tool() = default;
  virtual std::string use() = 0;
};

struct Light
{
  virtual ~Light() = default;
};

}  // namespace shed

#endif
