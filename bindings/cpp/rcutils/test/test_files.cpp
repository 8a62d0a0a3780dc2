#include <gtest/gtest.h>
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "rcutils/error_handling.h"
#include "rcutils/filesystem.h"
#include "rcutils/shared_library.h"

namespace
{

namespace fs = std::filesystem;

const rcutils_allocator_t allocator = rcutils_get_default_allocator();

std::string take(char * text)
{
  const std::string result = text ? text : "(null)";
  std::free(text);
  return result;
}

// A folder with a.txt (3 bytes) and sub/b.txt (5 bytes) and a link from sub/loop to the folder.
class Files : public ::testing::Test
{
protected:
  void SetUp() override
  {
    char name[] = "/tmp/saltus_files_XXXXXX";
    folder_ = mkdtemp(name);
    fs::create_directories(folder_ / "sub");
    std::ofstream(folder_ / "a.txt") << "abc";
    std::ofstream(folder_ / "sub" / "b.txt") << "12345";
    fs::create_directory_symlink(folder_, folder_ / "sub" / "loop");
  }
  void TearDown() override {fs::remove_all(folder_);}

  std::string path(const char * name) const {return (folder_ / name).string();}

  fs::path folder_;
};

TEST_F(Files, kinds)
{
  EXPECT_TRUE(rcutils_is_directory(path("sub").c_str()));
  EXPECT_FALSE(rcutils_is_directory(path("a.txt").c_str()));
  EXPECT_TRUE(rcutils_is_file(path("a.txt").c_str()));
  EXPECT_FALSE(rcutils_is_file(path("sub").c_str()));
  EXPECT_TRUE(rcutils_exists(path("sub").c_str()));
  EXPECT_FALSE(rcutils_exists(path("nothing").c_str()));
  EXPECT_FALSE(rcutils_exists(nullptr));
  chmod(path("a.txt").c_str(), 0400);
  EXPECT_TRUE(rcutils_is_readable(path("a.txt").c_str()));
  EXPECT_FALSE(rcutils_is_writable(path("a.txt").c_str()));
  EXPECT_FALSE(rcutils_is_readable_and_writable(path("a.txt").c_str()));
  chmod(path("a.txt").c_str(), 0600);
  EXPECT_TRUE(rcutils_is_readable_and_writable(path("a.txt").c_str()));
}

TEST_F(Files, sizes)
{
  EXPECT_EQ(3u, rcutils_get_file_size(path("a.txt").c_str()));
  EXPECT_EQ(0u, rcutils_get_file_size(path("sub").c_str()));
  uint64_t size = 99;
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_calculate_directory_size(folder_.c_str(), &size, allocator));
  EXPECT_EQ(3u, size);
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_calculate_directory_size_with_recursion(folder_.c_str(), 0, &size, allocator));
  EXPECT_EQ(8u, size);
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_calculate_directory_size_with_recursion(folder_.c_str(), 1, &size, allocator));
  EXPECT_EQ(3u, size);
  EXPECT_EQ(RCUTILS_RET_ERROR, rcutils_calculate_directory_size(path("a.txt").c_str(), &size, allocator));
  rcutils_reset_error();
}

