// Views read what was serialized, and builders write the same bytes as the functions for whole messages.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "diagnostic_msgs/msg/diagnostic_array__view.hpp"
#include "example_interfaces/srv/add_two_ints__view.hpp"
#include "nav_msgs/msg/odometry__view.hpp"
#include "saltus/message_support.hpp"
#include "sensor_msgs/msg/image__view.hpp"
#include "sensor_msgs/msg/joint_state__view.hpp"
#include "sensor_msgs/msg/point_cloud2__view.hpp"
#include "std_msgs/msg/string__view.hpp"
#include "visualization_msgs/msg/marker__view.hpp"

namespace
{

/// The bytes of a message, at an address like that of a received message.
class Bytes
{
public:
  explicit Bytes(size_t size)
  : words_(size / 8 + 2), size_(size) {}

  uint8_t * data() {return reinterpret_cast<uint8_t *>(words_.data()) + 4;}
  size_t size() const {return size_;}
  bool operator==(const Bytes & other) const
  {
    return size_ == other.size_ && std::memcmp(start(), other.start(), size_) == 0;
  }

private:
  const uint8_t * start() const {return reinterpret_cast<const uint8_t *>(words_.data()) + 4;}

  std::vector<uint64_t> words_;
  size_t size_;
};

template<typename MessageT>
Bytes serialized(const MessageT & message)
{
  const char * too_long = nullptr;
  Bytes bytes(saltus::detail::size<MessageT>(&message, &too_long));
  EXPECT_EQ(nullptr, too_long);
  saltus::detail::write<MessageT>(&message, bytes.data());
  return bytes;
}

/// Memory for a builder, which begins small and grows.
class Memory
{
public:
  Memory()
  : writer({bytes_.data(), bytes_.size()}, &grow, this) {}

  Bytes written()
  {
    Bytes bytes(writer.size());
    std::memcpy(bytes.data(), bytes_.data(), bytes.size());
    return bytes;
  }

private:
  static saltus::in_place::Writer::Memory grow(void * context, size_t used, size_t size)
  {
    auto & memory = *static_cast<Memory *>(context);
    EXPECT_LE(used, memory.bytes_.size());
    // What was in memory before must not be sent.
    memory.bytes_.resize(size, 0xff);
    return {memory.bytes_.data(), memory.bytes_.size()};
  }

  std::vector<uint8_t> bytes_ = std::vector<uint8_t>(8, 0xff);

public:
  saltus::in_place::Writer writer;
};

std_msgs::msg::Header header()
{
  std_msgs::msg::Header header;
  header.stamp.sec = 5;
  header.stamp.nanosec = 7;
  header.frame_id = "camera";
  return header;
}

sensor_msgs::msg::Image image()
{
  sensor_msgs::msg::Image image;
  image.header = header();
  image.height = 2;
  image.width = 3;
  image.encoding = "mono8";
  image.step = 3;
  image.data = {1, 2, 3, 4, 5, 6};
  return image;
}

sensor_msgs::msg::JointState joints()
{
  sensor_msgs::msg::JointState joints;
  joints.header = header();
  joints.name = {"shoulder", "", "wrist"};
  joints.position = {0.5, -1.0, 2.0};
  joints.effort = {3.0};
  return joints;
}

visualization_msgs::msg::Marker marker()
{
  visualization_msgs::msg::Marker marker;
  marker.header = header();
  marker.ns = "path";
  marker.points.resize(2);
  marker.points[1].y = 4.0;
  marker.colors.resize(1);
  marker.colors[0].a = 0.5F;
  marker.text = "text";
  return marker;
}

diagnostic_msgs::msg::DiagnosticArray diagnostics()
{
  diagnostic_msgs::msg::DiagnosticArray array;
  array.header = header();
  array.status.resize(2);
  array.status[0].name = "motor";
  array.status[1].values.resize(2);
  array.status[1].values[1].key = "temperature";
  array.status[1].values[1].value = "42";
  return array;
}

}  // namespace

