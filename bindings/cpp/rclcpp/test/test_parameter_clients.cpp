// Parameter clients, parameter files, and callbacks for changes of parameters.
#include <fstream>

#include "fixture.hpp"
#include "rclcpp/parameter_client.hpp"
#include "rclcpp/parameter_event_handler.hpp"
#include "rclcpp/parameter_events_filter.hpp"

namespace
{

/// A test with a node whose parameters are read and set, which spins in a thread.
class ParameterClients : public WithContext
{
protected:
  ParameterClients()
  : server_(std::make_shared<rclcpp::Node>("server", options())), client_(new_node())
  {
    server_->declare_parameter("speed", 1.5);
    server_->declare_parameter("name.first", "a");
    server_->declare_parameter("name.last", "b");
    executor_.add_node(server_);
    thread_ = std::thread([this] {executor_.spin();});
    while (!executor_.is_spinning()) {
      std::this_thread::yield();
    }
  }
  ~ParameterClients() override
  {
    executor_.cancel();
    thread_.join();
  }

  static rclcpp::NodeOptions options() {return rclcpp::NodeOptions().allow_undeclared_parameters(true);}

  rclcpp::Node::SharedPtr server_;
  rclcpp::Node::SharedPtr client_;
  rclcpp::executors::SingleThreadedExecutor executor_;
  std::thread thread_;
};

/// A file that is removed at the end.
struct File
{
  std::string path = ::testing::TempDir() + "saltus_parameters_" + std::to_string(::getpid()) + ".yaml";

