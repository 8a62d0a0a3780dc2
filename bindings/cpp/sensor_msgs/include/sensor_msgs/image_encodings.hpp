// The encodings of sensor_msgs/msg/Image, and their properties.
#ifndef SENSOR_MSGS__IMAGE_ENCODINGS_HPP_
#define SENSOR_MSGS__IMAGE_ENCODINGS_HPP_

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sensor_msgs::image_encodings
{

/// Three or four channels per pixel.
inline constexpr char RGB8[] = "rgb8";
inline constexpr char RGBA8[] = "rgba8";
inline constexpr char RGB16[] = "rgb16";
inline constexpr char RGBA16[] = "rgba16";
inline constexpr char BGR8[] = "bgr8";
inline constexpr char BGRA8[] = "bgra8";
inline constexpr char BGR16[] = "bgr16";
inline constexpr char BGRA16[] = "bgra16";

/// Brightness.
inline constexpr char MONO8[] = "mono8";
inline constexpr char MONO16[] = "mono16";

/// Bits, kind of number (U: unsigned, S: signed, F: floating point) and channels, as in OpenCV.
inline constexpr char TYPE_8UC1[] = "8UC1";
inline constexpr char TYPE_8UC2[] = "8UC2";
inline constexpr char TYPE_8UC3[] = "8UC3";
inline constexpr char TYPE_8UC4[] = "8UC4";
inline constexpr char TYPE_8SC1[] = "8SC1";
inline constexpr char TYPE_8SC2[] = "8SC2";
inline constexpr char TYPE_8SC3[] = "8SC3";
inline constexpr char TYPE_8SC4[] = "8SC4";
inline constexpr char TYPE_16UC1[] = "16UC1";
inline constexpr char TYPE_16UC2[] = "16UC2";
inline constexpr char TYPE_16UC3[] = "16UC3";
inline constexpr char TYPE_16UC4[] = "16UC4";
inline constexpr char TYPE_16SC1[] = "16SC1";
inline constexpr char TYPE_16SC2[] = "16SC2";
inline constexpr char TYPE_16SC3[] = "16SC3";
inline constexpr char TYPE_16SC4[] = "16SC4";
inline constexpr char TYPE_32SC1[] = "32SC1";
inline constexpr char TYPE_32SC2[] = "32SC2";
inline constexpr char TYPE_32SC3[] = "32SC3";
inline constexpr char TYPE_32SC4[] = "32SC4";
inline constexpr char TYPE_32FC1[] = "32FC1";
inline constexpr char TYPE_32FC2[] = "32FC2";
inline constexpr char TYPE_32FC3[] = "32FC3";
inline constexpr char TYPE_32FC4[] = "32FC4";
inline constexpr char TYPE_64FC1[] = "64FC1";
inline constexpr char TYPE_64FC2[] = "64FC2";
inline constexpr char TYPE_64FC3[] = "64FC3";
inline constexpr char TYPE_64FC4[] = "64FC4";

/// One color per pixel; the name has the colors of the first two pixels of the first two rows.
inline constexpr char BAYER_RGGB8[] = "bayer_rggb8";
inline constexpr char BAYER_BGGR8[] = "bayer_bggr8";
inline constexpr char BAYER_GBRG8[] = "bayer_gbrg8";
inline constexpr char BAYER_GRBG8[] = "bayer_grbg8";
inline constexpr char BAYER_RGGB16[] = "bayer_rggb16";
inline constexpr char BAYER_BGGR16[] = "bayer_bggr16";
inline constexpr char BAYER_GBRG16[] = "bayer_gbrg16";
inline constexpr char BAYER_GRBG16[] = "bayer_grbg16";

/// YUV with half the columns of colors: bytes U, Y, V, Y.
inline constexpr char UYVY[] = "uyvy";
inline constexpr char YUV422[] = "yuv422";

/// YUV with half the columns of colors: bytes Y, U, Y, V.
inline constexpr char YUYV[] = "yuyv";
inline constexpr char YUV422_YUY2[] = "yuv422_yuy2";

/// YUV in two planes: Y, then V and U with half the columns and half the rows.
inline constexpr char NV21[] = "nv21";

/// YUV in two planes: Y, then U and V with all columns and rows.
inline constexpr char NV24[] = "nv24";

/// How the encodings with bits, kind and channels start. The channels follow; without them, there is one.
inline constexpr char ABSTRACT_ENCODING_PREFIXES[][5] = {"8UC", "8SC", "16UC", "16SC", "32SC", "32FC", "64FC"};

namespace detail
{

enum class Kind {COLOR, COLOR_WITH_ALPHA, MONO, BAYER};

struct Encoding
{
  std::string_view name;
  Kind kind;
  int channels;
  int bits;
};

inline constexpr Encoding ENCODINGS[] = {
  {RGB8, Kind::COLOR, 3, 8},
  {RGBA8, Kind::COLOR_WITH_ALPHA, 4, 8},
  {RGB16, Kind::COLOR, 3, 16},
  {RGBA16, Kind::COLOR_WITH_ALPHA, 4, 16},
  {BGR8, Kind::COLOR, 3, 8},
  {BGRA8, Kind::COLOR_WITH_ALPHA, 4, 8},
  {BGR16, Kind::COLOR, 3, 16},
  {BGRA16, Kind::COLOR_WITH_ALPHA, 4, 16},
  {MONO8, Kind::MONO, 1, 8},
  {MONO16, Kind::MONO, 1, 16},
  {BAYER_RGGB8, Kind::BAYER, 1, 8},
  {BAYER_BGGR8, Kind::BAYER, 1, 8},
  {BAYER_GBRG8, Kind::BAYER, 1, 8},
  {BAYER_GRBG8, Kind::BAYER, 1, 8},
  {BAYER_RGGB16, Kind::BAYER, 1, 16},
  {BAYER_BGGR16, Kind::BAYER, 1, 16},
  {BAYER_GBRG16, Kind::BAYER, 1, 16},
  {BAYER_GRBG16, Kind::BAYER, 1, 16},
  {UYVY, Kind::COLOR, 2, 8},
  {YUV422, Kind::COLOR, 2, 8},
  {YUYV, Kind::COLOR, 2, 8},
  {YUV422_YUY2, Kind::COLOR, 2, 8},
  {NV21, Kind::COLOR, 2, 8},
  {NV24, Kind::COLOR, 2, 8},
};

/// Returns the encoding with a name, or NULL.
inline const Encoding * find(std::string_view name)
{
  for (const Encoding & encoding : ENCODINGS) {
    if (encoding.name == name) {
      return &encoding;
    }
  }
  return nullptr;
}

/// What the name of an encoding as "16UC3" says; 0 bits if it is no such name.
struct Abstract
{
  int channels;
  int bits;
};

/// Removes a text from the start of a name. Returns false if the name starts differently.
inline bool consume(std::string_view & name, std::string_view start)
{
  const bool starts = name.substr(0, start.size()) == start;
  if (starts) {
    name.remove_prefix(start.size());
  }
  return starts;
}

/// Reads a number of channels; 1 if there is none, and -1 if it is no number or too large.
inline int read_channels(std::string_view digits)
{
  if (digits.empty()) {
    return 1;
  }
  int channels = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9' || channels > 100000000) {
      return -1;
    }
    channels = channels * 10 + (digit - '0');
  }
  return channels;
}

