#include "rcutils/filesystem.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "rcutils/env.h"
#include "rcutils/error_handling.h"
#include "rcutils/strdup.h"

namespace
{

bool read_mode(const char * path, mode_t * mode)
{
  struct stat status = {};
  if (!path || stat(path, &status) != 0) {
    return false;
  }
  *mode = status.st_mode;
  return true;
}

bool has_mode(const char * path, mode_t bits)
{
  mode_t mode = 0;
  return read_mode(path, &mode) && (mode & bits) == bits;
}

char * concatenate(const char * a, const char * b, const char * c, const rcutils_allocator_t & allocator)
{
  const size_t a_length = std::strlen(a);
  const size_t b_length = std::strlen(b);
  const size_t c_size = std::strlen(c) + 1;
  auto result = static_cast<char *>(allocator.allocate(a_length + b_length + c_size, allocator.state));
  if (result) {
    std::memcpy(result, a, a_length);
    std::memcpy(result + a_length, b, b_length);
    std::memcpy(result + a_length + b_length, c, c_size);
  }
  return result;
}

void advance(rcutils_dir_iter_t * iter)
{
  const dirent * entry = iter->state ? readdir(static_cast<DIR *>(iter->state)) : nullptr;
  iter->entry_name = entry ? entry->d_name : nullptr;
}

bool is_dots(const char * name) {return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0;}

// Links to directories are not followed: they could form a circle.
bool is_real_directory(const char * path)
{
  struct stat status = {};
  return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

// Adds the sizes of the files in a directory; `levels` counts down, and starts at SIZE_MAX without limit.
rcutils_ret_t add_sizes(const char * directory, size_t levels, uint64_t * size, const rcutils_allocator_t & allocator)
{
  rcutils_dir_iter_t * iter = rcutils_dir_iter_start(directory, allocator);
  if (!iter) {
    return RCUTILS_RET_ERROR;
  }
  rcutils_ret_t ret = RCUTILS_RET_OK;
  for (bool more = iter->entry_name != nullptr; more && ret == RCUTILS_RET_OK; more = rcutils_dir_iter_next(iter)) {
    if (is_dots(iter->entry_name)) {
      continue;
    }
    char * path = rcutils_join_path(directory, iter->entry_name, allocator);
    if (!path) {
      RCUTILS_SET_ERROR_MSG("no memory for a path");
      ret = RCUTILS_RET_BAD_ALLOC;
      continue;
    }
    *size += rcutils_get_file_size(path);
    if (levels > 1 && is_real_directory(path)) {
      ret = add_sizes(path, levels - 1, size, allocator);
    }
    allocator.deallocate(path, allocator.state);
  }
  rcutils_dir_iter_end(iter);
  return ret;
}

// Appends a copy of a name, doubling the memory; `array->size` is the number of names.
rcutils_ret_t append_name(rcutils_string_array_t * array, size_t * used, const char * name)
{
  if (*used == array->size) {
    const rcutils_ret_t ret = rcutils_string_array_resize(array, array->size == 0 ? 8 : 2 * array->size);
    if (ret != RCUTILS_RET_OK) {
      return ret;
    }
  }
  array->data[*used] = rcutils_strdup(name, array->allocator);
  if (!array->data[*used]) {
    RCUTILS_SET_ERROR_MSG("no memory for the name of an entry");
    return RCUTILS_RET_BAD_ALLOC;
  }
  ++*used;
  return RCUTILS_RET_OK;
}

}  // namespace

bool rcutils_get_cwd(char * buffer, size_t max_length)
{
  return buffer && max_length > 0 && getcwd(buffer, max_length) != nullptr;
}

bool rcutils_is_directory(const char * abs_path)
{
  mode_t mode = 0;
  return read_mode(abs_path, &mode) && S_ISDIR(mode);
}

bool rcutils_is_file(const char * abs_path)
{
  mode_t mode = 0;
  return read_mode(abs_path, &mode) && S_ISREG(mode);
}

bool rcutils_exists(const char * abs_path)
{
  mode_t mode = 0;
  return read_mode(abs_path, &mode);
}

bool rcutils_is_readable(const char * abs_path) {return has_mode(abs_path, S_IRUSR);}

bool rcutils_is_writable(const char * abs_path) {return has_mode(abs_path, S_IWUSR);}

bool rcutils_is_readable_and_writable(const char * abs_path) {return has_mode(abs_path, S_IRUSR | S_IWUSR);}

char * rcutils_join_path(
  const char * left_hand_path, const char * right_hand_path, rcutils_allocator_t allocator)
{
  if (!left_hand_path || !right_hand_path || !rcutils_allocator_is_valid(&allocator)) {
    return nullptr;
  }
  return concatenate(left_hand_path, "/", right_hand_path, allocator);
}

char * rcutils_to_native_path(const char * path, rcutils_allocator_t allocator)
{
  return rcutils_strdup(path, allocator);
}

char * rcutils_expand_user(const char * path, rcutils_allocator_t allocator)
{
  if (!path || *path != '~') {
    return rcutils_strdup(path, allocator);
  }
  const char * home = rcutils_get_home_dir();
  return home && rcutils_allocator_is_valid(&allocator) ? concatenate(home, "", path + 1, allocator) : nullptr;
}

bool rcutils_mkdir(const char * abs_path)
{
  if (!abs_path || *abs_path != '/') {
    return false;
  }
  return mkdir(abs_path, 0775) == 0 || (errno == EEXIST && rcutils_is_directory(abs_path));
}

rcutils_ret_t rcutils_calculate_directory_size(
  const char * directory_path, uint64_t * size, rcutils_allocator_t allocator)
{
  return rcutils_calculate_directory_size_with_recursion(directory_path, 1, size, allocator);
}

rcutils_ret_t rcutils_calculate_directory_size_with_recursion(
  const char * directory_path, const size_t max_depth, uint64_t * size, rcutils_allocator_t allocator)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(directory_path, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(size, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(&allocator, "the allocator is not valid", return RCUTILS_RET_INVALID_ARGUMENT);
  if (!rcutils_is_directory(directory_path)) {
    RCUTILS_SET_ERROR_MSG_WITH_FORMAT_STRING("'%s' is not a directory", directory_path);
    return RCUTILS_RET_ERROR;
  }
  *size = 0;
  return add_sizes(directory_path, max_depth == 0 ? SIZE_MAX : max_depth, size, allocator);
}

size_t rcutils_get_file_size(const char * file_path)
{
  struct stat status = {};
  if (!file_path || stat(file_path, &status) != 0 || !S_ISREG(status.st_mode)) {
    return 0;
  }
  return static_cast<size_t>(status.st_size);
}

rcutils_ret_t rcutils_list_directory(
  const char * directory_path, rcutils_allocator_t allocator, rcutils_string_array_t * contents)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(directory_path, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(contents, RCUTILS_RET_INVALID_ARGUMENT);
  rcutils_ret_t ret = rcutils_string_array_init(contents, 0, &allocator);
  if (ret != RCUTILS_RET_OK) {
    return ret;
  }
  rcutils_dir_iter_t * iter = rcutils_dir_iter_start(directory_path, allocator);
  if (!iter) {
    return RCUTILS_RET_ERROR;
  }
  size_t used = 0;
  for (bool more = iter->entry_name != nullptr; more && ret == RCUTILS_RET_OK; more = rcutils_dir_iter_next(iter)) {
    ret = append_name(contents, &used, iter->entry_name);
  }
  rcutils_dir_iter_end(iter);
  if (ret == RCUTILS_RET_OK) {
    ret = rcutils_string_array_resize(contents, used);
  }
  if (ret != RCUTILS_RET_OK) {
    const rcutils_ret_t freed = rcutils_string_array_fini(contents);
    return freed == RCUTILS_RET_OK ? ret : freed;
  }
  return ret;
}

rcutils_dir_iter_t * rcutils_dir_iter_start(const char * directory_path, const rcutils_allocator_t allocator)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(directory_path, nullptr);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(&allocator, "the allocator is not valid", return nullptr);
  DIR * directory = opendir(directory_path);
  if (!directory) {
    RCUTILS_SET_ERROR_MSG_WITH_FORMAT_STRING(
      "can't open the directory '%s': errno %d", directory_path, errno);
    return nullptr;
  }
  auto iter = static_cast<rcutils_dir_iter_t *>(allocator.allocate(sizeof(rcutils_dir_iter_t), allocator.state));
  if (!iter) {
    closedir(directory);
    RCUTILS_SET_ERROR_MSG("no memory to iterate over a directory");
    return nullptr;
  }
  *iter = {nullptr, allocator, directory};
  advance(iter);
  return iter;
}

bool rcutils_dir_iter_next(rcutils_dir_iter_t * iter)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(iter, false);
  advance(iter);
  return iter->entry_name != nullptr;
}

void rcutils_dir_iter_end(rcutils_dir_iter_t * iter)
{
  if (!iter) {
    return;
  }
  const rcutils_allocator_t allocator = iter->allocator;
  if (iter->state) {
    closedir(static_cast<DIR *>(iter->state));
  }
  allocator.deallocate(iter, allocator.state);
}
