// Finds the file of a library that a manifest names.
#ifndef LIBRARY_SEARCH_HPP_
#define LIBRARY_SEARCH_HPP_

#include <string>
#include <vector>

namespace pluginlib
{
namespace impl
{

/// The path of a library, and where it was searched.
struct LibrarySearch
{
  /// Empty if there is no such file.
  std::string path;
  std::vector<std::string> names;
  std::vector<std::string> folders;
};

/// Searches a library by its name with or without "lib" and ".so", which may be a path.
///
/// The folders are lib of the prefix of `package`, lib of all other prefixes, and those in LD_LIBRARY_PATH, in this
/// order. An absolute path is searched in its own folder only.
LibrarySearch findLibrary(const std::string & library, const std::string & package);

}  // namespace impl
}  // namespace pluginlib

#endif
