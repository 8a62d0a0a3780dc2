// The plugins of one base class, as all manifests declare them.
#ifndef CATALOG_HPP_
#define CATALOG_HPP_

#include <map>
#include <string>
#include <vector>

#include "pluginlib/class_desc.hpp"

namespace pluginlib
{
namespace impl
{

/// A manifest, and the package that exports it.
struct ManifestFile
{
  std::string path;
  std::string package;
};

/// A plugin, and the manifest that declares it in another way; "" if there is none.
struct Declaration
{
  ClassDesc description;
  std::string contradicted_by;
};

/// What the manifests declare.
struct Catalog
{
  std::map<std::string, Declaration> classes;
  /// The names of plugins with other base classes, with a text that tells where.
  std::map<std::string, std::string> other_bases;
  /// All manifests, also those that could not be read.
  std::vector<std::string> manifests;
  /// Why entries of the index or manifests were left out.
  std::vector<std::string> problems;

  /// Says why a plugin is not in the catalog, and what is.
  std::string explainMissing(const std::string & lookup_name, const std::string & base_class) const;
};

/// Where manifests come from, and what is read of them.
struct CatalogSource
{
  /// The package with the base class.
  std::string package;
  std::string base_class;
  std::string attrib_name;
  /// If there are any, the index is not searched.
  std::vector<std::string> manifests;

  /// The type of the entries in the index.
  std::string resourceType() const {return package + "__pluginlib__" + attrib_name;}
};

/// Reads all manifests, and logs problems.
///
/// Throws InvalidXMLException if a manifest that the source names is wrong.
Catalog readCatalog(const CatalogSource & source);

}  // namespace impl
}  // namespace pluginlib

#endif
