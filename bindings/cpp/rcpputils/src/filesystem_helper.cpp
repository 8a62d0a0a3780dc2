#include "rcpputils/filesystem_helper.hpp"

#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <ostream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "rcpputils/split.hpp"

namespace rcpputils
{
namespace fs
{

namespace std_fs = std::filesystem;

path::path() = default;

namespace
{

// Paths of Windows are understood too.
std::string with_slashes(std::string text)
{
  std::replace(text.begin(), text.end(), '\\', kPreferredSeparator);
  return text;
}

path make_directory(const std_fs::path & parent_path, const std::string & base_name)
{
  std_fs::create_directories(parent_path);
  std::string name = (parent_path / (base_name + "XXXXXX")).string();
  if (!mkdtemp(name.data())) {
    throw std::system_error(errno, std::system_category(), "can't make the directory '" + name + "'");
  }
  return path(name);
}

}  // namespace

path::path(const std::string & p)
: path_(with_slashes(p)), elements_(split(path_.string(), kPreferredSeparator))
{
}

path::path(const path & p) = default;

path::path(path && p) noexcept = default;

path & path::operator=(const path & p) = default;

path & path::operator=(path && p) noexcept = default;

path::~path() = default;

path path::from(const std_fs::path & p) {return path(p.string());}

std::string path::string() const {return path_.string();}

bool path::exists() const
{
  std::error_code error;
  return std_fs::exists(path_, error);
}

bool path::is_directory() const noexcept
{
  std::error_code error;
  return std_fs::is_directory(path_, error);
}

bool path::is_regular_file() const noexcept
{
  std::error_code error;
  return std_fs::is_regular_file(path_, error);
}

uint64_t path::file_size() const {return std_fs::file_size(path_);}

bool path::empty() const {return path_.empty();}

bool path::is_absolute() const {return path_.is_absolute();}

std::vector<std::string>::const_iterator path::cbegin() const {return elements_.cbegin();}

std::vector<std::string>::const_iterator path::cend() const {return elements_.cend();}

path path::parent_path() const
{
  return elements_.size() == 1 && !is_absolute() ? path(".") : from(path_.parent_path());
}

path path::filename() const {return from(path_.filename());}

path path::extension() const {return from(path_.extension());}

path path::operator/(const std::string & other) const {return from(path_ / other);}

path path::operator/(const path & other) const {return from(path_ / other.path_);}

path & path::operator/=(const std::string & other) {return *this = *this / other;}

path & path::operator/=(const path & other) {return *this = *this / other;}

bool is_regular_file(const path & p) noexcept {return p.is_regular_file();}

bool is_directory(const path & p) noexcept {return p.is_directory();}

uint64_t file_size(const path & p) {return p.file_size();}

bool exists(const path & path_to_check) {return path_to_check.exists();}

path temp_directory_path() {return path(std_fs::temp_directory_path().string());}

std_fs::path create_temporary_directory(const std::string & base_name, const std_fs::path & parent_path)
{
  if (base_name.find(kPreferredSeparator) != std::string::npos) {
    throw std::invalid_argument("the name of a temporary directory has a separator: '" + base_name + "'");
  }
  return make_directory(parent_path, base_name).string();
}

path create_temp_directory(const std::string & base_name, const path & parent_path)
{
  return make_directory(parent_path.string(), base_name);
}

path current_path() {return path(std_fs::current_path().string());}

bool create_directories(const path & p)
{
  std::error_code error;
  std_fs::create_directories(p.string(), error);
  return p.is_directory();
}

bool remove(const path & p)
{
  std::error_code error;
  return std_fs::remove(p.string(), error);
}

bool remove_all(const path & p)
{
  std::error_code error;
  const auto count = std_fs::remove_all(p.string(), error);
  return !error && count > 0;
}

path remove_extension(const path & file_path, int n_times)
{
  std_fs::path result(file_path.string());
  for (int time = 0; time < n_times; ++time) {
    result.replace_extension();
  }
  return path(result.string());
}

bool operator==(const path & a, const path & b) {return a.string() == b.string();}

bool operator!=(const path & a, const path & b) {return !(a == b);}

std::ostream & operator<<(std::ostream & os, const path & p) {return os << p.string();}

}  // namespace fs
}  // namespace rcpputils