TEST(Views, have_numbers_texts_and_arrays_in_place)
{
  Bytes bytes = serialized(image());
  const auto view = saltus::view<sensor_msgs::msg::Image>(bytes.data(), bytes.size());
  ASSERT_TRUE(view) << view.fault();
  EXPECT_EQ(5, view->header.stamp.sec);
  EXPECT_EQ("camera", view->header.frame_id);
  EXPECT_EQ(2u, view->height);
  EXPECT_EQ("mono8", view->encoding);
  ASSERT_EQ(6u, view->data.size());
  EXPECT_EQ(6, view->data[5]);
  EXPECT_GE(view->data.data(), bytes.data());
  EXPECT_LE(view->data.data() + 6, bytes.data() + bytes.size());
}

TEST(Views, have_sequences_of_texts_and_messages)
{
  Bytes bytes = serialized(joints());
  const auto view = saltus::view<sensor_msgs::msg::JointState>(bytes.data(), bytes.size());
  ASSERT_TRUE(view) << view.fault();
  std::vector<std::string> names;
  for (const std::string_view name : view->name) {
    names.emplace_back(name);
  }
  EXPECT_EQ(joints().name, names);
  EXPECT_EQ(joints().position, std::vector<double>(view->position.begin(), view->position.end()));
  EXPECT_TRUE(view->velocity.empty());
  EXPECT_EQ(3.0, view->effort.data()[0]);

  Bytes nested = serialized(diagnostics());
  const auto array = saltus::view<diagnostic_msgs::msg::DiagnosticArray>(nested.data(), nested.size());
  ASSERT_TRUE(array) << array.fault();
  std::string found;
  for (const auto & status : array->status) {
    for (const auto & value : status.values) {
      found += std::string(status.name) + ":" + std::string(value.key) + "=" + std::string(value.value) + ";";
    }
  }
  EXPECT_EQ(":=;:temperature=42;", found);
}

TEST(Views, have_messages_of_numbers_by_value)
{
  Bytes bytes = serialized(marker());
  const auto view = saltus::view<visualization_msgs::msg::Marker>(bytes.data(), bytes.size());
  ASSERT_TRUE(view) << view.fault();
  ASSERT_EQ(2u, view->points.size());
  EXPECT_EQ(4.0, view->points[1].y);
  EXPECT_EQ(0.5F, view->colors[0].a);
  EXPECT_EQ("text", view->text);

  nav_msgs::msg::Odometry odometry;
  odometry.pose.covariance[35] = 9.0;
  Bytes other = serialized(odometry);
  const auto place = saltus::view<nav_msgs::msg::Odometry>(other.data(), other.size());
  ASSERT_TRUE(place) << place.fault();
  EXPECT_EQ(36u, place->pose.covariance.size());
  EXPECT_EQ(9.0, place->pose.covariance[35]);
}

/// Cuts a message everywhere, and changes each byte: whatever comes, the view has a fault or can be read as a whole.
template<typename MessageT, typename Read>
void attack(const MessageT & message, Read read)
{
  const Bytes good = serialized(message);
  std::mt19937 random(7);
  const auto try_it = [&](Bytes bytes, size_t size) {
      const auto view = saltus::view<MessageT>(bytes.data(), size);
      if (view) {
        read(*view);
      }
    };
  for (size_t size = 0; size < good.size(); ++size) {
    // A copy of its own size, so that a sanitizer finds what is read behind the end.
    Bytes cut(size);
    std::memcpy(cut.data(), Bytes(good).data(), size);
    try_it(cut, size);
  }
  for (int round = 0; round < 2000; ++round) {
    Bytes changed = good;
    for (int count = 0; count < 3; ++count) {
      changed.data()[random() % changed.size()] = static_cast<uint8_t>(random());
    }
    try_it(changed, changed.size());
  }
}

