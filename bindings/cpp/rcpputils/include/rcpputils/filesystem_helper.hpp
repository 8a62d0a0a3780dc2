// Paths and files with the names that ROS 2 used before std::filesystem.
#ifndef RCPPUTILS_FILESYSTEM_HELPER_HPP_
#define RCPPUTILS_FILESYSTEM_HELPER_HPP_

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "rcpputils/visibility_control.hpp"

#ifndef RCPPUTILS_IMPL_OS_DIRSEP
#define RCPPUTILS_IMPL_OS_DIRSEP '/'
#endif

namespace rcpputils
{
namespace fs
{

/// Separates the elements of a path.
constexpr char kPreferredSeparator = RCPPUTILS_IMPL_OS_DIRSEP;

/// A path. Its functions do what those of std::filesystem::path do, where no difference is given.
class RCPPUTILS_PUBLIC_TYPE path
{
public:
  /// Makes an empty path.
  path();

  /// Makes a path from text, in which a backslash is a separator too.
  path(const std::string & p);  // NOLINT: implicit as in ROS 2.
  path(const path & p);
  path(path && p) noexcept;
  path & operator=(const path & p);
  path & operator=(path && p) noexcept;
  ~path();

  /// Returns the path as text.
  std::string string() const;

  /// Returns true if the path exists.
  bool exists() const;

  /// Returns true if the path is a directory; false if that can't be told.
  bool is_directory() const noexcept;

  /// Returns true if the path is a regular file; false if that can't be told.
  bool is_regular_file() const noexcept;

  /// Returns the size of the file in bytes. Throws std::system_error if it is no file.
  uint64_t file_size() const;

  /// Returns true if the path has no characters.
  bool empty() const;

  /// Returns true if the path begins at the root.
  bool is_absolute() const;

  /// Returns the first element. The first element of an absolute path is "".
  std::vector<std::string>::const_iterator cbegin() const;

  /// Returns the end of the elements.
  std::vector<std::string>::const_iterator cend() const;

  /// Returns the path without its last element; "." for a single name.
  path parent_path() const;

  /// Returns the last element.
  path filename() const;

  /// Returns the end of the last element from its last '.' on, or an empty path.
  path extension() const;

  /// Returns this path and then `other`, or only `other` if that is absolute.
  path operator/(const std::string & other) const;
  path operator/(const path & other) const;

  /// Appends `other`, or replaces this path if `other` is absolute.
  path & operator/=(const std::string & other);
  path & operator/=(const path & other);

private:
  static path from(const std::filesystem::path & p);

  std::filesystem::path path_;
  std::vector<std::string> elements_;
};

/// Returns true if the path is a regular file; false if that can't be told.
RCPPUTILS_PUBLIC bool is_regular_file(const path & p) noexcept;

/// Returns true if the path is a directory; false if that can't be told.
RCPPUTILS_PUBLIC bool is_directory(const path & p) noexcept;

/// Returns the size of a file in bytes. Throws std::system_error if it is no file.
RCPPUTILS_PUBLIC uint64_t file_size(const path & p);

/// Returns true if the path exists.
RCPPUTILS_PUBLIC bool exists(const path & path_to_check);

/// Returns the folder for temporary files. Throws std::system_error if there is none.
RCPPUTILS_PUBLIC path temp_directory_path();

/// Makes a new folder <base_name>XXXXXX in a parent, which is made if it must be.
///
/// Throws std::invalid_argument if the name has a separator, std::system_error if it can't be made.
RCPPUTILS_PUBLIC std::filesystem::path create_temporary_directory(
  const std::string & base_name,
  const std::filesystem::path & parent_path = std::filesystem::temp_directory_path());

/// As create_temporary_directory, but throws std::system_error also if the name has a separator.
RCPPUTILS_PUBLIC path create_temp_directory(
  const std::string & base_name, const path & parent_path = temp_directory_path());

/// Returns the working directory. Throws std::system_error if it can't be read.
RCPPUTILS_PUBLIC path current_path();

/// Makes a folder and its parents; returns true if it is there afterwards.
RCPPUTILS_PUBLIC bool create_directories(const path & p);

/// Removes a file or an empty folder; returns false if nothing was removed.
RCPPUTILS_PUBLIC bool remove(const path & p);

/// Removes a file or a folder with its content; returns false if nothing was removed or that failed.
RCPPUTILS_PUBLIC bool remove_all(const path & p);

/// Returns the path without its last `n_times` extensions.
RCPPUTILS_PUBLIC path remove_extension(const path & file_path, int n_times = 1);

RCPPUTILS_PUBLIC bool operator==(const path & a, const path & b);
RCPPUTILS_PUBLIC bool operator!=(const path & a, const path & b);
RCPPUTILS_PUBLIC std::ostream & operator<<(std::ostream & os, const path & p);

}  // namespace fs
}  // namespace rcpputils

#endif
