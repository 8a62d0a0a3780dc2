// A library that the linker never unloads.
#include "animal.hpp"
#include "class_loader/register_macro.hpp"

struct Sticky : Animal
{
  std::string says() const override {return "sticky";}
};

CLASS_LOADER_REGISTER_CLASS(Sticky, Animal)
