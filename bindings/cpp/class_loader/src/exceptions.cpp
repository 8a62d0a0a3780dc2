#include "class_loader/exceptions.hpp"

namespace class_loader
{

// The destructors are here so that all libraries share one type information.

ClassLoaderException::ClassLoaderException(const std::string & error_desc)
: std::runtime_error(error_desc)
{
}

ClassLoaderException::~ClassLoaderException() = default;

LibraryLoadException::LibraryLoadException(const std::string & error_desc)
: ClassLoaderException(error_desc)
{
}

LibraryLoadException::~LibraryLoadException() = default;

LibraryUnloadException::LibraryUnloadException(const std::string & error_desc)
: ClassLoaderException(error_desc)
{
}

LibraryUnloadException::~LibraryUnloadException() = default;

CreateClassException::CreateClassException(const std::string & error_desc)
: ClassLoaderException(error_desc)
{
}

CreateClassException::~CreateClassException() = default;

NoClassLoaderExistsException::NoClassLoaderExistsException(const std::string & error_desc)
: ClassLoaderException(error_desc)
{
}

NoClassLoaderExistsException::~NoClassLoaderExistsException() = default;

}  // namespace class_loader
