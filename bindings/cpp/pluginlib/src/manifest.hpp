// Manifests: the XML files in which packages declare their plugins.
#ifndef MANIFEST_HPP_
#define MANIFEST_HPP_

#include <string>
#include <vector>

#include "pluginlib/class_desc.hpp"

namespace pluginlib
{
namespace impl
{

/// Reads all plugins of a manifest, of whatever base class. `package` is the package that exports it.
///
/// Throws InvalidXMLException, with the file and the line, if the file can't be read or something in it is wrong.
std::vector<ClassDesc> readManifest(const std::string & path, const std::string & package);

/// Returns the name in the nearest package.xml that is in the folder of a manifest or above it, or "".
///
/// Throws InvalidXMLException if that package.xml is wrong.
std::string packageOfManifest(const std::string & path);

}  // namespace impl
}  // namespace pluginlib

#endif
