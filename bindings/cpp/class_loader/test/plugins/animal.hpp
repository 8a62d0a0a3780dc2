// The base classes of the test plugins.
#ifndef ANIMAL_HPP_
#define ANIMAL_HPP_

#include <functional>
#include <string>

struct Animal
{
  virtual ~Animal() = default;
  virtual std::string says() const = 0;
  /// Calls a function from the code of the plugin.
  virtual void call(const std::function<void()> & function) {function();}
};

struct Machine
{
  virtual ~Machine() = default;
  virtual int parts() const = 0;
};

#endif
