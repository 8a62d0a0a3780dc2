#ifndef RCLCPP__MACROS_HPP_
#define RCLCPP__MACROS_HPP_

#include <memory>
#include <type_traits>
#include <utility>

/// Forbids copies of a class.
#define RCLCPP_DISABLE_COPY(...) \
  __VA_ARGS__(const __VA_ARGS__ &) = delete; \
  __VA_ARGS__ & operator=(const __VA_ARGS__ &) = delete;

/// Defines the names of shared pointers to a class.
#define RCLCPP_SHARED_PTR_ALIASES(...) \
  using SharedPtr = std::shared_ptr<__VA_ARGS__>; \
  using ConstSharedPtr = std::shared_ptr<const __VA_ARGS__>;

/// Defines the names of weak pointers to a class.
#define RCLCPP_WEAK_PTR_DEFINITIONS(...) \
  using WeakPtr = std::weak_ptr<__VA_ARGS__>; \
  using ConstWeakPtr = std::weak_ptr<const __VA_ARGS__>;

/// Defines the name of unique pointers to a class.
#define RCLCPP_UNIQUE_PTR_ALIASES(...) using UniquePtr = std::unique_ptr<__VA_ARGS__>;

/// Defines `make_shared`.
#define RCLCPP_MAKE_SHARED_DEFINITIONS(...) \
  template<typename ... Args> \
  static std::shared_ptr<__VA_ARGS__> make_shared(Args && ... args) \
  { \
    return std::make_shared<__VA_ARGS__>(std::forward<Args>(args) ...); \
  }

/// Defines `make_unique`. Its type depends on the template, so that abstract classes can have it, too.
#define RCLCPP_MAKE_UNIQUE_DEFINITIONS(...) \
  template<typename ... Args> \
  static std::unique_ptr<__VA_ARGS__> make_unique(Args && ... args) \
  { \
    using Made = std::enable_if_t<(sizeof...(Args) + 1 > 0), __VA_ARGS__>; \
    return std::unique_ptr<__VA_ARGS__>(new Made(std::forward<Args>(args) ...)); \
  }

#define RCLCPP_SHARED_PTR_DEFINITIONS(...) \
  RCLCPP_SHARED_PTR_ALIASES(__VA_ARGS__) \
  RCLCPP_MAKE_SHARED_DEFINITIONS(__VA_ARGS__)

#define RCLCPP_UNIQUE_PTR_DEFINITIONS(...) \
  RCLCPP_UNIQUE_PTR_ALIASES(__VA_ARGS__) \
  RCLCPP_MAKE_UNIQUE_DEFINITIONS(__VA_ARGS__)

/// Defines the names of all pointers to a class, `make_shared` and `make_unique`.
#define RCLCPP_SMART_PTR_DEFINITIONS(...) \
  RCLCPP_SHARED_PTR_DEFINITIONS(__VA_ARGS__) \
  RCLCPP_WEAK_PTR_DEFINITIONS(__VA_ARGS__) \
  RCLCPP_UNIQUE_PTR_DEFINITIONS(__VA_ARGS__)

/// As RCLCPP_SMART_PTR_DEFINITIONS, for a class that can't be copied.
#define RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(...) \
  RCLCPP_SHARED_PTR_DEFINITIONS(__VA_ARGS__) \
  RCLCPP_WEAK_PTR_DEFINITIONS(__VA_ARGS__) \
  RCLCPP_UNIQUE_PTR_DEFINITIONS(__VA_ARGS__)

/// As RCLCPP_SMART_PTR_DEFINITIONS, without `make_shared` and `make_unique`, for abstract classes.
#define RCLCPP_SMART_PTR_ALIASES_ONLY(...) \
  RCLCPP_SHARED_PTR_ALIASES(__VA_ARGS__) \
  RCLCPP_WEAK_PTR_DEFINITIONS(__VA_ARGS__) \
  RCLCPP_UNIQUE_PTR_ALIASES(__VA_ARGS__)

#define RCLCPP_STRING_JOIN(arg1, arg2) RCLCPP_DO_STRING_JOIN(arg1, arg2)
#define RCLCPP_DO_STRING_JOIN(arg1, arg2) arg1 ## arg2

#endif  // RCLCPP__MACROS_HPP_
