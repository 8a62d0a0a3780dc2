// The exceptions of pluginlib.
#ifndef PLUGINLIB_EXCEPTIONS_HPP_
#define PLUGINLIB_EXCEPTIONS_HPP_

#include <stdexcept>
#include <string>

#include "pluginlib/visibility_control.hpp"

namespace pluginlib
{

/// The base of all exceptions of pluginlib.
class PLUGINLIB_PUBLIC PluginlibException : public std::runtime_error
{
public:
  explicit PluginlibException(const std::string & error_desc);
  ~PluginlibException() override;
};

/// A manifest, or a package.xml, is wrong.
class PLUGINLIB_PUBLIC InvalidXMLException : public PluginlibException
{
public:
  explicit InvalidXMLException(const std::string & error_desc);
  ~InvalidXMLException() override;
};

/// No manifest declares the plugin, or its library can't be found or loaded.
class PLUGINLIB_PUBLIC LibraryLoadException : public PluginlibException
{
public:
  explicit LibraryLoadException(const std::string & error_desc);
  ~LibraryLoadException() override;
};

/// A class loader can't be made, because the package of the base class is not installed.
class PLUGINLIB_PUBLIC ClassLoaderException : public PluginlibException
{
public:
  explicit ClassLoaderException(const std::string & error_desc);
  ~ClassLoaderException() override;
};

/// A library can't be unloaded.
class PLUGINLIB_PUBLIC LibraryUnloadException : public PluginlibException
{
public:
  explicit LibraryUnloadException(const std::string & error_desc);
  ~LibraryUnloadException() override;
};

/// The library of a plugin does not register its class.
class PLUGINLIB_PUBLIC CreateClassException : public PluginlibException
{
public:
  explicit CreateClassException(const std::string & error_desc);
  ~CreateClassException() override;
};

}  // namespace pluginlib

#endif
