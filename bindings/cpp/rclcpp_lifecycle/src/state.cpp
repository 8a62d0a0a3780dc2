#include "rclcpp_lifecycle/state.hpp"

#include <stdexcept>
#include <utility>

#include "rclcpp_lifecycle/transition.hpp"

namespace rclcpp_lifecycle
{
namespace
{

/// Returns what a pointer points to.
template<typename T>
const T & given(const T * pointer, const char * what)
{
  if (pointer == nullptr) {
    throw std::runtime_error(what);
  }
  return *pointer;
}

}  // namespace

State::State()
: id_(0), label_("unknown") {}

State::State(uint8_t id, const std::string & label)
: id_(id), label_(label)
{
  if (label.empty()) {
    throw std::runtime_error("Lifecycle State cannot have an empty label.");
  }
}

State::State(const rcl_lifecycle_state_t * handle)
: id_(given(handle, "rcl_lifecycle_state_handle is null").id), label_(handle->label) {}

Transition::Transition(uint8_t id, const std::string & label)
: id_(id), label_(label) {}

Transition::Transition(uint8_t id, const std::string & label, State && start, State && goal)
: id_(id), label_(label), start_(std::move(start)), goal_(std::move(goal)) {}

Transition::Transition(const rcl_lifecycle_transition_t * handle)
: id_(static_cast<uint8_t>(given(handle, "rcl_lifecycle_transition_handle is null").id)), label_(handle->label)
{
  if (handle->start != nullptr) {
    start_ = State(handle->start);
  }
  if (handle->goal != nullptr) {
    goal_ = State(handle->goal);
  }
}

}  // namespace rclcpp_lifecycle
