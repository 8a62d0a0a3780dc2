#include "manifest.hpp"

#include <tinyxml2.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "pluginlib/exceptions.hpp"

namespace pluginlib
{
namespace impl
{

namespace
{

using tinyxml2::XMLElement;

[[noreturn]] void fail(const std::string & path, int line, const std::string & reason)
{
  throw InvalidXMLException(path + ":" + std::to_string(line) + ": " + reason);
}

struct CloseFile
{
  void operator()(std::FILE * file) const {std::fclose(file);}
};

// Only a file is opened: a FIFO, for example, would block.
std::unique_ptr<std::FILE, CloseFile> open(const std::string & path)
{
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw InvalidXMLException("can't read '" + path + "': it does not exist");
  }
  if (error) {
    throw InvalidXMLException("can't read '" + path + "': " + error.message());
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw InvalidXMLException("can't read '" + path + "': it is not a file");
  }
  std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file) {
    throw InvalidXMLException("can't read '" + path + "': " + std::strerror(errno));
  }
  return file;
}

// Returns the root element.
const XMLElement & parse(const std::string & path, tinyxml2::XMLDocument & document)
{
  if (document.LoadFile(open(path).get()) != tinyxml2::XML_SUCCESS) {
    fail(path, document.ErrorLineNum(), std::string("the XML is malformed: ") + document.ErrorName());
  }
  const XMLElement * root = document.RootElement();
  if (!root) {
    fail(path, 1, "the file has no element");
  }
  return *root;
}

std::string attribute(const XMLElement & element, const char * name)
{
  const char * value = element.Attribute(name);
  return value ? value : "";
}

std::string neededAttribute(const std::string & path, const XMLElement & element, const char * name)
{
  const std::string value = attribute(element, name);
  if (value.empty()) {
    fail(path, element.GetLineNum(), std::string("<") + element.Name() + "> needs the attribute '" + name + "'");
  }
  return value;
}

/// Reads the plugins of one manifest.
class Reader
{
public:
  Reader(const std::string & path, const std::string & package)
  : path_(path), package_(package)
  {
  }

  std::vector<ClassDesc> read()
  {
    tinyxml2::XMLDocument document;
    const XMLElement & root = parse(path_, document);
    const std::string name = root.Name();
    if (name == "class_libraries") {
      addLibraries(root.FirstChildElement("library"));
    } else if (name == "library") {
      addLibraries(&root);
    } else {
      fail(path_, root.GetLineNum(), "the root is <" + name + ">, but must be <library> or <class_libraries>");
    }
    return std::move(classes_);
  }

private:
  // Also without <class_libraries>, a file may have several libraries.
  void addLibraries(const XMLElement * library)
  {
    for (; library; library = library->NextSiblingElement("library")) {
      const std::string library_name = neededAttribute(path_, *library, "path");
      for (auto * element = library->FirstChildElement("class"); element;
        element = element->NextSiblingElement("class"))
      {
        addClass(library_name, *element);
      }
    }
  }

  void addClass(const std::string & library_name, const XMLElement & element)
  {
    const std::string type = neededAttribute(path_, element, "type");
    const std::string base_class = neededAttribute(path_, element, "base_class_type");
    const std::string name = attribute(element, "name");
    const XMLElement * description = element.FirstChildElement("description");
    const char * text = description ? description->GetText() : nullptr;
    classes_.emplace_back(
      name.empty() ? type : name, type, base_class, package_, text ? text : "", library_name, path_);
  }

  const std::string & path_;
  const std::string & package_;
  std::vector<ClassDesc> classes_;
};

}  // namespace

std::vector<ClassDesc> readManifest(const std::string & path, const std::string & package)
{
  return Reader(path, package).read();
}

std::string packageOfManifest(const std::string & path)
{
  std::error_code error;
  std::filesystem::path folder = std::filesystem::absolute(path, error).parent_path();
  while (!std::filesystem::is_regular_file(folder / "package.xml", error)) {
    if (folder == folder.parent_path()) {
      return "";
    }
    folder = folder.parent_path();
  }
  const std::string package_xml = (folder / "package.xml").string();
  tinyxml2::XMLDocument document;
  const XMLElement & root = parse(package_xml, document);
  const XMLElement * name = root.FirstChildElement("name");
  if (!name || !name->GetText()) {
    fail(package_xml, root.GetLineNum(), std::string("<") + root.Name() + "> has no <name>");
  }
  return name->GetText();
}

}  // namespace impl
}  // namespace pluginlib
