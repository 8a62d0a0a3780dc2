// A library that is linked with the library of cows.
#include "animal.hpp"
#include "class_loader/register_macro.hpp"

struct Herd : Animal
{
  std::string says() const override {return "moo moo";}
};

CLASS_LOADER_REGISTER_CLASS(Herd, Animal)
