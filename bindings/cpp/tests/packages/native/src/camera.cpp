// Publishes images, which it writes in shared memory.
#include <chrono>
#include <cstring>

#include "saltus/saltus.hpp"
#include "sensor_msgs/msg/image__view.hpp"

using Image = sensor_msgs::msg::Image;

int main(int argc, char * argv[])
{
  auto context = saltus::Context::create(argc, argv).or_exit();
  auto node = context.node("camera").or_exit();
  auto publisher = saltus::Publisher<Image>::create(node, "image").or_exit();
  std_msgs::msg::Header header;
  header.frame_id = "camera";
  for (uint8_t gray = 0; context.sleep(std::chrono::milliseconds(33)); ++gray) {
    auto loan = publisher.loan(640 * 480 + 100).or_exit();
    loan.write()
    .header(header).height(480).width(640).encoding("mono8").is_bigendian(0).step(640)
    .data(640 * 480, [gray](uint8_t * pixels, size_t count) {std::memset(pixels, gray, count);});
    std::move(loan).publish().or_exit();
  }
}
