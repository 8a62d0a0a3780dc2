#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <list>
#include <map>
#include <stdexcept>
#include <string>

#include "ament_index_cpp/get_package_prefix.hpp"
#include "ament_index_cpp/get_package_share_directory.hpp"
#include "ament_index_cpp/get_package_share_path.hpp"
#include "ament_index_cpp/get_packages_with_prefixes.hpp"
#include "ament_index_cpp/get_resource.hpp"
#include "ament_index_cpp/get_resources.hpp"
#include "ament_index_cpp/get_search_paths.hpp"
#include "ament_index_cpp/has_resource.hpp"

namespace
{

namespace fs = std::filesystem;
using Names = std::map<std::string, std::string>;

// Two prefixes, and a third one that does not exist, in AMENT_PREFIX_PATH.
class Index : public ::testing::Test
{
protected:
  void SetUp() override
  {
    char name[] = "/tmp/saltus_index_XXXXXX";
    folder_ = mkdtemp(name);
    first_ = (folder_ / "first").string();
    second_ = (folder_ / "second").string();
    write(first_, "packages/a", "");
    write(second_, "packages/a", "");
    write(second_, "packages/b", "");
    write(second_, "packages/.hidden", "");
    write(second_, "plugins/b", "line 1\nline 2\n");
    fs::create_directories(index(second_) / "packages" / "folder");
    fs::create_symlink(index(second_) / "plugins" / "b", index(second_) / "packages" / "linked");
    set(first_ + ":" + (folder_ / "nothing").string() + "::" + second_);
  }
  void TearDown() override
  {
    fs::remove_all(folder_);
    unsetenv("AMENT_PREFIX_PATH");
  }
  static void set(const std::string & value) {setenv("AMENT_PREFIX_PATH", value.c_str(), 1);}
  static fs::path index(const std::string & prefix)
  {
    return fs::path(prefix) / "share" / "ament_index" / "resource_index";
  }
  static void write(const std::string & prefix, const char * resource, const char * content)
  {
    fs::create_directories((index(prefix) / resource).parent_path());
    std::ofstream(index(prefix) / resource) << content;
  }

  fs::path folder_;
  std::string first_;
  std::string second_;
};

TEST_F(Index, packages)
{
  EXPECT_EQ(first_, ament_index_cpp::get_package_prefix("a"));
  EXPECT_EQ(second_, ament_index_cpp::get_package_prefix("b"));
  EXPECT_EQ(second_ + "/share/b", ament_index_cpp::get_package_share_directory("b"));
  EXPECT_EQ(fs::path(second_) / "share/b", ament_index_cpp::get_package_share_path("b"));
  EXPECT_EQ((Names{{"a", first_}, {"b", second_}, {"linked", second_}}), ament_index_cpp::get_packages_with_prefixes());
}

TEST_F(Index, missing_packages)
{
  try {
    ament_index_cpp::get_package_share_directory("c");
    FAIL() << "no exception";
  } catch (const std::out_of_range & exception) {
    const auto & error = dynamic_cast<const ament_index_cpp::PackageNotFoundError &>(exception);
    EXPECT_EQ("c", error.package_name);
    const std::string text = error.what();
    EXPECT_NE(std::string::npos, text.find("'c'"));
    EXPECT_NE(std::string::npos, text.find(first_ + ", " + second_));
  }
  EXPECT_THROW(ament_index_cpp::get_package_prefix(""), ament_index_cpp::PackageNotFoundError);
  EXPECT_THROW(ament_index_cpp::get_package_prefix("folder"), ament_index_cpp::PackageNotFoundError);
}

TEST_F(Index, resources)
{
  std::string content = "old";
  std::string prefix;
  EXPECT_TRUE(ament_index_cpp::get_resource("plugins", "b", content, &prefix));
  EXPECT_EQ("line 1\nline 2\n", content);
  EXPECT_EQ(second_, prefix);
  EXPECT_TRUE(ament_index_cpp::get_resource("packages", "a", content));
  EXPECT_EQ("", content);
  EXPECT_FALSE(ament_index_cpp::get_resource("plugins", "a", content, &prefix));
  EXPECT_TRUE(ament_index_cpp::has_resource("packages", "a", &prefix));
  EXPECT_EQ(first_, prefix);
  EXPECT_TRUE(ament_index_cpp::has_resource("plugins", "b"));
  EXPECT_FALSE(ament_index_cpp::has_resource("nothing", "b"));
  EXPECT_EQ((Names{{"b", second_}}), ament_index_cpp::get_resources("plugins"));
  EXPECT_EQ(Names(), ament_index_cpp::get_resources("nothing"));
  EXPECT_THROW(ament_index_cpp::get_resources(""), std::runtime_error);
  EXPECT_THROW(ament_index_cpp::has_resource("", "b"), std::runtime_error);
  EXPECT_THROW(ament_index_cpp::get_resource("plugins", "", content), std::runtime_error);
}

TEST_F(Index, the_variable_is_read_at_each_call)
{
  EXPECT_EQ((std::list<std::string>{first_, second_}), ament_index_cpp::get_search_paths());
  set(second_);
  EXPECT_EQ(second_, ament_index_cpp::get_package_prefix("a"));
  set("");
  EXPECT_THROW(ament_index_cpp::get_search_paths(), std::runtime_error);
  unsetenv("AMENT_PREFIX_PATH");
  EXPECT_THROW(ament_index_cpp::get_package_prefix("a"), std::runtime_error);
  EXPECT_THROW(ament_index_cpp::get_packages_with_prefixes(), std::runtime_error);
  set("/nothing/at/all");
  EXPECT_TRUE(ament_index_cpp::get_search_paths().empty());
  EXPECT_THROW(ament_index_cpp::get_package_prefix("a"), ament_index_cpp::PackageNotFoundError);
}

}  // namespace
