#ifndef RCLCPP__GENERIC_PUBLISHER_HPP_
#define RCLCPP__GENERIC_PUBLISHER_HPP_

#include <memory>
#include <string>
#include <utility>

#include "rclcpp/macros.hpp"
#include "rclcpp/publisher_base.hpp"
#include "rclcpp/publisher_options.hpp"
#include "rclcpp/serialized_message.hpp"
#include "rclcpp/typesupport_helpers.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

/// A publisher of messages whose type the program knows only by its name.
class RCLCPP_PUBLIC GenericPublisher : public PublisherBase
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(GenericPublisher)

  /// The library has the type: see get_typesupport_library().
  template<typename AllocatorT = std::allocator<void>>
  GenericPublisher(
    node_interfaces::NodeBaseInterface * node_base, std::shared_ptr<rcpputils::SharedLibrary> ts_lib,
    const std::string & topic_name, const std::string & topic_type, const rclcpp::QoS & qos,
    const PublisherOptionsWithAllocator<AllocatorT> & options)
  : PublisherBase(
      node_base, topic_name, *get_message_typesupport_handle(topic_type, "rosidl_typesupport_cpp", *ts_lib), qos,
      of_bytes(options)),
    ts_lib_(std::move(ts_lib)) {}
  /// The publisher is closed before its library is.
  ~GenericPublisher() override {close();}

  /// \throws rclcpp::exceptions::RCLError if the message can't be published; after a shutdown nothing is thrown
  void publish(const rclcpp::SerializedMessage & message) {publish_bytes(message.get_rcl_serialized_message());}
  /// The same: the bytes are copied into shared memory in any case.
  void publish_as_loaned_msg(const rclcpp::SerializedMessage & message) {publish(message);}

private:
  /// Only messages are given to subscriptions of the process as pointers.
  static PublisherOptionsBase of_bytes(PublisherOptionsBase options)
  {
    options.use_intra_process_comm = IntraProcessSetting::Disable;
    return options;
  }

  std::shared_ptr<rcpputils::SharedLibrary> ts_lib_;
};

}  // namespace rclcpp

#endif  // RCLCPP__GENERIC_PUBLISHER_HPP_
