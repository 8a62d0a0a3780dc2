// Plugins, components and the index of packages. The shapes are in the library of this package.
#include "common.hpp"

#include "ament_index_cpp/get_package_prefix.hpp"
#include "ament_index_cpp/get_package_share_directory.hpp"
#include "ament_index_cpp/get_resources.hpp"
#include "class_loader/class_loader.hpp"
#include "pluginlib/class_loader.hpp"
#include "rclcpp_components/component_manager.hpp"
#include "rcpputils/asserts.hpp"
#include "rcpputils/env.hpp"
#include "rcpputils/filesystem_helper.hpp"
#include "rcpputils/pointer_traits.hpp"
#include "rcpputils/shared_library.hpp"
#include "rcpputils/split.hpp"
#include "shape.hpp"

namespace
{

class Plugins : public ::testing::Test
{
protected:
  std::unique_ptr<pluginlib::ClassLoader<shapes::Shape>> loader =
    std::make_unique<pluginlib::ClassLoader<shapes::Shape>>("names", "shapes::Shape");
};

class Components : public WithNode {};

}  // namespace

TEST_F(Plugins, declared_classes_are_made)
{
  EXPECT_EQ(loader->getDeclaredClasses(), (std::vector<std::string>{"shapes/Circle", "shapes/Square"}));
  EXPECT_TRUE(loader->isClassAvailable("shapes/Square"));
  EXPECT_FALSE(loader->isClassAvailable("shapes/Line"));
  shapes::Shape::SharedPtr shared = loader->createSharedInstance("shapes/Square");
  EXPECT_EQ(shared->sides(), 4);
  pluginlib::UniquePtr<shapes::Shape> unique = loader->createUniqueInstance("shapes/Square");
  EXPECT_EQ(unique->sides(), 4);
  std::unique_ptr<shapes::Shape> unmanaged(loader->createUnmanagedInstance("shapes/Square"));
  EXPECT_EQ(unmanaged->sides(), 4);
}

TEST_F(Plugins, what_is_not_there_is_an_exception)
{
  EXPECT_THROW(loader->createSharedInstance("shapes/Line"), pluginlib::LibraryLoadException);
  EXPECT_THROW(loader->createSharedInstance("shapes/Circle"), pluginlib::CreateClassException);
  try {
    loader->createSharedInstance("shapes/Line");
    FAIL();
  } catch (const pluginlib::PluginlibException & error) {
    EXPECT_NE(std::string(error.what()).find("shapes/Line"), std::string::npos);
  }
}

TEST_F(Plugins, the_macros_define_pointers_and_forbid_copies)
{
  static_assert(!std::is_copy_constructible_v<shapes::Shape>);
  static_assert(std::is_same_v<shapes::Shape::ConstSharedPtr, std::shared_ptr<const shapes::Shape>>);
  static_assert(std::is_same_v<shapes::Shape::UniquePtr, std::unique_ptr<shapes::Shape>>);
  static_assert(std::is_same_v<rcpputils::remove_pointer<shapes::Shape::SharedPtr>::type, shapes::Shape>);
  EXPECT_TRUE((std::is_same_v<shapes::Shape::WeakPtr, std::weak_ptr<shapes::Shape>>));
}

TEST_F(Plugins, a_class_loader_opens_a_library)
{
  const std::string path = ament_index_cpp::get_package_prefix("names") + "/lib/libshapes.so";
  class_loader::ClassLoader classes(path);
  EXPECT_EQ(classes.createSharedInstance<shapes::Shape>("shapes::Triangle")->sides(), 3);
  rcpputils::SharedLibrary library(path);
  EXPECT_EQ(library.get_library_path(), path);
}

TEST_F(Plugins, the_index_knows_packages)
{
  const std::string share = ament_index_cpp::get_package_share_directory("names");
  EXPECT_TRUE((rcpputils::fs::path(share) / "plugins.xml").exists());
  EXPECT_EQ(ament_index_cpp::get_resources("names__pluginlib__plugin").count("names"), 1u);
  EXPECT_THROW(ament_index_cpp::get_package_prefix("unknown"), ament_index_cpp::PackageNotFoundError);
  EXPECT_NE(rcpputils::get_env_var("AMENT_PREFIX_PATH"), "");
  EXPECT_EQ(rcpputils::split("a:b", ':'), (std::vector<std::string>{"a", "b"}));
}

TEST_F(Plugins, arguments_are_required_to_be_right)
{
  EXPECT_NO_THROW(rcpputils::require_true(true));
  EXPECT_THROW(rcpputils::require_true(false, "wrong"), std::invalid_argument);
}

TEST_F(Plugins, folders_are_removed)
{
  const auto folder = rcpputils::fs::path(::testing::TempDir()) / "names_test_folder";
  ASSERT_TRUE(rcpputils::fs::create_directories(folder / "inside"));
  EXPECT_TRUE(rcpputils::fs::remove_all(folder));
  EXPECT_FALSE(rcpputils::fs::exists(folder));
}

TEST_F(Components, a_manager_makes_a_registered_component)
{
  auto executor = std::make_shared<rclcpp::executors::SingleThreadedExecutor>();
  rclcpp_components::ComponentManager manager(executor);
  const auto resources = manager.get_component_resources("names");
  ASSERT_EQ(resources.size(), 1u);
  EXPECT_EQ(resources[0].first, "shapes::Sensor");
  auto factory = manager.create_component_factory(resources[0]);
  ASSERT_NE(factory, nullptr);
  auto sensor = factory->create_node_instance(rclcpp::NodeOptions());
  EXPECT_STREQ(sensor.get_node_base_interface()->get_name(), "sensor");
}
