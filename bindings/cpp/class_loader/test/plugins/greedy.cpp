// A library whose static object uses a class loader while the library is loaded.
#include "animal.hpp"
#include "class_loader/class_loader.hpp"

namespace
{

std::string loaded_sound()
{
  class_loader::ClassLoader loader("libsaltus_test_cats.so");
  return loader.createInstance<Animal>("cats::Cat")->says();
}

const std::string sound = loaded_sound();

}  // namespace

struct Greedy : Animal
{
  std::string says() const override {return sound;}
};

CLASS_LOADER_REGISTER_CLASS(Greedy, Animal)
