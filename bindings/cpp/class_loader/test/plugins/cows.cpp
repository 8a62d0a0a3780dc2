// A library that registers its class twice, and a class of the same name as another library.
#include "animal.hpp"
#include "class_loader/register_macro.hpp"

namespace cows
{

struct Cow : Animal
{
  std::string says() const override {return "moo";}
};

}  // namespace cows

namespace cats
{

// Of another namespace than the real one, so that the linker does not take one for the other.
namespace of_cows
{

struct Cat : Animal
{
  std::string says() const override {return "moo, I mean meow";}
};

}  // namespace of_cows

using Cat = of_cows::Cat;

}  // namespace cats

CLASS_LOADER_REGISTER_CLASS(cows::Cow, Animal)
CLASS_LOADER_REGISTER_CLASS(cows::Cow, Animal)
CLASS_LOADER_REGISTER_CLASS(cats::Cat, Animal)
