#include "catalog.hpp"

#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "ament_index_cpp/get_resource.hpp"
#include "ament_index_cpp/get_resources.hpp"
#include "manifest.hpp"
#include "pluginlib/exceptions.hpp"
#include "rcutils/logging_macros.h"
#include "text.hpp"

namespace pluginlib
{
namespace impl
{

namespace
{

bool isSame(const ClassDesc & a, const ClassDesc & b)
{
  return a.derived_class_ == b.derived_class_ && a.library_name_ == b.library_name_ && a.package_ == b.package_;
}

std::string trimmed(const std::string & line)
{
  const char spaces[] = " \t\r";
  const auto begin = line.find_first_not_of(spaces);
  return begin == std::string::npos ? "" : line.substr(begin, line.find_last_not_of(spaces) - begin + 1);
}

/// Collects what manifests declare.
class Collector
{
public:
  explicit Collector(const CatalogSource & source)
  : source_(source)
  {
  }

  Catalog collect()
  {
    if (source_.manifests.empty()) {
      addIndex();
    } else {
      for (const std::string & path : source_.manifests) {
        addNamed(path);
      }
    }
    return std::move(catalog_);
  }

private:
  void addIndex()
  {
    for (const auto & resource : ament_index_cpp::get_resources(source_.resourceType())) {
      for (const ManifestFile & manifest : manifestsOfPackage(resource.first)) {
        catalog_.manifests.push_back(manifest.path);
        try {
          add(manifest);
        } catch (const InvalidXMLException & error) {
          // One package must not stop the plugins of all others.
          leaveOut(
            std::string(error.what()) + " (the package '" + manifest.package +
            "' exports this manifest: correct it, or install the package again)");
        }
      }
    }
  }

  std::vector<ManifestFile> manifestsOfPackage(const std::string & package)
  {
    std::vector<ManifestFile> manifests;
    try {
      std::string content;
      std::string prefix;
      ament_index_cpp::get_resource(source_.resourceType(), package, content, &prefix);
      std::istringstream lines(content);
      for (std::string line; std::getline(lines, line); ) {
        line = trimmed(line);
        if (!line.empty()) {
          manifests.push_back({(std::filesystem::path(prefix) / line).string(), package});
        }
      }
    } catch (const std::exception & error) {
      leaveOut(error.what());
    }
    return manifests;
  }

  void addNamed(const std::string & path)
  {
    catalog_.manifests.push_back(path);
    const std::string package = packageOfManifest(path);
    if (package.empty()) {
      RCUTILS_LOG_WARN_NAMED(
        "pluginlib.ClassLoader", "no package.xml is in the folder of the manifest '%s' or above it, so the package of "
        "its plugins is unknown", path.c_str());
    }
    add({path, package});
  }

  void add(const ManifestFile & manifest)
  {
    for (ClassDesc & description : readManifest(manifest.path, manifest.package)) {
      if (description.base_class_ == source_.base_class) {
        addClass(std::move(description));
      } else {
        catalog_.other_bases.emplace(
          description.lookup_name_,
          "'" + manifest.path + "' declares it for the base class '" + description.base_class_ + "'");
      }
    }
  }

  void addClass(ClassDesc description)
  {
    const auto found = catalog_.classes.find(description.lookup_name_);
    if (found == catalog_.classes.end()) {
      std::string name = description.lookup_name_;
      catalog_.classes.emplace(std::move(name), Declaration{std::move(description), ""});
    } else if (!isSame(found->second.description, description) && found->second.contradicted_by.empty()) {
      found->second.contradicted_by = description.plugin_manifest_path_;
      RCUTILS_LOG_WARN_NAMED(
        "pluginlib.ClassLoader", "the plugin '%s' is declared in '%s' and, differently, in '%s'; it can't be loaded",
        description.lookup_name_.c_str(), found->second.description.plugin_manifest_path_.c_str(),
        description.plugin_manifest_path_.c_str());
    }
  }

  void leaveOut(const std::string & reason)
  {
    RCUTILS_LOG_ERROR_NAMED("pluginlib.ClassLoader", "plugins are left out: %s", reason.c_str());
    catalog_.problems.push_back(reason);
  }

  const CatalogSource & source_;
  Catalog catalog_;
};

}  // namespace

Catalog readCatalog(const CatalogSource & source) {return Collector(source).collect();}

std::string Catalog::explainMissing(const std::string & lookup_name, const std::string & base_class) const
{
  std::string text = "no manifest declares it for the base class '" + base_class + "'. ";
  const auto other = other_bases.find(lookup_name);
  if (other != other_bases.end()) {
    text += "But " + other->second + ". ";
  }
  std::vector<std::string> names;
  for (const auto & declared : classes) {
    names.push_back(declared.first);
  }
  text += "Declared types are " + listed(names) + "; the manifests are " + listed(manifests) + ".";
  if (!problems.empty()) {
    text += " Left out: " + listed(problems) + ".";
  }
  return text;
}

}  // namespace impl
}  // namespace pluginlib
