#include <algorithm>
#include <string>
#include <vector>

#include "buffer_fixture.hpp"
#include "tf2/exceptions.h"

namespace
{

class BufferFrames : public BufferTest
{
protected:
  using Names = std::vector<std::string>;

  Names chain(const std::string & target, const std::string & source, const std::string & fixed)
  {
    Names frames{"old"};
    buffer._chainAsVector(target, tf2::TimePointZero, source, tf2::TimePointZero, fixed, frames);
    return frames;
  }
};

TEST_F(BufferFrames, all_names_are_listed)
{
  EXPECT_TRUE(buffer.getAllFrameNames().empty());
  set("map", "base", 1.0, 1.0);
  auto names = buffer.getAllFrameNames();
  std::sort(names.begin(), names.end());
  EXPECT_EQ((Names{"base", "map"}), names);
  Names ids{"old"};
  buffer._getFrameStrings(ids);
  EXPECT_EQ(2u, ids.size());
  EXPECT_TRUE(buffer._frameExists("map"));
  EXPECT_FALSE(buffer._frameExists("moon"));
}

TEST_F(BufferFrames, frames_as_text)
{
  EXPECT_EQ("", buffer.allFramesAsString());
  set("map", "base", 1.0, 1.0);
  EXPECT_EQ("Frame base exists with parent map.\n", buffer.allFramesAsString());
}

TEST_F(BufferFrames, frames_as_yaml)
{
  EXPECT_EQ("[]", buffer.allFramesAsYAML());
  set("map", "base", 1.0, 1.0);
  set("map", "base", 1.0, 3.0);
  const std::string head =
    "base: \n  parent: 'map'\n  broadcaster: 'test'\n  rate: 1.000\n  most_recent_transform: 3.000000\n"
    "  oldest_transform: 1.000000\n";
  EXPECT_EQ(head + "  buffer_length: 2.000\n", buffer.allFramesAsYAML());
  EXPECT_EQ(head + "  transform_delay: 1.500000\n  buffer_length: 2.000\n", buffer.allFramesAsYAML(at(4.5)));
}

TEST_F(BufferFrames, frames_as_a_graph)
{
  EXPECT_EQ("digraph G {\n\"no tf data received\"\n}\n", buffer._allFramesAsDot());
  set("map", "base", 1.0, 1.0);
  const auto graph = buffer._allFramesAsDot(at(2));
  EXPECT_NE(std::string::npos, graph.find("\"map\" -> \"base\"[label=\"Broadcaster: test\\n"));
  EXPECT_NE(std::string::npos, graph.find("1.000000 ( 1.000 sec old)"));
}

TEST_F(BufferFrames, the_parent_at_a_time)
{
  set("map", "base", 1.0, 1.0);
  set("map", "base", 1.0, 2.0);
  std::string parent = "none";
  EXPECT_FALSE(buffer._getParent("map", tf2::TimePointZero, parent));
  EXPECT_FALSE(buffer._getParent("moon", tf2::TimePointZero, parent));
  EXPECT_FALSE(buffer._getParent("base", at(5), parent));
  EXPECT_EQ("none", parent);
  EXPECT_TRUE(buffer._getParent("base", at(1.5), parent));
  EXPECT_EQ("map", parent);
}

TEST_F(BufferFrames, numbers_stay_the_same)
{
  set("map", "base", 1.0, 1.0);
  EXPECT_EQ(0u, buffer._lookupFrameNumber("moon"));
  const auto map = buffer._lookupFrameNumber("map");
  EXPECT_NE(0u, map);
  EXPECT_NE(map, buffer._lookupFrameNumber("base"));
  EXPECT_EQ(map, buffer._lookupOrInsertFrameNumber("map"));
  EXPECT_EQ(map, buffer._validateFrameId("function", "map"));
  EXPECT_THROW(buffer._validateFrameId("function", ""), tf2::InvalidArgumentException);
  EXPECT_THROW(buffer._validateFrameId("function", "/map"), tf2::InvalidArgumentException);
  EXPECT_THROW(buffer._validateFrameId("function", "moon"), tf2::LookupException);
}

TEST_F(BufferFrames, latest_common_time)
{
  set("map", "odom", 1.0, 2.0);
  set("odom", "base", 1.0, 1.0);
  set("island", "hut", 1.0, 1.0);
  const auto number = [this](const char * name) {return buffer._lookupFrameNumber(name);};
  tf2::TimePoint time;
  std::string text;
  EXPECT_EQ(tf2::TF2Error::TF2_NO_ERROR, buffer._getLatestCommonTime(number("map"), number("base"), time, &text));
  EXPECT_EQ(at(1), time);
  EXPECT_EQ(tf2::TF2Error::TF2_LOOKUP_ERROR, buffer._getLatestCommonTime(0, number("base"), time, &text));
  EXPECT_EQ(
    tf2::TF2Error::TF2_CONNECTIVITY_ERROR, buffer._getLatestCommonTime(number("map"), number("hut"), time, &text));
  EXPECT_NE(std::string::npos, text.find("not part of the same tree"));
  EXPECT_EQ(
    tf2::TF2Error::TF2_CONNECTIVITY_ERROR, buffer._getLatestCommonTime(number("map"), number("hut"), time, nullptr));
}

TEST_F(BufferFrames, the_chain_between_frames)
{
  set("map", "odom", 1.0, 1.0);
  set("odom", "base", 1.0, 1.0);
  set("base", "arm", 1.0, 1.0);
  set("odom", "other", 1.0, 1.0);
  EXPECT_EQ((Names{"arm", "base", "odom", "map"}), chain("map", "arm", "map"));
  EXPECT_EQ((Names{"map", "odom", "base"}), chain("base", "map", "map"));
  EXPECT_EQ((Names{"arm", "base", "odom", "other"}), chain("other", "arm", "odom"));
  EXPECT_EQ((Names{"arm", "base", "odom", "other"}), chain("other", "arm", "map"));
  EXPECT_EQ((Names{"map"}), chain("map", "map", "map"));
  EXPECT_THROW(chain("map", "moon", "map"), tf2::LookupException);
}

}  // namespace