TEST_F(Files, directories)
{
  std::set<std::string> names;
  rcutils_dir_iter_t * iter = rcutils_dir_iter_start(folder_.c_str(), allocator);
  ASSERT_NE(nullptr, iter);
  do {
    names.insert(iter->entry_name);
  } while (rcutils_dir_iter_next(iter));
  EXPECT_EQ(nullptr, iter->entry_name);
  rcutils_dir_iter_end(iter);
  rcutils_dir_iter_end(nullptr);
  EXPECT_EQ((std::set<std::string>{".", "..", "a.txt", "sub"}), names);

  auto contents = rcutils_get_zero_initialized_string_array();
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_list_directory(folder_.c_str(), allocator, &contents));
  EXPECT_EQ(names, std::set<std::string>(contents.data, contents.data + contents.size));
  EXPECT_EQ(RCUTILS_RET_OK, rcutils_string_array_fini(&contents));

  EXPECT_EQ(nullptr, rcutils_dir_iter_start(path("nothing").c_str(), allocator));
  rcutils_reset_error();
  EXPECT_TRUE(rcutils_mkdir(path("new").c_str()));
  EXPECT_TRUE(rcutils_mkdir(path("new").c_str()));
  EXPECT_FALSE(rcutils_mkdir(path("x/y").c_str()));
  EXPECT_FALSE(rcutils_mkdir(path("a.txt").c_str()));
  EXPECT_FALSE(rcutils_mkdir("relative"));
}

TEST_F(Files, paths)
{
  EXPECT_EQ("a/b", take(rcutils_join_path("a", "b", allocator)));
  EXPECT_EQ("(null)", take(rcutils_join_path("a", nullptr, allocator)));
  EXPECT_EQ("a/b", take(rcutils_to_native_path("a/b", allocator)));
  const char * home = std::getenv("HOME");
  const std::string old_home = home ? home : "";
  setenv("HOME", "/home/user", 1);
  EXPECT_EQ("/home/user/x", take(rcutils_expand_user("~/x", allocator)));
  EXPECT_EQ("/home/user", take(rcutils_expand_user("~", allocator)));
  EXPECT_EQ("x/~", take(rcutils_expand_user("x/~", allocator)));
  setenv("HOME", old_home.c_str(), 1);
  char buffer[4096];
  EXPECT_TRUE(rcutils_get_cwd(buffer, sizeof(buffer)));
  EXPECT_EQ(fs::current_path().string(), buffer);
  EXPECT_FALSE(rcutils_get_cwd(buffer, 1));
  EXPECT_FALSE(rcutils_get_cwd(nullptr, 1));
}

TEST(SharedLibrary, load)
{
  auto library = rcutils_get_zero_initialized_shared_library();
  EXPECT_FALSE(rcutils_is_shared_library_loaded(&library));
  EXPECT_EQ(RCUTILS_RET_ERROR, rcutils_load_shared_library(&library, "libnothing_of_saltus.so", allocator));
  EXPECT_NE(nullptr, std::strstr(rcutils_get_error_string().str, "libnothing_of_saltus.so"));
  rcutils_reset_error();
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_load_shared_library(&library, "librcutils.so", allocator));
  EXPECT_TRUE(rcutils_is_shared_library_loaded(&library));
  EXPECT_TRUE(rcutils_has_symbol(&library, "rcutils_get_pid"));
  EXPECT_FALSE(rcutils_has_symbol(&library, "no_such_symbol"));
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "rcutils_get_pid"), rcutils_get_symbol(&library, "rcutils_get_pid"));
  EXPECT_EQ(nullptr, rcutils_get_symbol(&library, "no_such_symbol"));
  rcutils_reset_error();
  EXPECT_EQ(RCUTILS_RET_OK, rcutils_unload_shared_library(&library));
  EXPECT_EQ(RCUTILS_RET_INVALID_ARGUMENT, rcutils_unload_shared_library(&library));
  rcutils_reset_error();
}

TEST(SharedLibrary, names)
{
  char name[16];
  EXPECT_EQ(RCUTILS_RET_OK, rcutils_get_platform_library_name("foo", name, sizeof(name), false));
  EXPECT_STREQ("libfoo.so", name);
  EXPECT_EQ(RCUTILS_RET_OK, rcutils_get_platform_library_name("foo", name, sizeof(name), true));
  EXPECT_STREQ("libfood.so", name);
  EXPECT_EQ(RCUTILS_RET_NOT_ENOUGH_SPACE, rcutils_get_platform_library_name("foo", name, 9, false));
  rcutils_reset_error();
}

}  // namespace
