#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "fixture.hpp"

namespace
{

class Loader : public Shed
{
};

TEST_F(Loader, makes_objects)
{
  auto tools = loader();
  EXPECT_EQ("bang", tools.createSharedInstance("hand/Hammer")->use());
  pluginlib::UniquePtr<shed::Tool> saw = tools.createUniqueInstance("hand::Saw");
  EXPECT_EQ("ritsch", saw->use());
  const std::unique_ptr<shed::Tool> hammer(tools.createUnmanagedInstance("hand/Hammer"));
  EXPECT_EQ("bang", hammer->use());
  pluginlib::ClassLoader<shed::Light> lights("shed", "shed::Light");
  EXPECT_EQ((Names{"hand::Candle"}), lights.getDeclaredClasses());
  EXPECT_TRUE(lights.createSharedInstance("hand::Candle"));
}

TEST_F(Loader, tells_what_manifests_say)
{
  auto tools = loader();
  const std::string manifest = path("share/hand/plugins.xml");
  EXPECT_EQ("shed::Tool", tools.getBaseClassType());
  EXPECT_EQ((Names{"hand/Hammer", "hand::Broken", "hand::Saw"}), tools.getDeclaredClasses());
  EXPECT_EQ((Names{manifest}), tools.getPluginXmlPaths());
  EXPECT_TRUE(tools.isClassAvailable("hand/Hammer"));
  EXPECT_EQ("Hammer", tools.getName("hand/Hammer"));
  EXPECT_EQ("Saw", tools.getName("hand::Saw"));
  EXPECT_EQ("Saw", tools.getName("Saw"));
  EXPECT_EQ("hand::Hammer", tools.getClassType("hand/Hammer"));
  EXPECT_EQ("Hits & bangs.", tools.getClassDescription("hand/Hammer"));
  EXPECT_EQ("", tools.getClassDescription("hand::Saw"));
  EXPECT_EQ("hand", tools.getClassPackage("hand/Hammer"));
  EXPECT_EQ(manifest, tools.getPluginManifestPath("hand/Hammer"));
  EXPECT_EQ(path("lib/") + hand_tools, tools.getClassLibraryPath("hand/Hammer"));
}

TEST_F(Loader, has_nothing_of_unknown_classes)
{
  auto tools = loader();
  for (const char * name : {"hand::Candle", "Hammer", ""}) {
    EXPECT_FALSE(tools.isClassAvailable(name));
    EXPECT_FALSE(tools.isClassLoaded(name));
    EXPECT_EQ("", tools.getClassType(name));
    EXPECT_EQ("", tools.getClassDescription(name));
    EXPECT_EQ("", tools.getClassPackage(name));
    EXPECT_EQ("", tools.getPluginManifestPath(name));
    EXPECT_EQ("", tools.getClassLibraryPath(name));
  }
}

TEST_F(Loader, loads_and_unloads_libraries)
{
  auto tools = loader();
  const std::string library = path("lib/") + hand_tools;
  EXPECT_TRUE(tools.getRegisteredLibraries().empty());
  EXPECT_FALSE(tools.isClassLoaded("hand::Saw"));
  tools.loadLibraryForClass("hand/Hammer");
  tools.loadLibraryForClass("hand/Hammer");
  EXPECT_TRUE(tools.isClassLoaded("hand/Hammer"));
  // It is in the same library.
  EXPECT_TRUE(tools.isClassLoaded("hand::Saw"));
  EXPECT_EQ((Names{library}), tools.getRegisteredLibraries());
  EXPECT_EQ(library, tools.getClassLibraryPath("hand::Saw"));
  EXPECT_TRUE(is_mapped(library));
  EXPECT_EQ(0, tools.unloadLibraryForClass("hand::Saw"));
  EXPECT_FALSE(tools.isClassLoaded("hand/Hammer"));
  EXPECT_TRUE(tools.getRegisteredLibraries().empty());
  EXPECT_FALSE(is_mapped(library));
  EXPECT_EQ("bang", tools.createSharedInstance("hand/Hammer")->use());
}

TEST_F(Loader, unloads_only_what_it_loaded)
{
  auto tools = loader();
  auto others = loader();
  others.loadLibraryForClass("hand::Saw");
  const auto unload = [&](const char * name) {
      return message_of<pluginlib::LibraryUnloadException>([&] {tools.unloadLibraryForClass(name);});
    };
  EXPECT_TRUE(has(unload("hand::Saw"), "'hand::Saw': this class loader has not loaded it"));
  EXPECT_TRUE(has(unload("Knife"), "'Knife': no manifest declares it"));
}

TEST_F(Loader, keeps_libraries_of_objects)
{
  auto tools = loader();
  auto saw = tools.createSharedInstance("hand::Saw");
  EXPECT_EQ(1, tools.unloadLibraryForClass("hand::Saw"));
  EXPECT_EQ("ritsch", saw->use());
  saw.reset();
  EXPECT_EQ(0, tools.unloadLibraryForClass("hand::Saw"));
}

TEST_F(Loader, may_end_before_its_objects)
{
  const std::string library = path("lib/") + hand_tools;
  std::shared_ptr<shed::Tool> hammer;
  pluginlib::UniquePtr<shed::Tool> saw;
  std::unique_ptr<shed::Tool> unmanaged;
  {
    auto tools = std::make_unique<ToolLoader>("shed", "shed::Tool");
    hammer = tools->createSharedInstance("hand/Hammer");
    saw = tools->createUniqueInstance("hand::Saw");
  }
  EXPECT_TRUE(is_mapped(library));
  EXPECT_EQ("bang", hammer->use());
  hammer.reset();
  EXPECT_EQ("ritsch", saw->use());
  saw.reset();
  loader().loadLibraryForClass("hand/Hammer");
  EXPECT_FALSE(is_mapped(library));
  unmanaged.reset(loader().createUnmanagedInstance("hand::Saw"));
  EXPECT_EQ("ritsch", unmanaged->use());
}

TEST_F(Loader, passes_exceptions_of_constructors_on)
{
  auto tools = loader();
  EXPECT_EQ(
    "the handle is off", message_of<std::runtime_error>([&] {tools.createSharedInstance("hand::Broken");}));
  EXPECT_EQ(0, tools.unloadLibraryForClass("hand::Broken"));
}

TEST_F(Loader, reads_manifests_again)
{
  auto tools = loader();
  auto hammer = tools.createSharedInstance("hand/Hammer");
  add_package("power");
  add_library(power_tools);
  export_manifest(
    "power", "more/plugins.xml", R"(<class_libraries>
    <library path="saltus_test_power_tools"><class type="power::Drill" base_class_type="shed::Tool"/></library>
    <library path="none"><class type="power::None" base_class_type="shed::Tool"/></library>
    </class_libraries>)");
  EXPECT_FALSE(tools.isClassAvailable("power::Drill"));
  tools.refreshDeclaredClasses();
  EXPECT_EQ("brrr", tools.createSharedInstance("power::Drill")->use());
  EXPECT_TRUE(tools.isClassAvailable("power::None"));
  EXPECT_EQ(path("share/power/more/plugins.xml"), tools.getPluginManifestPath("power::Drill"));
  EXPECT_EQ("power", tools.getClassPackage("power::Drill"));
  EXPECT_EQ(2u, tools.getRegisteredLibraries().size());
  // A loaded plugin stays, although its package is removed; the others of that package go.
  EXPECT_EQ(0, tools.unloadLibraryForClass("power::Drill"));
  std::filesystem::remove_all(path("share"));
  tools.refreshDeclaredClasses();
  EXPECT_EQ((Names{"hand/Hammer", "hand::Broken", "hand::Saw"}), tools.getDeclaredClasses());
  EXPECT_TRUE(tools.isClassLoaded("hand/Hammer"));
}

TEST_F(Loader, takes_manifests_by_their_paths)
{
  add_package("power");
  add_library(power_tools);
  // Without an entry in the index.
  write(
    "share/power/deep/folder/mine.xml",
    "<library path='saltus_test_power_tools'><class type='power::Drill' base_class_type='shed::Tool'/></library>");
  const std::string manifest = path("share/power/deep/folder/mine.xml");
  ToolLoader tools("shed", "shed::Tool", "plugin", {manifest});
  EXPECT_EQ((Names{manifest}), tools.getPluginXmlPaths());
  EXPECT_EQ((Names{"power::Drill"}), tools.getDeclaredClasses());
  EXPECT_EQ("power", tools.getClassPackage("power::Drill"));
  EXPECT_EQ("brrr", tools.createSharedInstance("power::Drill")->use());
  tools.refreshDeclaredClasses();
  EXPECT_EQ((Names{"power::Drill"}), tools.getDeclaredClasses());
}

TEST_F(Loader, searches_other_kinds_of_entries)
{
  write("share/ament_index/resource_index/shed__pluginlib__tool/hand", "\r\n  share/hand/plugins.xml \r\n\n");
  ToolLoader tools("shed", "shed::Tool", "tool");
  EXPECT_EQ((Names{path("share/hand/plugins.xml")}), tools.getPluginXmlPaths());
  EXPECT_EQ("bang", tools.createSharedInstance("hand/Hammer")->use());
  EXPECT_TRUE(ToolLoader("shed", "shed::Tool", "toy").getDeclaredClasses().empty());
}

TEST_F(Loader, may_be_used_by_threads)
{
  auto tools = loader();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
        for (int round = 0; round < 50; ++round) {
          wrong += tools.createSharedInstance("hand/Hammer")->use() == "bang" ? 0 : 1;
          if (i == 0) {
            tools.refreshDeclaredClasses();
          } else if (i == 1) {
            try {
              tools.unloadLibraryForClass("hand/Hammer");
            } catch (const pluginlib::LibraryUnloadException &) {
              // No thread has loaded it.
            }
          }
        }
      });
  }
  for (auto & thread : threads) {
    thread.join();
  }
  EXPECT_EQ(0, wrong);
}

}  // namespace
