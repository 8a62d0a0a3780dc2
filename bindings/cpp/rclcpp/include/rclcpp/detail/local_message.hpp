#ifndef RCLCPP__DETAIL__LOCAL_MESSAGE_HPP_
#define RCLCPP__DETAIL__LOCAL_MESSAGE_HPP_

#include <memory>
#include <type_traits>

namespace rclcpp::detail
{

/// A message that a function needs until it returns. A message with large arrays is not on the stack, which has room for 8 MB.
template<typename M>
class LocalMessage
{
public:
  M & operator*()
  {
    if constexpr (IS_SMALL) {
      return message_;
    } else {
      return *message_;
    }
  }

private:
  static constexpr bool IS_SMALL = sizeof(M) <= 16384;

  static auto make()
  {
    if constexpr (IS_SMALL) {
      return M();
    } else {
      return std::make_unique<M>();
    }
  }

  std::conditional_t<IS_SMALL, M, std::unique_ptr<M>> message_ = make();
};

}  // namespace rclcpp::detail

#endif  // RCLCPP__DETAIL__LOCAL_MESSAGE_HPP_
