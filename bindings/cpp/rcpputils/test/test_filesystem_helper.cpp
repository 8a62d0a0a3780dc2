#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>

#include "rcpputils/filesystem_helper.hpp"

namespace
{

namespace fs = rcpputils::fs;

TEST(Path, parts)
{
  const fs::path path("/a/b.c/d.tar.gz");
  EXPECT_EQ("d.tar.gz", path.filename().string());
  EXPECT_EQ(".gz", path.extension().string());
  EXPECT_EQ("/a/b.c", path.parent_path().string());
  EXPECT_EQ(
    (std::vector<std::string>{"", "a", "b.c", "d.tar.gz"}), std::vector<std::string>(path.cbegin(), path.cend()));
  EXPECT_TRUE(path.is_absolute());
  EXPECT_FALSE(fs::path("a").is_absolute());
  EXPECT_EQ(".", fs::path("foo").parent_path().string());
  EXPECT_EQ("", fs::path("").parent_path().string());
  EXPECT_EQ("a", fs::path("a/b").parent_path().string());
  EXPECT_EQ("/", fs::path("/foo").parent_path().string());
  EXPECT_EQ("/foo/bar", fs::path("\\foo\\bar").string());
  EXPECT_EQ("/", fs::path("/").parent_path().string());
  EXPECT_EQ("", fs::path("foo").extension().string());
  EXPECT_TRUE(fs::path().empty());
  EXPECT_TRUE(fs::path("").empty());
}

TEST(Path, operators)
{
  fs::path path = fs::path("a") / "b" / std::string("c") / fs::path("d");
  EXPECT_EQ("a/b/c/d", path.string());
  EXPECT_EQ("/x", (path / "/x").string());
  path /= "e";
  path /= fs::path("f");
  EXPECT_EQ(fs::path("a/b/c/d/e/f"), path);
  EXPECT_NE(fs::path("a"), path);
  std::ostringstream text;
  text << path;
  EXPECT_EQ("a/b/c/d/e/f", text.str());
  EXPECT_EQ("x/y", fs::path(std::filesystem::path("x/y")).string());
  EXPECT_EQ("a/x", (fs::path("a") / std::filesystem::path("x")).string());
}

TEST(Path, remove_extension)
{
  EXPECT_EQ("foo", fs::remove_extension(std::string("foo.txt")).string());
  EXPECT_EQ("a/foo", fs::remove_extension(fs::path("a/foo.txt.zstd"), 2).string());
  EXPECT_EQ("foo.txt", fs::remove_extension(fs::path("foo.txt.zstd")).string());
  EXPECT_EQ("foo", fs::remove_extension(fs::path("foo"), 4).string());
}

TEST(Path, files)
{
  const fs::path folder = fs::create_temp_directory("saltus_test");
  EXPECT_TRUE(fs::is_directory(folder));
  EXPECT_EQ(fs::temp_directory_path(), folder.parent_path());
  const fs::path file = folder / "file";
  std::ofstream(file.string()) << "abc";
  EXPECT_TRUE(fs::exists(file) && file.exists() && fs::is_regular_file(file) && file.is_regular_file());
  EXPECT_FALSE(file.is_directory());
  EXPECT_EQ(3u, fs::file_size(file));
  EXPECT_THROW(fs::file_size(folder), std::system_error);
  EXPECT_THROW((folder / "nothing").file_size(), std::system_error);
  EXPECT_TRUE(fs::create_directories(folder / "x/y"));
  EXPECT_TRUE(fs::create_directories(folder / "x/y"));
  EXPECT_FALSE(fs::create_directories(file));
  EXPECT_FALSE(fs::create_directories(fs::path("")));
  EXPECT_FALSE(fs::remove(folder));
  EXPECT_TRUE(fs::remove(file));
  EXPECT_FALSE(fs::remove(file));
  EXPECT_TRUE(fs::remove_all(folder));
  EXPECT_FALSE(fs::remove_all(folder));
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_EQ(std::filesystem::current_path().string(), fs::current_path().string());
}

TEST(Path, temporary_directories)
{
  const auto parent = fs::create_temporary_directory("saltus_test");
  const auto child = fs::create_temporary_directory("name", parent / "made");
  EXPECT_TRUE(std::filesystem::is_directory(child));
  EXPECT_EQ(parent / "made", child.parent_path());
  EXPECT_NE(child, fs::create_temporary_directory("name", parent / "made"));
  EXPECT_THROW(fs::create_temporary_directory("a/b"), std::invalid_argument);
  EXPECT_THROW(fs::create_temp_directory("a/b"), std::system_error);
  EXPECT_THROW(fs::create_temp_directory("a", fs::path()), std::system_error);
  std::ofstream(parent / "file") << "";
  EXPECT_THROW(fs::create_temporary_directory("name", parent / "file"), std::system_error);
  std::filesystem::remove_all(parent);
}

}  // namespace
