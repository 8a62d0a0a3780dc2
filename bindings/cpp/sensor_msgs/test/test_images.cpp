#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "sensor_msgs/distortion_models.hpp"
#include "sensor_msgs/fill_image.hpp"
#include "sensor_msgs/image_encodings.hpp"

namespace
{

namespace encodings = sensor_msgs::image_encodings;

/// What an encoding is.
struct Properties
{
  int channels;
  int bits;
  bool is_color;
  bool is_mono;
  bool is_bayer;
  bool has_alpha;
};

constexpr Properties color(int channels, int bits) {return {channels, bits, true, false, false, false};}
constexpr Properties alpha(int bits) {return {4, bits, true, false, false, true};}
constexpr Properties mono(int bits) {return {1, bits, false, true, false, false};}
constexpr Properties bayer(int bits) {return {1, bits, false, false, true, false};}
constexpr Properties numbers(int channels, int bits) {return {channels, bits, false, false, false, false};}

void expect(const Properties & expected, const std::string & encoding)
{
  EXPECT_EQ(expected.channels, encodings::numChannels(encoding)) << encoding;
  EXPECT_EQ(expected.bits, encodings::bitDepth(encoding)) << encoding;
  EXPECT_EQ(expected.is_color, encodings::isColor(encoding)) << encoding;
  EXPECT_EQ(expected.is_mono, encodings::isMono(encoding)) << encoding;
  EXPECT_EQ(expected.is_bayer, encodings::isBayer(encoding)) << encoding;
  EXPECT_EQ(expected.has_alpha, encodings::hasAlpha(encoding)) << encoding;
}

TEST(ImageEncodings, encodings_with_a_name_of_their_own)
{
  const std::map<std::string, Properties> all = {
    {encodings::RGB8, color(3, 8)}, {encodings::RGBA8, alpha(8)}, {encodings::RGB16, color(3, 16)},
    {encodings::RGBA16, alpha(16)}, {encodings::BGR8, color(3, 8)}, {encodings::BGRA8, alpha(8)},
    {encodings::BGR16, color(3, 16)}, {encodings::BGRA16, alpha(16)}, {encodings::MONO8, mono(8)},
    {encodings::MONO16, mono(16)}, {encodings::BAYER_RGGB8, bayer(8)}, {encodings::BAYER_BGGR8, bayer(8)},
    {encodings::BAYER_GBRG8, bayer(8)}, {encodings::BAYER_GRBG8, bayer(8)}, {encodings::BAYER_RGGB16, bayer(16)},
    {encodings::BAYER_BGGR16, bayer(16)}, {encodings::BAYER_GBRG16, bayer(16)}, {encodings::BAYER_GRBG16, bayer(16)},
    {encodings::UYVY, color(2, 8)}, {encodings::YUV422, color(2, 8)}, {encodings::YUYV, color(2, 8)},
    {encodings::YUV422_YUY2, color(2, 8)}, {encodings::NV21, color(2, 8)}, {encodings::NV24, color(2, 8)}};
  EXPECT_EQ(24u, all.size());
  for (const auto & [encoding, properties] : all) {
    expect(properties, encoding);
  }
}

TEST(ImageEncodings, encodings_as_those_of_opencv)
{
  using namespace encodings;  // NOLINT
  const std::vector<std::vector<const char *>> by_bits = {
    {TYPE_8UC1, TYPE_8UC2, TYPE_8UC3, TYPE_8UC4}, {TYPE_8SC1, TYPE_8SC2, TYPE_8SC3, TYPE_8SC4},
    {TYPE_16UC1, TYPE_16UC2, TYPE_16UC3, TYPE_16UC4}, {TYPE_16SC1, TYPE_16SC2, TYPE_16SC3, TYPE_16SC4},
    {TYPE_32SC1, TYPE_32SC2, TYPE_32SC3, TYPE_32SC4}, {TYPE_32FC1, TYPE_32FC2, TYPE_32FC3, TYPE_32FC4},
    {TYPE_64FC1, TYPE_64FC2, TYPE_64FC3, TYPE_64FC4}};
  const std::vector<int> bits = {8, 8, 16, 16, 32, 32, 64};
  for (size_t kind = 0; kind < by_bits.size(); ++kind) {
    for (size_t channels = 1; channels <= 4; ++channels) {
      expect(numbers(static_cast<int>(channels), bits[kind]), by_bits[kind][channels - 1]);
    }
    EXPECT_EQ(0u, std::string(by_bits[kind][0]).find(ABSTRACT_ENCODING_PREFIXES[kind]));
  }
  expect(numbers(1, 64), "64FC");
  expect(numbers(17, 8), "8UC17");
}

TEST(ImageEncodings, other_encodings_are_refused)
{
  for (const std::string encoding : {
      "", "rgb", "RGB8", "rgb8 ", "mono32", "8U", "UC3", "24UC3", "8UC-1", "8UC3x", "8UC99999999999", "8XC1"}) {
    EXPECT_THROW(encodings::numChannels(encoding), std::runtime_error) << encoding;
    EXPECT_THROW(encodings::bitDepth(encoding), std::runtime_error) << encoding;
    EXPECT_FALSE(encodings::isColor(encoding)) << encoding;
  }
}

TEST(FillImage, an_image_gets_a_copy)
{
  const unsigned char pixels[] = {1, 2, 3, 4, 5, 6, 7, 8};
  sensor_msgs::msg::Image image;
  image.is_bigendian = 1;
  EXPECT_TRUE(sensor_msgs::fillImage(image, encodings::MONO8, 2, 3, 4, pixels));
  EXPECT_EQ("mono8", image.encoding);
  EXPECT_EQ(2u, image.height);
  EXPECT_EQ(3u, image.width);
  EXPECT_EQ(4u, image.step);
  EXPECT_EQ(0, image.is_bigendian);
  EXPECT_EQ(std::vector<uint8_t>(pixels, pixels + 8), image.data);
  sensor_msgs::clearImage(image);
  EXPECT_TRUE(image.data.empty());
  EXPECT_EQ("mono8", image.encoding);
  EXPECT_TRUE(sensor_msgs::fillImage(image, encodings::MONO8, 0, 0, 0, nullptr));
  EXPECT_TRUE(image.data.empty());
}

TEST(DistortionModels, names)
{
  EXPECT_STREQ("plumb_bob", sensor_msgs::distortion_models::PLUMB_BOB);
  EXPECT_STREQ("rational_polynomial", sensor_msgs::distortion_models::RATIONAL_POLYNOMIAL);
  EXPECT_STREQ("equidistant", sensor_msgs::distortion_models::EQUIDISTANT);
}

}  // namespace
