#ifndef RCLCPP__DETAIL__OWNED_HPP_
#define RCLCPP__DETAIL__OWNED_HPP_

#include <memory>

namespace rclcpp::detail
{

/// Returns the pointer to an entity for the program. When the program drops it, the entity is closed: no callback begins any
/// more, and one that runs on another thread has returned. A callback that drops its own entity keeps it until it returns.
template<typename Entity>
std::shared_ptr<Entity> owned(std::shared_ptr<Entity> entity)
{
  Entity * pointer = entity.get();
  return std::shared_ptr<Entity>(
    pointer, [entity = std::move(entity)](Entity *) mutable {
      entity->close();
      entity.reset();
    });
}

}  // namespace rclcpp::detail

#endif  // RCLCPP__DETAIL__OWNED_HPP_
