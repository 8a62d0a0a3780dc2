// Libraries that are held open by class loaders and objects.
#ifndef LIBRARY_HPP_
#define LIBRARY_HPP_

#include <memory>
#include <string>

namespace class_loader
{
namespace impl
{

/// A library in memory. Its end does not close it, but hands it to closeUnusedLibraries.
class Library
{
public:
  /// Opens a library; throws LibraryLoadException if that fails.
  static std::shared_ptr<Library> open(const std::string & path);

  /// Holds a library that is in memory already, known by the file name of its module; returns null if that fails.
  static std::shared_ptr<Library> hold(const std::string & file_name);

  Library(const std::string & path, void * handle, bool is_counted);
  ~Library();
  Library(const Library &) = delete;
  Library & operator=(const Library &) = delete;

  /// The path by which it was opened.
  const std::string & path() const {return path_;}

  /// The address at which it begins in memory.
  const void * module() const {return module_;}

private:
  const std::string path_;
  void * const handle_;
  const void * const module_;
  const bool is_counted_;
};

/// What is known of the library that has an address.
struct Module
{
  /// The address at which it begins in memory; null if the address is in no library.
  const void * base = nullptr;
  std::string file_name;
};

/// Returns the library that has an address.
Module moduleOf(const void * address);

/// Closes the libraries that nobody holds. Never call it with a lock held: destructors of a library run in it.
void closeUnusedLibraries();

/// Keeps a library until the process ends.
void keepForever(std::shared_ptr<Library> library);

/// Returns true if a library of this path is held by Library::open.
bool isOpen(const std::string & path);

/// The load that runs on this thread, of which static registrations are a part.
class LoadScope
{
public:
  explicit LoadScope(const std::string & path);
  ~LoadScope();
  LoadScope(const LoadScope &) = delete;
  LoadScope & operator=(const LoadScope &) = delete;

  /// The innermost load of this thread, or null.
  static LoadScope * current();

  const std::string & path() const {return path_;}

  /// A text that is logged when the load has ended: the linker holds its lock until then.
  void logLater(int severity, const std::string & text);

private:
  const std::string & path_;
  LoadScope * const outer_;
  struct Messages;
  std::unique_ptr<Messages> messages_;
};

/// Logs a text, after the load that runs on this thread.
void log(int severity, const std::string & text);

}  // namespace impl
}  // namespace class_loader

#endif