inline Abstract read_abstract(std::string_view name)
{
  int bits = 0;
  if (consume(name, "8")) {
    bits = 8;
  } else if (consume(name, "16")) {
    bits = 16;
  } else if (consume(name, "32")) {
    bits = 32;
  } else if (consume(name, "64")) {
    bits = 64;
  }
  if (!consume(name, "UC") && !consume(name, "SC") && !consume(name, "FC")) {
    return {0, 0};
  }
  const int channels = read_channels(name);
  return channels < 0 ? Abstract{0, 0} : Abstract{channels, bits};
}

inline bool has_kind(std::string_view name, Kind kind)
{
  const Encoding * encoding = find(name);
  return encoding && encoding->kind == kind;
}

/// Returns channels and bits. Throws std::runtime_error if the encoding is unknown.
inline Abstract properties(const std::string & name)
{
  if (const Encoding * encoding = find(name)) {
    return {encoding->channels, encoding->bits};
  }
  const Abstract abstract = read_abstract(name);
  if (abstract.bits == 0) {
    throw std::runtime_error("Unknown encoding " + name);
  }
  return abstract;
}

}  // namespace detail

/// Returns true if pixels have a color; false for Bayer patterns.
inline bool isColor(const std::string & encoding)
{
  return detail::has_kind(encoding, detail::Kind::COLOR) ||
         detail::has_kind(encoding, detail::Kind::COLOR_WITH_ALPHA);
}

/// Returns true if pixels have a brightness.
inline bool isMono(const std::string & encoding) {return detail::has_kind(encoding, detail::Kind::MONO);}

/// Returns true if the image is a Bayer pattern.
inline bool isBayer(const std::string & encoding) {return detail::has_kind(encoding, detail::Kind::BAYER);}

/// Returns true if pixels have an alpha channel.
inline bool hasAlpha(const std::string & encoding)
{
  return detail::has_kind(encoding, detail::Kind::COLOR_WITH_ALPHA);
}

/// Returns the number of channels. Throws std::runtime_error if the encoding is unknown.
inline int numChannels(const std::string & encoding) {return detail::properties(encoding).channels;}

/// Returns the bits of a channel. Throws std::runtime_error if the encoding is unknown.
inline int bitDepth(const std::string & encoding) {return detail::properties(encoding).bits;}

}  // namespace sensor_msgs::image_encodings

#endif  // SENSOR_MSGS__IMAGE_ENCODINGS_HPP_
