// A library with two classes of one base and one of another. A static object counts loads in the environment.
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "animal.hpp"
#include "class_loader/register_macro.hpp"

namespace cats
{

struct Cat : Animal
{
  std::string says() const override {return "meow";}
  void call(const std::function<void()> & function) override
  {
    function();
    // Runs after the object and, perhaps, its last owner are gone.
    setenv("SALTUS_CAT_CALLED", "1", 1);
  }
};

struct Lion : Animal
{
  std::string says() const override {return "roar";}
};

struct Sick : Animal
{
  Sick() {throw std::runtime_error("sick");}
  std::string says() const override {return "";}
};

struct Robot : Machine
{
  int parts() const override {return 42;}
};

// Registrations may be in a namespace, and with or without a semicolon.
CLASS_LOADER_REGISTER_CLASS(cats::Lion, Animal)

}  // namespace cats

CLASS_LOADER_REGISTER_CLASS(cats::Cat, Animal);
CLASS_LOADER_REGISTER_CLASS(cats::Sick, Animal)
CLASS_LOADER_REGISTER_CLASS_WITH_MESSAGE(cats::Robot, Machine, "a robot is registered")

namespace
{

void add(const char * name)
{
  const char * value = std::getenv(name);
  setenv(name, std::to_string((value ? std::atoi(value) : 0) + 1).c_str(), 1);
}

struct Counter
{
  Counter() {add("SALTUS_CATS_LOADED");}
  ~Counter() {add("SALTUS_CATS_UNLOADED");}
} counter;

}  // namespace