TEST(Views, of_hostile_bytes_have_a_fault_or_can_be_read)
{
  size_t sum = 0;
  attack(image(), [&](const auto & view) {
    for (const uint8_t byte : view.data) {
      sum += byte;
    }
  });
  attack(diagnostics(), [&](const auto & view) {
    for (const auto & status : view.status) {
      for (const auto & value : status.values) {
        sum += value.key.size() + value.value.size();
      }
    }
  });
  attack(joints(), [&](const auto & view) {
    for (const std::string_view name : view.name) {
      sum += name.size();
    }
  });
  EXPECT_GT(sum, 0u);
}

TEST(Views, say_why_there_is_none)
{
  std_msgs::msg::String text;
  text.data = "text";
  Bytes bytes = serialized(text);
  using Text = std_msgs::msg::String;
  EXPECT_STREQ("the message is too short", saltus::view<Text>(bytes.data(), 3).fault());
  std::vector<uint64_t> moved(bytes.size() / 8 + 1);
  auto * at = reinterpret_cast<uint8_t *>(moved.data());
  std::memcpy(at, bytes.data(), bytes.size());
  EXPECT_STREQ("the message is not aligned", saltus::view<Text>(at, bytes.size()).fault());
  bytes.data()[1] = 0;
  EXPECT_STREQ("the message is not in little-endian CDR", saltus::view<Text>(bytes.data(), bytes.size()).fault());
  bytes.data()[1] = 1;
  bytes.data()[bytes.size() - 1] = 'x';
  EXPECT_STREQ("a text does not end with a zero byte", saltus::view<Text>(bytes.data(), bytes.size()).fault());
}

TEST(Builders, write_the_same_bytes_as_a_whole_message)
{
  Memory memory;
  const auto wanted = image();
  saltus::Builder<sensor_msgs::msg::Image>(memory.writer)
  .header(wanted.header).height(2).width(3).encoding("mono8").is_bigendian(0).step(3)
  .data(
    6, [](uint8_t * pixels, size_t count) {
      for (size_t index = 0; index < count; ++index) {
        pixels[index] = static_cast<uint8_t>(index + 1);
      }
    });
  EXPECT_TRUE(memory.writer.is_complete());
  EXPECT_EQ(nullptr, memory.writer.fault());
  EXPECT_EQ(serialized(wanted), memory.written());

  Memory other;
  const auto state = joints();
  saltus::Builder<sensor_msgs::msg::JointState>(other.writer)
  .header(state.header).name(3, [&](size_t index) {return state.name[index];})
  .position(state.position.data(), 3).velocity(nullptr, 0).effort(state.effort.data(), 1);
  EXPECT_EQ(serialized(state), other.written());

  Memory third;
  const auto array = diagnostics();
  saltus::Builder<diagnostic_msgs::msg::DiagnosticArray>(third.writer)
  .header(array.header).status(2, [&](size_t index) {return array.status[index];});
  EXPECT_EQ(serialized(array), third.written());
}

TEST(Builders, are_complete_after_the_last_field_only)
{
  Memory memory;
  auto next = saltus::Builder<sensor_msgs::msg::Image>(memory.writer).header(header()).height(1);
  EXPECT_FALSE(memory.writer.is_complete());
  next.width(1).encoding("").is_bigendian(0).step(0).data(nullptr, 0);
  EXPECT_TRUE(memory.writer.is_complete());
}

TEST(Builders, without_memory_have_a_fault)
{
  uint8_t bytes[8];
  const auto no_memory = [](void *, size_t, size_t) -> saltus::in_place::Writer::Memory {return {nullptr, 0};};
  saltus::in_place::Writer writer({bytes, sizeof bytes}, no_memory, nullptr);
  bool was_called = false;
  saltus::Builder<sensor_msgs::msg::Image>(writer).header(header()).height(1).width(1).encoding("").is_bigendian(0)
  .step(0).data(1, [&](uint8_t *, size_t) {was_called = true;});
  EXPECT_STREQ("there is not enough memory for the message", writer.fault());
  EXPECT_FALSE(was_called);
}
