// Where libraries are searched.
#include <string>

#include "fixture.hpp"

namespace
{

class Libraries : public Shed
{
protected:
  /// Returns the path of the library of a plugin in a manifest that names it so.
  std::string found(const std::string & library) const
  {
    export_manifest(
      "hand", "plugins.xml", "<library path='" + library +
      "'><class type='hand::Saw' base_class_type='shed::Tool'/></library>");
    return loader().getClassLibraryPath("hand::Saw");
  }
};

TEST_F(Libraries, have_short_names)
{
  const std::string library = path("lib/") + hand_tools;
  for (const char * name : {"saltus_test_hand_tools", "libsaltus_test_hand_tools", "libsaltus_test_hand_tools.so",
      "lib/libsaltus_test_hand_tools", "hand/saltus_test_hand_tools"})
  {
    EXPECT_EQ(library, found(name)) << name;
  }
  EXPECT_EQ(library, found(library));
  EXPECT_EQ(library, found(path("lib/saltus_test_hand_tools")));
  add_library(hand_tools, "plugins/odd_name.so.1");
  EXPECT_EQ(path("lib/plugins/odd_name.so.1"), found("plugins/odd_name.so.1"));
}

TEST_F(Libraries, are_files)
{
  std::filesystem::create_directories(path("lib/hand"));
  std::filesystem::create_directories(path("lib/libhand.so"));
  EXPECT_EQ("", found("hand"));
  EXPECT_EQ("", found(path("lib")));
  EXPECT_EQ("", found("/"));
}

TEST_F(Libraries, of_the_package_come_first)
{
  write("overlay/lib/libsaltus_test_hand_tools.so", "");
  write("overlay/lib/libother.so", "");
  setenv("AMENT_PREFIX_PATH", (path("overlay") + ":" + prefix).c_str(), 1);
  EXPECT_EQ(path("lib/") + hand_tools, found("saltus_test_hand_tools"));
  EXPECT_EQ(path("overlay/lib/libother.so"), found("other"));
}

TEST_F(Libraries, may_be_in_the_path_of_the_linker)
{
  EXPECT_TRUE(has(found("saltus_test_power_tools"), power_tools));
}

}  // namespace
