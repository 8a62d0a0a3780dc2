/** Files and directories. */
#ifndef RCUTILS_FILESYSTEM_H_
#define RCUTILS_FILESYSTEM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rcutils/allocator.h"
#include "rcutils/macros.h"
#include "rcutils/types.h"
#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Writes the working directory; returns false if the buffer is NULL or too small. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED bool rcutils_get_cwd(char * buffer, size_t max_length);

/** Returns true if the path is a directory. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED bool rcutils_is_directory(const char * abs_path);

/** Returns true if the path is a regular file. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED bool rcutils_is_file(const char * abs_path);

/** Returns true if the path exists. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED bool rcutils_exists(const char * abs_path);

/** Returns true if the mode of the path lets its owner read it. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED bool rcutils_is_readable(const char * abs_path);

/** Returns true if the mode of the path lets its owner write it. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED bool rcutils_is_writable(const char * abs_path);

/** Returns true if the mode of the path lets its owner read and write it. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED bool rcutils_is_readable_and_writable(const char * abs_path);

/** Returns "left/right", or NULL. The caller frees it. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED char * rcutils_join_path(
  const char * left_hand_path, const char * right_hand_path, rcutils_allocator_t allocator);

/** Returns a copy of the path with the separators of the system, or NULL. The caller frees it. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
char * rcutils_to_native_path(const char * path, rcutils_allocator_t allocator);

/** Returns the path with a "~" at its begin replaced by the home directory, or NULL. The caller frees it. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
char * rcutils_expand_user(const char * path, rcutils_allocator_t allocator);

/** Makes a directory, whose parent must exist; returns true also if it is there already. The path must be absolute. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED bool rcutils_mkdir(const char * abs_path);

/** Gets the sum of the sizes of the files in a directory, without its subdirectories, in bytes. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_calculate_directory_size(
  const char * directory_path, uint64_t * size, rcutils_allocator_t allocator);

/** As rcutils_calculate_directory_size, with subdirectories down to `max_depth` levels; 0 is no limit. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_calculate_directory_size_with_recursion(
  const char * directory_path, const size_t max_depth, uint64_t * size, rcutils_allocator_t allocator);

/** Returns the size of a file in bytes, or 0 if it is not a file. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED size_t rcutils_get_file_size(const char * file_path);

/** Gets the names of all entries of a directory, with "." and "..". The caller finishes the array. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_list_directory(
  const char * directory_path, rcutils_allocator_t allocator, rcutils_string_array_t * contents);

/** An iteration over the entries of a directory. */
typedef struct rcutils_dir_iter_s
{
  /** The name of the current entry, or NULL at the end. */
  const char * entry_name;
  rcutils_allocator_t allocator;
  void * state;
} rcutils_dir_iter_t;

/** Starts an iteration at the first entry; sets an error and returns NULL if the directory can't be read. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_dir_iter_t * rcutils_dir_iter_start(const char * directory_path, const rcutils_allocator_t allocator);

/** Goes to the next entry; returns false at the end. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED bool rcutils_dir_iter_next(rcutils_dir_iter_t * iter);

/** Ends an iteration and frees it; NULL is allowed. */
RCUTILS_PUBLIC void rcutils_dir_iter_end(rcutils_dir_iter_t * iter);

#ifdef __cplusplus
}
#endif

#endif
