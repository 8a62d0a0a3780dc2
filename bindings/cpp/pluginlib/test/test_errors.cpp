// What is wrong in packages, manifests and libraries, and what the exceptions say.
#include <string>

#include "fixture.hpp"

namespace
{

class Errors : public Shed
{
protected:
  static std::string create(ToolLoader & tools, const std::string & name)
  {
    return message_of<pluginlib::LibraryLoadException>([&] {tools.createSharedInstance(name);});
  }

  /// Exports a wrong manifest, and checks that it is left out with this reason, and that the other plugins work.
  void expect_left_out(const std::string & manifest, const std::string & reason) const
  {
    export_manifest("power", "plugins.xml", manifest);
    expect_reason(reason);
  }

  void expect_reason(const std::string & reason) const
  {
    auto tools = loader();
    EXPECT_EQ("bang", tools.createSharedInstance("hand/Hammer")->use());
    EXPECT_TRUE(logged("pluginlib.ClassLoader: plugins are left out: "));
    EXPECT_TRUE(logged(reason)) << reason;
    const std::string message = create(tools, "power::Drill");
    EXPECT_TRUE(has(message, reason)) << message;
    EXPECT_EQ(2u, tools.getPluginXmlPaths().size());
  }
};

TEST_F(Errors, package_is_not_installed)
{
  const auto make = [](const std::string & package) {
      return message_of<pluginlib::ClassLoaderException>([&] {ToolLoader(package, "shed::Tool");});
    };
  const std::string message = make("barn");
  EXPECT_TRUE(has(message, "plugins for the base class 'shed::Tool': package 'barn' not found")) << message;
  EXPECT_TRUE(has(message, prefix)) << message;
  make("");
  unsetenv("AMENT_PREFIX_PATH");
  EXPECT_TRUE(has(make("shed"), "AMENT_PREFIX_PATH is not set"));
}

TEST_F(Errors, plugin_is_not_declared)
{
  auto tools = loader();
  const std::string message = create(tools, "hand::Knife");
  for (const std::string & part : {
      std::string("can't load the plugin 'hand::Knife': no manifest declares it for the base class 'shed::Tool'"),
      std::string("Declared types are [hand/Hammer, hand::Broken, hand::Saw]"),
      "the manifests are [" + path("share/hand/plugins.xml") + "]"})
  {
    EXPECT_TRUE(has(message, part)) << message;
  }
  const std::string candle = create(tools, "hand::Candle");
  EXPECT_TRUE(has(candle, "plugins.xml' declares it for the base class 'shed::Light'")) << candle;
  EXPECT_THROW(tools.createUniqueInstance("hand::Knife"), pluginlib::PluginlibException);
  EXPECT_THROW(tools.createUnmanagedInstance("hand::Knife"), pluginlib::LibraryLoadException);
  EXPECT_THROW(tools.loadLibraryForClass("hand::Knife"), pluginlib::LibraryLoadException);
}

TEST_F(Errors, nobody_exports_plugins)
{
  std::filesystem::remove_all(path("share/ament_index/resource_index/shed__pluginlib__plugin"));
  auto tools = loader();
  EXPECT_TRUE(tools.getDeclaredClasses().empty());
  const std::string message = create(tools, "hand/Hammer");
  EXPECT_TRUE(has(message, "pluginlib_export_plugin_description_file(shed <manifest>)")) << message;
  EXPECT_TRUE(has(message, "the type 'shed__pluginlib__plugin'")) << message;
}

TEST_F(Errors, manifest_is_malformed)
{
  expect_left_out("", "share/power/plugins.xml:0: the XML is malformed: XML_ERROR_EMPTY_DOCUMENT");
  expect_left_out("<library>\n<class>\n</library>", ":2: the XML is malformed: XML_ERROR_MISMATCHED_ELEMENT");
  expect_left_out("<library path='a", "the XML is malformed");
  expect_left_out("no XML", "the XML is malformed");
  expect_left_out(std::string("\0\x01\xff<", 4), "the XML is malformed");
  expect_left_out("<!-- only a comment -->", "plugins.xml:1: the file has no element");
  std::string deep;
  for (int i = 0; i < 10000; ++i) {
    deep += "<library path='a'>";
  }
  expect_left_out(deep, "the XML is malformed");
}

TEST_F(Errors, manifest_lacks_something)
{
  expect_left_out("<plugins/>", ":1: the root is <plugins>, but must be <library> or <class_libraries>");
  expect_left_out("<library/>", ":1: <library> needs the attribute 'path'");
  expect_left_out("<class_libraries><library path=''/></class_libraries>", "<library> needs the attribute 'path'");
  expect_left_out(
    "<library path='a'>\n\n<class base_class_type='shed::Tool'/></library>", ":3: <class> needs the attribute 'type'");
  expect_left_out(
    "<library path='a'>\n<class type='power::Drill'/></library>", ":2: <class> needs the attribute 'base_class_type'");
  EXPECT_TRUE(logged("(the package 'power' exports this manifest: correct it, or install the package again)"));
}

TEST_F(Errors, manifest_can_not_be_read)
{
  const std::string file = path("share/power/plugins.xml");
  export_manifest("power", "plugins.xml", "");
  std::filesystem::remove(file);
  expect_reason("can't read '" + file + "': it does not exist");
  std::filesystem::create_directory(file);
  expect_reason("can't read '" + file + "': it is not a file");
  std::filesystem::remove(file);
  std::filesystem::create_symlink(file, file);
  expect_reason("can't read '" + file + "': ");
}

TEST_F(Errors, manifest_named_by_its_path_is_wrong)
{
  const auto make = [&](const std::string & manifest) {
      return message_of<pluginlib::InvalidXMLException>(
        [&] {ToolLoader("shed", "shed::Tool", "plugin", {path("share/hand/plugins.xml"), manifest});});
    };
  EXPECT_TRUE(has(make(path("none.xml")), "none.xml': it does not exist"));
  write("share/hand/bad.xml", "<library>");
  EXPECT_TRUE(has(make(path("share/hand/bad.xml")), "bad.xml:1: "));
  write("share/nameless/package.xml", "<package>\n</package>");
  write("share/nameless/plugins.xml", hand_manifest);
  EXPECT_TRUE(has(make(path("share/nameless/plugins.xml")), "package.xml:1: <package> has no <name>"));
}

TEST_F(Errors, manifest_belongs_to_no_package)
{
  write("alone.xml", hand_manifest);
  ToolLoader tools("shed", "shed::Tool", "plugin", {path("alone.xml")});
  EXPECT_TRUE(logged("no package.xml is in the folder of the manifest '" + path("alone.xml")));
  EXPECT_EQ("", tools.getClassPackage("hand/Hammer"));
  EXPECT_EQ("bang", tools.createSharedInstance("hand/Hammer")->use());
}

TEST_F(Errors, plugin_is_declared_twice)
{
  add_package("power");
  export_manifest(
    "power", "plugins.xml",
    "<library path='other'><class type='power::Saw' name='hand::Saw' base_class_type='shed::Tool'/></library>");
  auto tools = loader();
  EXPECT_TRUE(logged("the plugin 'hand::Saw' is declared in "));
  EXPECT_EQ("bang", tools.createSharedInstance("hand/Hammer")->use());
  const std::string message = create(tools, "hand::Saw");
  EXPECT_TRUE(has(message, "it is declared in '" + path("share/hand/plugins.xml"))) << message;
  EXPECT_TRUE(has(message, "and, differently, in '" + path("share/power/plugins.xml"))) << message;
}

TEST_F(Errors, same_declaration_twice_is_none)
{
  write(
    "share/ament_index/resource_index/shed__pluginlib__plugin/hand", "share/hand/plugins.xml\nshare/hand/plugins.xml");
  auto tools = loader();
  EXPECT_EQ(3u, tools.getDeclaredClasses().size());
  EXPECT_EQ("ritsch", tools.createSharedInstance("hand::Saw")->use());
}

TEST_F(Errors, library_does_not_exist)
{
  export_manifest(
    "power", "plugins.xml",
    "<library path='nothing'><class type='power::Drill' base_class_type='shed::Tool'/></library>");
  auto tools = loader();
  EXPECT_EQ("", tools.getClassLibraryPath("power::Drill"));
  const std::string message = create(tools, "power::Drill");
  EXPECT_TRUE(has(message, "the library 'nothing', which '" + path("share/power/plugins.xml'"))) << message;
  EXPECT_TRUE(has(message, "[nothing.so, libnothing.so, nothing] in the folders [" + path("lib"))) << message;
}

TEST_F(Errors, library_can_not_be_loaded)
{
  write("lib/libtext.so", "This is no library.");
  add_library("libsaltus_test_unlinked_tools.so");
  export_manifest(
    "power", "plugins.xml", R"(<class_libraries>
    <library path="text"><class type="power::Text" base_class_type="shed::Tool"/></library>
    <library path="saltus_test_unlinked_tools"><class type="power::Drill" base_class_type="shed::Tool"/></library>
    </class_libraries>)");
  auto tools = loader();
  EXPECT_TRUE(has(create(tools, "power::Text"), "can't load the library '" + path("lib/libtext.so")));
  EXPECT_TRUE(has(create(tools, "power::Drill"), "saltus_variable_that_nobody_has"));
  EXPECT_TRUE(tools.getRegisteredLibraries().empty());
}

TEST_F(Errors, library_lacks_the_class)
{
  add_package("power");
  export_manifest(
    "power", "plugins.xml", "<library path='saltus_test_hand_tools'>"
    "<class type='hand::Sow' base_class_type='shed::Tool'/></library>");
  auto tools = loader();
  const std::string message =
    message_of<pluginlib::CreateClassException>([&] {tools.createUniqueInstance("hand::Sow");});
  for (const std::string part : {"does not register the class 'hand::Sow' with the base class 'shed::Tool'",
      "hand::Hammer", "hand::Saw", "PLUGINLIB_EXPORT_CLASS(hand::Sow, shed::Tool)"})
  {
    EXPECT_TRUE(has(message, part)) << message;
  }
  EXPECT_FALSE(tools.isClassLoaded("hand::Sow"));
  EXPECT_THROW(tools.createUnmanagedInstance("hand::Sow"), pluginlib::CreateClassException);
}

}  // namespace
