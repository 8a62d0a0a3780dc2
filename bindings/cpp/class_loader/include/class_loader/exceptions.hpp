// The exceptions of class_loader.
#ifndef CLASS_LOADER_EXCEPTIONS_HPP_
#define CLASS_LOADER_EXCEPTIONS_HPP_

#include <stdexcept>
#include <string>

#include "class_loader/visibility_control.hpp"

namespace class_loader
{

/// The base of all exceptions of class_loader.
class CLASS_LOADER_PUBLIC_TYPE ClassLoaderException : public std::runtime_error
{
public:
  explicit ClassLoaderException(const std::string & error_desc);
  ~ClassLoaderException() override;
};

/// A library can't be loaded.
class CLASS_LOADER_PUBLIC_TYPE LibraryLoadException : public ClassLoaderException
{
public:
  explicit LibraryLoadException(const std::string & error_desc);
  ~LibraryLoadException() override;
};

/// A library can't be unloaded.
class CLASS_LOADER_PUBLIC_TYPE LibraryUnloadException : public ClassLoaderException
{
public:
  explicit LibraryUnloadException(const std::string & error_desc);
  ~LibraryUnloadException() override;
};

/// An object can't be made, because no library registers its class.
class CLASS_LOADER_PUBLIC_TYPE CreateClassException : public ClassLoaderException
{
public:
  explicit CreateClassException(const std::string & error_desc);
  ~CreateClassException() override;
};

/// A MultiLibraryClassLoader does not have the library.
class CLASS_LOADER_PUBLIC_TYPE NoClassLoaderExistsException : public ClassLoaderException
{
public:
  explicit NoClassLoaderExistsException(const std::string & error_desc);
  ~NoClassLoaderExistsException() override;
};

}  // namespace class_loader

#endif
