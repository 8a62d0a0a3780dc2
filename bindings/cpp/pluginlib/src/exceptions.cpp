#include "pluginlib/exceptions.hpp"

namespace pluginlib
{

// The destructors are here so that all libraries share one type information.

PluginlibException::PluginlibException(const std::string & error_desc)
: std::runtime_error(error_desc)
{
}

PluginlibException::~PluginlibException() = default;

InvalidXMLException::InvalidXMLException(const std::string & error_desc)
: PluginlibException(error_desc)
{
}

InvalidXMLException::~InvalidXMLException() = default;

LibraryLoadException::LibraryLoadException(const std::string & error_desc)
: PluginlibException(error_desc)
{
}

LibraryLoadException::~LibraryLoadException() = default;

ClassLoaderException::ClassLoaderException(const std::string & error_desc)
: PluginlibException(error_desc)
{
}

ClassLoaderException::~ClassLoaderException() = default;

LibraryUnloadException::LibraryUnloadException(const std::string & error_desc)
: PluginlibException(error_desc)
{
}

LibraryUnloadException::~LibraryUnloadException() = default;

CreateClassException::CreateClassException(const std::string & error_desc)
: PluginlibException(error_desc)
{
}

CreateClassException::~CreateClassException() = default;

}  // namespace pluginlib
