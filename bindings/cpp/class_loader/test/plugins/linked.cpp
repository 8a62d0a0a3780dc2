// A library with a class that the test program is linked with.
#include "linked.hpp"

#include "animal.hpp"
#include "class_loader/register_macro.hpp"

struct Linked : Animal
{
  std::string says() const override {return "linked";}
};

CLASS_LOADER_REGISTER_CLASS(Linked, Animal)

int linked_function() {return 7;}
