// Prints what the talker publishes, until Ctrl-C.
#include <memory>

#include "@messages@/msg/@header@.hpp"
#include "rclcpp/rclcpp.hpp"

/// Subscribes to "status".
class Listener : public rclcpp::Node
{
public:
  Listener()
  : Node("@name@_listener")
  {
    status_ = create_subscription<@messages@::msg::@message@>(
      "status", 10, [this](const @messages@::msg::@message@ & message) {
        RCLCPP_INFO_STREAM(get_logger(), "received " << message.@field@);
      });
  }

private:
  rclcpp::Subscription<@messages@::msg::@message@>::SharedPtr status_;
};

int main(int argc, char * argv[])
{
  rclcpp::init(argc, argv);
  rclcpp::spin(std::make_shared<Listener>());
  rclcpp::shutdown();
  return 0;
}
