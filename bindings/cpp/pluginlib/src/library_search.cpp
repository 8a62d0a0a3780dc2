#include "library_search.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "ament_index_cpp/get_package_prefix.hpp"
#include "ament_index_cpp/get_search_paths.hpp"
#include "class_loader/class_loader.hpp"

namespace pluginlib
{
namespace impl
{

namespace
{

void add(std::vector<std::string> & texts, const std::string & text)
{
  if (!text.empty() && std::find(texts.begin(), texts.end(), text) == texts.end()) {
    texts.push_back(text);
  }
}

std::vector<std::string> fileNames(const std::string & name)
{
  return {name + class_loader::systemLibrarySuffix(), class_loader::systemLibraryFormat(name), name};
}

std::vector<std::string> libraryFolders(const std::string & package)
{
  std::vector<std::string> folders;
  try {
    add(folders, ament_index_cpp::get_package_prefix(package) + "/lib");
  } catch (const std::exception &) {
    // The package of a manifest that was named by its path need not be installed.
  }
  try {
    for (const std::string & prefix : ament_index_cpp::get_search_paths()) {
      add(folders, prefix + "/lib");
    }
  } catch (const std::exception &) {
    // There are no prefixes.
  }
  const char * value = std::getenv("LD_LIBRARY_PATH");
  std::istringstream parts(value ? value : "");
  for (std::string folder; std::getline(parts, folder, ':'); ) {
    add(folders, folder);
  }
  return folders;
}

std::string firstFile(const LibrarySearch & search)
{
  std::error_code error;
  for (const std::string & folder : search.folders) {
    for (const std::string & name : search.names) {
      const auto path = std::filesystem::path(folder) / name;
      if (std::filesystem::is_regular_file(path, error)) {
        return path.string();
      }
    }
  }
  return "";
}

}  // namespace

LibrarySearch findLibrary(const std::string & library, const std::string & package)
{
  LibrarySearch search;
  const std::filesystem::path path(library);
  const auto names = fileNames(path.filename().string());
  if (path.is_absolute()) {
    search.folders = {path.parent_path().string()};
    search.names = names;
  } else {
    search.folders = libraryFolders(package);
    for (const std::string & name : names) {
      add(search.names, (path.parent_path() / name).string());
    }
    // Old manifests name the library as lib/libname, relative to the prefix.
    for (const std::string & name : names) {
      add(search.names, name);
    }
  }
  search.path = firstFile(search);
  return search;
}

}  // namespace impl
}  // namespace pluginlib
