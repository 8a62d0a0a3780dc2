// use_tool: uses the tools that are named as arguments; without arguments it lists all.
#include <cstdio>
#include <memory>
#include <string>

#include "pluginlib/class_loader.hpp"
#include "tool_base/tool.hpp"

int main(int argc, char ** argv)
{
  pluginlib::ClassLoader<tool_base::Tool> loader("tool_base", "tool_base::Tool");
  if (argc == 1) {
    for (const std::string & name : loader.getDeclaredClasses()) {
      std::printf("%s of %s: %s\n", name.c_str(), loader.getClassPackage(name).c_str(),
        loader.getClassDescription(name).c_str());
    }
  }
  try {
    for (int i = 1; i < argc; ++i) {
      std::shared_ptr<tool_base::Tool> tool = loader.createSharedInstance(argv[i]);
      std::printf("%s\n", tool->use().c_str());
    }
  } catch (const pluginlib::PluginlibException & exception) {
    std::fprintf(stderr, "%s\n", exception.what());
    return 1;
  }
  return 0;
}
