// The C++ API: topics, services and timers between nodes of one process.
#include <string>
#include <thread>
#include <vector>

#include "example_interfaces/srv/add_two_ints.hpp"
#include "native_fixture.hpp"
#include "sensor_msgs/msg/image__view.hpp"
#include "std_msgs/msg/string.hpp"
#include "std_msgs/msg/string__view.hpp"

using AddTwoInts = example_interfaces::srv::AddTwoInts;
using Image = sensor_msgs::msg::Image;
using Text = std_msgs::msg::String;

TEST_F(Native, messages_are_published_and_received)
{
  std::vector<std::string> texts;
  auto subscription = saltus::Subscription<Text>::create(
    node, "chatter", saltus::QoS(), [&](const Text & text) {texts.push_back(text.data);}).or_exit();
  auto viewing = saltus::Subscription<Text>::create(
    node, "chatter", saltus::QoS(), [&](const saltus::View<Text> & text) {texts.emplace_back(text.data);}).or_exit();
  auto publisher = saltus::Publisher<Text>::create(node, "chatter").or_exit();
  publisher.wait(2, 10s).or_exit();
  Text text;
  text.data = "hello";
  publisher.publish(text).or_exit();
  EXPECT_TRUE(spin_until([&] {return texts.size() == 2;}));
  EXPECT_EQ((std::vector<std::string>{"hello", "hello"}), texts);
}

TEST_F(Native, an_image_is_written_and_read_in_place)
{
  uint64_t sum = 0;
  auto subscription = saltus::Subscription<Image>::create(
    node, "image", saltus::QoS(), [&](const saltus::View<Image> & image) {
      for (const uint8_t pixel : image.data) {
        sum += pixel;
      }
    }).or_exit();
  auto publisher = saltus::Publisher<Image>::create(node, "image").or_exit();
  publisher.wait(1, 10s).or_exit();
  auto loan = publisher.loan().or_exit();
  loan.write().header(std_msgs::msg::Header()).height(1000).width(1000).encoding("mono8").is_bigendian(0).step(1000)
  .data(1000000, [](uint8_t * pixels, size_t count) {std::memset(pixels, 1, count);});
  std::move(loan).publish().or_exit();
  EXPECT_TRUE(spin_until([&] {return sum == 1000000;}));
}

TEST_F(Native, a_kept_message_lasts_after_its_callback_and_its_publisher)
{
  std::vector<saltus::Message<Text>> kept;
  auto subscription = saltus::Subscription<Text>::create(
    node, "chatter", saltus::QoS::keep_last(50), [&](saltus::Message<Text> text) {kept.push_back(std::move(text));}).or_exit();
  {
    auto publisher = saltus::Publisher<Text>::create(node, "chatter", saltus::QoS::keep_last(50)).or_exit();
    publisher.wait(1, 10s).or_exit();
    Text text;
    for (int i = 0; i < 40; ++i) {
      text.data = "text " + std::to_string(i);
      publisher.publish(text).or_exit();
    }
    EXPECT_TRUE(spin_until([&] {return kept.size() == 40;}));
  }
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ("text " + std::to_string(i), kept[i]->data);
  }
}

TEST_F(Native, a_loan_without_all_fields_is_not_published)
{
  auto publisher = saltus::Publisher<Image>::create(node, "image").or_exit();
  auto loan = publisher.loan().or_exit();
  loan.write().header(std_msgs::msg::Header()).height(1);
  const saltus::Status status = std::move(loan).publish();
  EXPECT_FALSE(status);
  EXPECT_EQ("a loan is published before its last field was written", status.text());
}

TEST_F(Native, a_service_answers)
{
  auto server = saltus::Server<AddTwoInts>::create(
    node, "add", [](const AddTwoInts::Request & request) {
      AddTwoInts::Response response;
      response.sum = request.a + request.b;
      return response;
    }).or_exit();
  auto client = saltus::Client<AddTwoInts>::create(node, "add").or_exit();
  client.wait(10s).or_exit();
  std::thread spinner([&] {executor.spin().or_exit();});
  AddTwoInts::Request request;
  request.a = 40;
  request.b = 2;
  EXPECT_EQ(42, client.call(request, 10s).or_exit().sum);
  executor.cancel();
  spinner.join();
}

TEST_F(Native, a_request_that_can_not_be_read_is_logged)
{
  auto server = saltus::Server<AddTwoInts>::create(
    node, "add", [](AddTwoInts::Request) {return AddTwoInts::Response();}).or_exit();
  const saltus_type_t type = saltus::detail::service_type<AddTwoInts>();
  saltus_service_options_t options;
  saltus_service_options_init(&options, sizeof options);
  options.service = "add";
  options.type = &type;
  saltus_client_t * client = nullptr;
  ASSERT_EQ(SALTUS_OK, saltus_client_create(node.get(), &options, &client));
  ASSERT_EQ(SALTUS_OK, saltus_client_wait(client, std::chrono::nanoseconds(10s).count()));
  const std::vector<uint8_t> bytes{0, 1, 0, 0, 9};
  saltus_status_t outcome = SALTUS_OK;
  const auto note = [](void * place, saltus_status_t status, saltus_message_t *) -> saltus_next_t {
      *static_cast<saltus_status_t *>(place) = status;
      return SALTUS_CONTINUE;
    };
  testing::internal::CaptureStderr();
  ASSERT_EQ(SALTUS_OK, saltus_client_call(client, bytes.data(), bytes.size(), note, &outcome, nullptr, nullptr));
  EXPECT_TRUE(spin_until([&] {return outcome != SALTUS_OK;}));
  const std::string logged = testing::internal::GetCapturedStderr();
  saltus_client_destroy(client);
  EXPECT_EQ(SALTUS_NOT_ANSWERED, outcome);
  EXPECT_NE(std::string::npos, logged.find("example_interfaces/srv/AddTwoInts_Request is dropped")) << logged;
}

TEST_F(Native, failures_have_a_number_and_a_text)
{
  const auto invalid = context.node("not a name");
  ASSERT_FALSE(invalid);
  EXPECT_EQ(SALTUS_INVALID_NODE_NAME, invalid.failure().code());
  EXPECT_FALSE(invalid.failure().text().empty());
  auto client = saltus::Client<AddTwoInts>::create(node, "nobody").or_exit();
  EXPECT_EQ(SALTUS_TIMEOUT, client.wait(1ms).code());
  EXPECT_EQ(SALTUS_NO_SERVER, client.call(AddTwoInts::Request(), 1s).failure().code());
}

TEST_F(Native, a_timer_calls_until_it_is_cancelled)
{
  int calls = 0;
  auto timer = node.timer(1ms, [&] {++calls;}).or_exit();
  EXPECT_TRUE(spin_until([&] {return calls >= 3;}));
  timer.cancel();
  const int before = calls;
  executor.spin_once(20ms).failure().or_exit();
  EXPECT_EQ(before, calls);
}
