#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "animal.hpp"
#include "class_loader/class_loader.hpp"
#include "fixture.hpp"
#include "linked.hpp"

namespace
{

using class_loader::ClassLoader;
using Names = std::vector<std::string>;

class Loader : public WithLog
{
};

TEST_F(Loader, makes_objects)
{
  ClassLoader loader(cats);
  EXPECT_TRUE(loader.isLibraryLoaded());
  EXPECT_EQ(cats, loader.getLibraryPath());
  EXPECT_FALSE(loader.isOnDemandLoadUnloadEnabled());
  EXPECT_EQ("meow", loader.createInstance<Animal>("cats::Cat")->says());
  EXPECT_EQ("roar", loader.createSharedInstance<Animal>("cats::Lion")->says());
  ClassLoader::UniquePtr<Machine> robot = loader.createUniqueInstance<Machine>("cats::Robot");
  EXPECT_EQ(42, robot->parts());
  EXPECT_EQ(1, logged("class_loader: a robot is registered"));
}

TEST_F(Loader, names_classes_by_base)
{
  ClassLoader loader(cats);
  EXPECT_EQ((Names{"cats::Lion", "cats::Cat", "cats::Sick", "Linked"}), loader.getAvailableClasses<Animal>());
  EXPECT_EQ((Names{"cats::Robot"}), loader.getAvailableClasses<Machine>());
  EXPECT_TRUE(loader.getAvailableClasses<std::string>().empty());
  EXPECT_TRUE(loader.isClassAvailable<Animal>("cats::Cat"));
  EXPECT_FALSE(loader.isClassAvailable<Machine>("cats::Cat"));
  EXPECT_FALSE(loader.isClassAvailable<Animal>("Cat"));
}

TEST_F(Loader, reports_errors)
{
  try {
    ClassLoader loader("libnothing_of_saltus.so");
    FAIL() << "no exception";
  } catch (const class_loader::LibraryLoadException & exception) {
    EXPECT_NE(std::string::npos, std::string(exception.what()).find("libnothing_of_saltus.so"));
  }
  ClassLoader loader(cats);
  EXPECT_THROW(loader.createInstance<Animal>("cats::Dog"), class_loader::CreateClassException);
  EXPECT_THROW(loader.createUniqueInstance<Machine>("cats::Cat"), class_loader::ClassLoaderException);
  EXPECT_THROW(loader.createUnmanagedInstance<Animal>("Dog"), std::runtime_error);
  try {
    loader.createInstance<Animal>("cats::Sick");
    FAIL() << "no exception";
  } catch (const std::runtime_error & exception) {
    EXPECT_STREQ("sick", exception.what());
  }
  // None of the failures counts as an object.
  EXPECT_EQ(0, loader.unloadLibrary());
  EXPECT_FALSE(loader.isLibraryLoaded());
}

TEST_F(Loader, counts_loads)
{
  ClassLoader loader(cats);
  loader.loadLibrary();
  EXPECT_EQ(1, loader.unloadLibrary());
  EXPECT_TRUE(loader.isLibraryLoaded());
  EXPECT_EQ(0, loader.unloadLibrary());
  EXPECT_EQ(0, loader.unloadLibrary());
  EXPECT_FALSE(loader.isLibraryLoaded());
  EXPECT_FALSE(loader.isLibraryLoadedByAnyClassloader());
  EXPECT_FALSE(class_loader::impl::isLibraryLoaded(cats, &loader));
  EXPECT_EQ((Names{"Linked"}), loader.getAvailableClasses<Animal>());
  EXPECT_EQ("meow", loader.createInstance<Animal>("cats::Cat")->says());
  EXPECT_TRUE(class_loader::impl::isLibraryLoaded(cats, &loader));
}

TEST_F(Loader, registers_again_after_unloading)
{
  ASSERT_FALSE(is_mapped(cats));
  const int loaded = counted("SALTUS_CATS_LOADED");
  const int unloaded = counted("SALTUS_CATS_UNLOADED");
  for (int round = 1; round <= 3; ++round) {
    ClassLoader loader(cats);
    EXPECT_EQ(loaded + round, counted("SALTUS_CATS_LOADED"));
    EXPECT_EQ(4u, loader.getAvailableClasses<Animal>().size());
    EXPECT_EQ("meow", loader.createInstance<Animal>("cats::Cat")->says());
    EXPECT_EQ(0, loader.unloadLibrary());
    EXPECT_EQ(unloaded + round, counted("SALTUS_CATS_UNLOADED"));
    EXPECT_FALSE(is_mapped(cats));
  }
  EXPECT_EQ(0, logged("registered by"));
}

TEST_F(Loader, keeps_libraries_of_objects)
{
  ClassLoader loader(cats);
  auto cat = loader.createInstance<Animal>("cats::Cat");
  EXPECT_EQ(1, loader.unloadLibrary());
  EXPECT_EQ(1, logged("is not unloaded, because objects of it exist"));
  EXPECT_TRUE(loader.isLibraryLoaded());
  EXPECT_EQ("meow", cat->says());
  cat.reset();
  EXPECT_EQ(0, loader.unloadLibrary());
  EXPECT_FALSE(is_mapped(cats));
}

TEST_F(Loader, objects_may_outlive_it)
{
  std::shared_ptr<Animal> cat;
  {
    ClassLoader loader(cats);
    cat = loader.createInstance<Animal>("cats::Cat");
  }
  EXPECT_EQ("meow", cat->says());
  EXPECT_TRUE(class_loader::impl::isLibraryLoadedByAnybody(cats));
  std::weak_ptr<Animal> weak = cat;
  cat.reset();
  EXPECT_FALSE(class_loader::impl::isLibraryLoadedByAnybody(cats));
  ClassLoader other(linked);
  EXPECT_FALSE(is_mapped(cats));
}

TEST_F(Loader, an_object_may_end_in_its_own_code)
{
  unsetenv("SALTUS_CAT_CALLED");
  auto loader = std::make_unique<ClassLoader>(cats, true);
  auto cat = loader->createInstance<Animal>("cats::Cat");
  Animal & reference = *cat;
  reference.call([&cat] {cat.reset();});
  EXPECT_EQ(1, counted("SALTUS_CAT_CALLED"));
  EXPECT_FALSE(loader->isLibraryLoaded());
  loader.reset();
  EXPECT_FALSE(is_mapped(cats));
}

TEST_F(Loader, loads_on_demand)
{
  ClassLoader loader(cats, true);
  EXPECT_TRUE(loader.isOnDemandLoadUnloadEnabled());
  EXPECT_FALSE(loader.isLibraryLoaded());
  EXPECT_FALSE(loader.isClassAvailable<Animal>("cats::Cat"));
  for (int round = 0; round < 3; ++round) {
    auto first = loader.createUniqueInstance<Animal>("cats::Cat");
    auto second = loader.createInstance<Animal>("cats::Lion");
    EXPECT_TRUE(loader.isLibraryLoaded());
    first.reset();
    EXPECT_TRUE(loader.isLibraryLoaded());
    second.reset();
    EXPECT_FALSE(loader.isLibraryLoaded());
  }
}

TEST_F(Loader, libraries_of_several_loaders)
{
  auto first = std::make_unique<ClassLoader>(cats);
  ClassLoader second(cats);
  auto cat = first->createInstance<Animal>("cats::Cat");
  EXPECT_EQ("meow", second.createInstance<Animal>("cats::Cat")->says());
  first.reset();
  EXPECT_EQ(4u, second.getAvailableClasses<Animal>().size());
  EXPECT_EQ(0, second.unloadLibrary());
  EXPECT_EQ("meow", cat->says());
  // Another path to the same file is the same library.
  Dl_info info = {};
  ASSERT_NE(0, dladdr(*reinterpret_cast<void **>(cat.get()), &info));
  ClassLoader third(info.dli_fname);
  EXPECT_EQ("meow", third.createInstance<Animal>("cats::Cat")->says());
}

TEST_F(Loader, each_library_uses_its_own_class)
{
  ClassLoader of_cats(cats);
  ClassLoader of_cows(cows);
  EXPECT_EQ("meow", of_cats.createInstance<Animal>("cats::Cat")->says());
  EXPECT_EQ("moo, I mean meow", of_cows.createInstance<Animal>("cats::Cat")->says());
  EXPECT_FALSE(of_cats.isClassAvailable<Animal>("cows::Cow"));
  EXPECT_THROW(of_cats.createInstance<Animal>("cows::Cow"), class_loader::CreateClassException);
  // One class is registered twice by its library, one by both.
  EXPECT_EQ(1, logged("the class 'cows::Cow' with the base 'Animal' is registered by"));
  EXPECT_EQ(1, logged("the class 'cats::Cat' with the base 'Animal' is registered by"));
  EXPECT_EQ((Names{"cows::Cow", "cats::Cat", "Linked"}), of_cows.getAvailableClasses<Animal>());
}

TEST_F(Loader, classes_of_dependencies)
{
  std::shared_ptr<Animal> cow;
  {
    ClassLoader loader(herd);
    EXPECT_EQ((Names{"Herd", "cows::Cow", "cats::Cat", "Linked"}), loader.getAvailableClasses<Animal>());
    cow = loader.createInstance<Animal>("cows::Cow");
    // A loader of the dependency finds its classes, although they were registered before.
    ClassLoader of_cows(cows);
    EXPECT_TRUE(of_cows.isClassAvailable<Animal>("cows::Cow"));
    EXPECT_FALSE(of_cows.isClassAvailable<Animal>("Herd"));
  }
  EXPECT_EQ("moo", cow->says());
  cow.reset();
  ClassLoader other(cats);
  EXPECT_FALSE(is_mapped(herd));
  EXPECT_FALSE(is_mapped(cows));
}

TEST_F(Loader, classes_of_linked_libraries_stay)
{
  EXPECT_EQ(7, linked_function());
  EXPECT_TRUE(class_loader::impl::hasANonPurePluginLibraryBeenOpened());
  for (int round = 0; round < 2; ++round) {
    ClassLoader loader(linked);
    EXPECT_EQ((Names{"Linked"}), loader.getAvailableClasses<Animal>());
    EXPECT_EQ("linked", loader.createInstance<Animal>("Linked")->says());
    EXPECT_EQ(0, loader.unloadLibrary());
  }
  ClassLoader other(cats);
  EXPECT_EQ("linked", other.createInstance<Animal>("Linked")->says());
  const std::unique_ptr<Animal> free(class_loader::impl::createInstance<Animal>("Linked", nullptr));
  EXPECT_EQ("linked", free->says());
  EXPECT_EQ((Names{"Linked"}), class_loader::impl::getAvailableClasses<Animal>(nullptr));
  EXPECT_THROW(class_loader::impl::createInstance<Animal>("cats::Cat", nullptr), class_loader::CreateClassException);
}

TEST_F(Loader, libraries_that_are_never_unloaded)
{
  for (int round = 0; round < 2; ++round) {
    ClassLoader loader(sticky);
    EXPECT_EQ((Names{"Sticky", "Linked"}), loader.getAvailableClasses<Animal>());
    EXPECT_EQ("sticky", loader.createInstance<Animal>("Sticky")->says());
    EXPECT_EQ(0, loader.unloadLibrary());
  }
  EXPECT_TRUE(is_mapped(sticky));
  ClassLoader other(cats);
  EXPECT_FALSE(other.isClassAvailable<Animal>("Sticky"));
}

TEST_F(Loader, libraries_that_others_opened)
{
  void * handle = dlopen(cats, RTLD_LAZY);
  ASSERT_NE(nullptr, handle);
  std::shared_ptr<Animal> cat;
  {
    ClassLoader other(linked);
    cat = other.createInstance<Animal>("cats::Cat");
    ClassLoader loader(cats);
    EXPECT_EQ("meow", loader.createInstance<Animal>("cats::Cat")->says());
  }
  dlclose(handle);
  EXPECT_EQ("meow", cat->says());
  cat.reset();
  ClassLoader other(linked);
  EXPECT_FALSE(other.isClassAvailable<Animal>("cats::Cat"));
}

TEST_F(Loader, static_objects_may_use_loaders)
{
  ClassLoader loader(greedy);
  EXPECT_EQ("meow", loader.createInstance<Animal>("Greedy")->says());
  EXPECT_FALSE(loader.isClassAvailable<Animal>("cats::Cat"));
}

TEST_F(Loader, functions_of_the_core)
{
  ClassLoader loader(cats);
  EXPECT_EQ((Names{cats}), class_loader::impl::getAllLibrariesUsedByClassLoader(&loader));
  class_loader::impl::loadLibrary(cats, &loader);
  class_loader::impl::unloadLibrary(cats, &loader);
  EXPECT_TRUE(loader.isLibraryLoaded());
  class_loader::impl::unloadLibrary(cats, &loader);
  EXPECT_TRUE(class_loader::impl::getAllLibrariesUsedByClassLoader(&loader).empty());
  EXPECT_THROW(class_loader::impl::unloadLibrary(cats, &loader), class_loader::LibraryUnloadException);
  EXPECT_THROW(class_loader::impl::loadLibrary("libnothing_of_saltus.so", &loader), class_loader::LibraryLoadException);
  ::testing::internal::CaptureStdout();
  class_loader::impl::printDebugInfoToScreen();
  EXPECT_NE(std::string::npos, ::testing::internal::GetCapturedStdout().find("Linked : Animal in "));
}

TEST_F(Loader, the_program_as_a_library)
{
  // The linker takes the empty name for the program.
  ClassLoader loader("");
  EXPECT_EQ((Names{"Linked"}), loader.getAvailableClasses<Animal>());
}

TEST_F(Loader, names_of_files)
{
  EXPECT_EQ("lib", class_loader::systemLibraryPrefix());
  EXPECT_EQ(".so", class_loader::systemLibrarySuffix());
  EXPECT_EQ("libx.so", class_loader::systemLibraryFormat("x"));
}

// The name makes this the last test of the file: the library stays in memory from here on.
TEST_F(Loader, z_unmanaged_objects)
{
  auto loader = std::make_unique<ClassLoader>(cats);
  const std::unique_ptr<Animal> cat(loader->createUnmanagedInstance<Animal>("cats::Cat"));
  EXPECT_TRUE(ClassLoader::hasUnmanagedInstanceBeenCreated());
  EXPECT_EQ(0, loader->unloadLibrary());
  loader.reset();
  EXPECT_EQ("meow", cat->says());
  // An object that is taken out of its pointer is not managed either.
  auto lion = ClassLoader(cats).createUniqueInstance<Animal>("cats::Lion");
  const std::unique_ptr<Animal> taken(lion.release());
  EXPECT_EQ("roar", taken->says());
}

std::shared_ptr<Animal> & until_exit()
{
  static std::shared_ptr<Animal> animal;
  return animal;
}

TEST_F(Loader, z_objects_may_live_until_exit)
{
  until_exit() = ClassLoader(cows).createInstance<Animal>("cows::Cow");
  EXPECT_EQ("moo", until_exit()->says());
}

}  // namespace
