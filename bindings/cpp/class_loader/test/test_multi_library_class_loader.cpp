#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "animal.hpp"
#include "class_loader/multi_library_class_loader.hpp"
#include "fixture.hpp"

namespace
{

using class_loader::ClassLoader;
using class_loader::MultiLibraryClassLoader;
using Names = std::vector<std::string>;

class MultiLoader : public WithLog
{
};

TEST_F(MultiLoader, makes_objects_of_all_libraries)
{
  MultiLibraryClassLoader loader(false);
  EXPECT_FALSE(loader.isOnDemandLoadUnloadEnabled());
  EXPECT_THROW(loader.createInstance<Animal>("cats::Cat"), class_loader::CreateClassException);
  loader.loadLibrary(cats);
  loader.loadLibrary(herd);
  loader.loadLibrary(cats);
  EXPECT_EQ("meow", loader.createInstance<Animal>("cats::Cat")->says());
  EXPECT_EQ("moo moo", loader.createSharedInstance<Animal>("Herd")->says());
  loader.loadLibrary(cows);
  EXPECT_EQ("moo, I mean meow", loader.createInstance<Animal>("cats::Cat", cows)->says());
  EXPECT_EQ("meow", loader.createUniqueInstance<Animal>("cats::Cat", cats)->says());
  EXPECT_EQ(42, loader.createUniqueInstance<Machine>("cats::Robot")->parts());
  EXPECT_THROW(loader.createInstance<Animal>("Dog"), class_loader::CreateClassException);
  EXPECT_THROW(loader.createInstance<Animal>("Herd", cats), class_loader::CreateClassException);
  EXPECT_THROW(loader.createInstance<Animal>("Herd", "x.so"), class_loader::NoClassLoaderExistsException);
}

TEST_F(MultiLoader, knows_libraries_and_classes)
{
  MultiLibraryClassLoader loader(false);
  loader.loadLibrary(cats);
  loader.loadLibrary(linked);
  EXPECT_EQ((Names{cats, linked}), loader.getRegisteredLibraries());
  EXPECT_TRUE(loader.isLibraryAvailable(cats));
  EXPECT_FALSE(loader.isLibraryAvailable(cows));
  EXPECT_EQ((Names{"cats::Lion", "cats::Cat", "cats::Sick", "Linked"}), loader.getAvailableClasses<Animal>());
  EXPECT_EQ((Names{"Linked"}), loader.getAvailableClassesForLibrary<Animal>(linked));
  EXPECT_THROW(loader.getAvailableClassesForLibrary<Animal>(cows), class_loader::NoClassLoaderExistsException);
  EXPECT_TRUE(loader.isClassAvailable<Machine>("cats::Robot"));
  EXPECT_FALSE(loader.isClassAvailable<Machine>("cats::Cat"));
  EXPECT_THROW(loader.loadLibrary("libnothing_of_saltus.so"), class_loader::LibraryLoadException);
  EXPECT_FALSE(loader.isLibraryAvailable("libnothing_of_saltus.so"));
}

TEST_F(MultiLoader, unloads)
{
  MultiLibraryClassLoader loader(false);
  EXPECT_EQ(0, loader.unloadLibrary(cats));
  loader.loadLibrary(cats);
  auto cat = loader.createInstance<Animal>("cats::Cat");
  EXPECT_EQ(1, loader.unloadLibrary(cats));
  EXPECT_TRUE(loader.isLibraryAvailable(cats));
  cat.reset();
  EXPECT_EQ(0, loader.unloadLibrary(cats));
  EXPECT_FALSE(loader.isLibraryAvailable(cats));
  EXPECT_FALSE(loader.isClassAvailable<Animal>("cats::Cat"));
}

TEST_F(MultiLoader, loads_on_demand)
{
  MultiLibraryClassLoader loader(true);
  loader.loadLibrary(cats);
  loader.loadLibrary(herd);
  EXPECT_FALSE(class_loader::impl::isLibraryLoadedByAnybody(herd));
  auto object = loader.createInstance<Animal>("Herd");
  EXPECT_EQ("moo moo", object->says());
  EXPECT_TRUE(class_loader::impl::isLibraryLoadedByAnybody(herd));
  object.reset();
  EXPECT_FALSE(class_loader::impl::isLibraryLoadedByAnybody(herd));
  EXPECT_EQ(0, loader.unloadLibrary(herd));
  EXPECT_FALSE(loader.isLibraryAvailable(herd));
}

TEST_F(MultiLoader, unmanaged_objects)
{
  MultiLibraryClassLoader loader(false);
  loader.loadLibrary(cows);
  const std::unique_ptr<Animal> first(loader.createUnmanagedInstance<Animal>("cows::Cow"));
  const std::unique_ptr<Animal> second(loader.createUnmanagedInstance<Animal>("cows::Cow", cows));
  EXPECT_EQ(0, loader.unloadLibrary(cows));
  EXPECT_EQ(first->says(), second->says());
}

TEST_F(MultiLoader, threads_share_a_loader)
{
  ClassLoader shared(cats);
  ClassLoader on_demand(herd, true);
  MultiLibraryClassLoader several(false);
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back(
      [&, thread] {
        for (int round = 0; round < 50; ++round) {
          failures += shared.createInstance<Animal>("cats::Cat")->says() == "meow" ? 0 : 1;
          failures += on_demand.createInstance<Animal>("Herd")->says() == "moo moo" ? 0 : 1;
          several.loadLibrary(cows);
          try {
            failures += several.createUniqueInstance<Animal>("cows::Cow")->says() == "moo" ? 0 : 1;
          } catch (const class_loader::CreateClassException &) {
            // Another thread has just unloaded it.
          }
          if (thread == 0) {
            several.unloadLibrary(cows);
            shared.unloadLibrary();
            ClassLoader(greedy).createInstance<Animal>("Greedy");
          }
        }
      });
  }
  for (auto & thread : threads) {
    thread.join();
  }
  EXPECT_EQ(0, failures);
}

}  // namespace
