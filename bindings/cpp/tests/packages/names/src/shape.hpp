// The base class of the plugins, and a component.
#ifndef SHAPE_HPP_
#define SHAPE_HPP_

#include <memory>

#include "rclcpp/rclcpp.hpp"
#include "std_msgs/msg/string.hpp"

namespace shapes
{

class Shape
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(Shape)

  Shape() = default;
  virtual ~Shape() = default;
  virtual int sides() const = 0;

private:
  RCLCPP_DISABLE_COPY(Shape)
};

}  // namespace shapes

#endif  // SHAPE_HPP_
