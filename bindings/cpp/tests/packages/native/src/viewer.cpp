// Prints the gray of three images, which it reads in shared memory.
#include <cstdio>

#include "saltus/saltus.hpp"
#include "sensor_msgs/msg/image__view.hpp"

using Image = sensor_msgs::msg::Image;

int main(int argc, char * argv[])
{
  auto context = saltus::Context::create(argc, argv).or_exit();
  auto node = context.node("viewer").or_exit();
  int count = 0;
  auto subscription = saltus::Subscription<Image>::create(
    node, "image", saltus::QoS(), [&](const saltus::View<Image> & image) {
      std::printf("%ux%u: %d\n", image.width, image.height, image.data[0]);
      if (++count == 3) {
        context.shut_down();
      }
    }).or_exit();
  auto executor = saltus::Executor::create(context).or_exit();
  executor.add_node(node).or_exit();
  executor.spin().or_exit();
}