  explicit File(const std::string & content) {std::ofstream(path) << content;}
  ~File() {std::remove(path.c_str());}
};

TEST_F(ParameterClients, sync_client_gets_and_sets)
{
  rclcpp::SyncParametersClient client(client_, "/server");
  ASSERT_TRUE(client.wait_for_service(10s));
  EXPECT_TRUE(client.service_is_ready());
  EXPECT_EQ(client.get_parameter<double>("speed"), 1.5);
  EXPECT_EQ(client.get_parameter("nothing", 7), 7);
  EXPECT_THROW(client.get_parameter<int>("nothing"), std::runtime_error);
  EXPECT_TRUE(client.has_parameter("speed"));
  EXPECT_FALSE(client.has_parameter("nothing"));
  const auto results = client.set_parameters({rclcpp::Parameter("speed", 2.5), rclcpp::Parameter("speed", "text")}, 10s);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_TRUE(results[0].successful);
  EXPECT_FALSE(results[1].successful);
  EXPECT_EQ(server_->get_parameter("speed").as_double(), 2.5);
  EXPECT_TRUE(client.set_parameters_atomically({rclcpp::Parameter("speed", 3.5)}, 10s).successful);
  EXPECT_EQ(client.get_parameters({"speed", "name.first"}, 10s).at(1).as_string(), "a");
}

TEST_F(ParameterClients, sync_client_lists_describes_and_deletes)
{
  rclcpp::SyncParametersClient client(client_.get(), "/server");
  ASSERT_TRUE(client.wait_for_service(10s));
  EXPECT_EQ(client.list_parameters({"name"}, 10).names.size(), 2u);
  EXPECT_EQ(client.describe_parameters({"speed"}).at(0).type, rclcpp::PARAMETER_DOUBLE);
  EXPECT_EQ(client.get_parameter_types({"speed"}).at(0), rclcpp::PARAMETER_DOUBLE);
  EXPECT_TRUE(client.set_parameters({rclcpp::Parameter("extra", 1)}).at(0).successful);
  EXPECT_TRUE(client.delete_parameters({"extra"}).at(0).successful);
  EXPECT_FALSE(server_->has_parameter("extra"));
}

TEST_F(ParameterClients, async_client_calls_its_callback)
{
  rclcpp::AsyncParametersClient client(client_, "/server");
  ASSERT_TRUE(client.wait_for_service(10s));
  bool was_called = false;
  const auto future = client.get_parameters({"speed"}, [&](auto result) {was_called = result.get().size() == 1;});
  EXPECT_EQ(rclcpp::spin_until_future_complete(client_, future, 10s), rclcpp::FutureReturnCode::SUCCESS);
  EXPECT_EQ(future.get().at(0).as_double(), 1.5);
  EXPECT_TRUE(spin_until(client_, [&] {return was_called;}));
}

TEST_F(ParameterClients, node_is_its_own_remote_node_by_default)
{
  client_->declare_parameter("own", 5);
  rclcpp::SyncParametersClient client(client_);
  EXPECT_EQ(client.get_parameter<int>("own"), 5);
}

TEST_F(ParameterClients, no_node_is_a_timeout)
{
  rclcpp::SyncParametersClient client(client_, "/nobody");
  EXPECT_FALSE(client.wait_for_service(10ms));
  EXPECT_FALSE(client.service_is_ready());
  EXPECT_TRUE(client.get_parameters({"a"}, 10ms).empty());
  EXPECT_THROW(client.list_parameters({}, 1, 10ms), std::runtime_error);
  EXPECT_THROW(client.has_parameter("a"), std::runtime_error);
}

TEST_F(ParameterClients, client_loads_a_file)
{
  const File file("/**:\n  ros__parameters:\n    speed: 4.5\nother:\n  ros__parameters: {}\n");
  rclcpp::SyncParametersClient client(client_, "/server");
  ASSERT_TRUE(client.wait_for_service(10s));
  EXPECT_THROW(client.load_parameters(file.path), std::runtime_error) << "a mapping in flow style";
  const File good("/**:\n  ros__parameters:\n    speed: 4.5\nother:\n  ros__parameters:\n    speed: 9.5\n");
  EXPECT_TRUE(client.load_parameters(good.path).at(0).successful);
  EXPECT_EQ(server_->get_parameter("speed").as_double(), 4.5);
}

TEST_F(ParameterClients, event_handler_calls_callbacks)
{
  rclcpp::ParameterEventHandler handler(client_);
  double speed = 0;
  std::string event_node;
  auto of_speed = handler.add_parameter_callback(
    "speed", [&](const rclcpp::Parameter & parameter) {speed = parameter.as_double();}, "/server");
  auto of_events = handler.add_parameter_event_callback([&](const auto & event) {event_node = event.node;});
  const auto set_until = [&](double value, auto condition) {
      return spin_until(client_, [&, value] {
                 server_->set_parameter(rclcpp::Parameter("speed", value));
                 return condition();
               });
    };
  EXPECT_TRUE(set_until(6.5, [&] {return speed == 6.5;}));
  EXPECT_TRUE(spin_until(client_, [&] {return event_node == "/server";}));
  of_speed.reset();
  event_node.clear();
  EXPECT_TRUE(set_until(7.5, [&] {return event_node == "/server";}));
  EXPECT_EQ(speed, 6.5) << "the handle of the callback was dropped";
  handler.remove_parameter_event_callback(of_events);
  EXPECT_THROW(handler.remove_parameter_event_callback(of_events), std::runtime_error);
}

TEST_F(ParameterClients, async_client_subscribes_to_events)
{
  rclcpp::AsyncParametersClient client(client_, "/server");
  std::atomic_int count{0};
  const auto subscription =
    client.on_parameter_event([&](const rcl_interfaces::msg::ParameterEvent & event) {count += event.node == "/server";});
  EXPECT_TRUE(spin_until(client_, [&] {
      server_->set_parameter(rclcpp::Parameter("speed", 8.5));
      return count > 0;
    }));
}

TEST(ParameterEvents, are_read)
{
  auto event = std::make_shared<rcl_interfaces::msg::ParameterEvent>();
  event->node = "/a";
  event->new_parameters.push_back(rclcpp::Parameter("x", 1).to_parameter_msg());
  event->changed_parameters.push_back(rclcpp::Parameter("y", 2).to_parameter_msg());
  event->deleted_parameters.push_back(rclcpp::Parameter("z").to_parameter_msg());
  using Filter = rclcpp::ParameterEventsFilter;
  const Filter filter(event, {"x", "z"}, {Filter::EventType::NEW, Filter::EventType::CHANGED});
  ASSERT_EQ(filter.get_events().size(), 1u);
  EXPECT_EQ(filter.get_events()[0].second->name, "x");
  using Handler = rclcpp::ParameterEventHandler;
  EXPECT_EQ(Handler::get_parameters_from_event(*event).size(), 2u);
  EXPECT_EQ(Handler::get_parameter_from_event(*event, "y", "/a").as_int(), 2);
  rclcpp::Parameter parameter;
  EXPECT_FALSE(Handler::get_parameter_from_event(*event, parameter, "y", "/b"));
  EXPECT_EQ(Handler::get_parameter_from_event(*event, "z", "/a").get_type(), rclcpp::PARAMETER_NOT_SET);
  EXPECT_THROW(Handler::get_parameter_from_event(*event, "y", "/b"), std::runtime_error);
}

TEST(ParameterFile, is_read)
{
  const File file(
    "# comment\n/ns/a:\n  ros__parameters:\n    number: 1  # one\n    deep:\n      text: \"b: #c\"\n    list: [1,\n      2]\n"
    "    lines:\n    - 1.5\n    - 2.5\nns:\n  b:\n    ros__parameters:\n      flag: true\n'/*/c':\n  ros__parameters:\n"
    "    x: 'y'\n");
  const auto all = rclcpp::parameter_map_from_yaml_file(file.path);
  ASSERT_EQ(all.size(), 3u);
  const auto & a = all.at("/ns/a");
  ASSERT_EQ(a.size(), 4u);
  EXPECT_EQ(a[0].as_int(), 1);
  EXPECT_EQ(a[1].get_name(), "deep.text");
  EXPECT_EQ(a[1].as_string(), "b: #c");
  EXPECT_EQ(a[2].as_integer_array().size(), 2u);
  EXPECT_EQ(a[3].as_double_array()[1], 2.5);
  EXPECT_TRUE(all.at("/ns/b")[0].as_bool());
  EXPECT_EQ(rclcpp::parameter_map_from_yaml_file(file.path, "/any/c").at("/any/c")[0].as_string(), "y");
  EXPECT_TRUE(rclcpp::parameter_map_from_yaml_file(file.path, "/c").empty());
  EXPECT_EQ(rclcpp::parameters_from_map(all, "/ns/b").size(), 1u);
  EXPECT_EQ(rclcpp::parameters_from_map(all).size(), 6u);
}

TEST(ParameterMap, names_with_wildcards_are_for_a_node)
{
  const rclcpp::ParameterMap map = {
    {"/ns/a", {{"x", 3}}}, {"/**", {{"x", 1}}}, {"/*/a", {{"x", 2}}}, {"/ns/b", {{"x", 4}}}};
  const auto parameters = rclcpp::parameters_from_map(map, "/ns/a");
  ASSERT_EQ(parameters.size(), 3u);
  EXPECT_EQ(parameters[0].as_int(), 1);
  EXPECT_EQ(parameters[2].as_int(), 3) << "the name without wildcards wins";
  EXPECT_THROW(rclcpp::parameter_map_from(nullptr), rclcpp::exceptions::InvalidParametersException);
  EXPECT_THROW(rclcpp::parameter_value_from(nullptr), rclcpp::exceptions::InvalidParameterValueException);
}

TEST(ParameterFile, fault_has_its_line)
{
  const File file("a:\n  ros__parameters:\n    text\n");
  try {
    rclcpp::parameter_map_from_yaml_file(file.path);
    FAIL();
  } catch (const std::runtime_error & error) {
    EXPECT_NE(std::string(error.what()).find(":3: "), std::string::npos) << error.what();
  }
  EXPECT_THROW(rclcpp::parameter_map_from_yaml_file("/does/not/exist"), std::runtime_error);
}

}  // namespace
