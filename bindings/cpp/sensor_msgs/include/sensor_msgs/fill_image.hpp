#ifndef SENSOR_MSGS__FILL_IMAGE_HPP_
#define SENSOR_MSGS__FILL_IMAGE_HPP_

#include <cstddef>
#include <cstdint>
#include <string>

#include "sensor_msgs/image_encodings.hpp"
#include "sensor_msgs/msg/image.hpp"

namespace sensor_msgs
{

/// Sets an image to a copy of `rows_arg` rows of `step_arg` bytes each. Returns true.
inline bool fillImage(
  msg::Image & image, const std::string & encoding_arg, uint32_t rows_arg, uint32_t cols_arg, uint32_t step_arg,
  const void * data_arg)
{
  const size_t size = size_t{step_arg} * rows_arg;
  const uint8_t * bytes = static_cast<const uint8_t *>(data_arg);
  image.encoding = encoding_arg;
  image.height = rows_arg;
  image.width = cols_arg;
  image.step = step_arg;
  image.data.assign(bytes, bytes + size);
  image.is_bigendian = 0;
  return true;
}

/// Removes the data of an image; the other fields stay.
inline void clearImage(msg::Image & image) {image.data.clear();}

}  // namespace sensor_msgs

#endif  // SENSOR_MSGS__FILL_IMAGE_HPP_
