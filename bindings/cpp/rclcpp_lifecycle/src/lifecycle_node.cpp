#include "rclcpp_lifecycle/lifecycle_node.hpp"

#include <algorithm>
#include <array>
#include <mutex>

#include "lifecycle_msgs/msg/state.hpp"
#include "libsaltus.hpp"
#include "rclcpp/logging.hpp"

namespace rclcpp_lifecycle
{

using CallbackReturn = LifecycleNode::CallbackReturn;
using StateMessage = lifecycle_msgs::msg::State;
using TransitionMessage = lifecycle_msgs::msg::Transition;

namespace
{

/// Returns the state with a number. States are never destroyed, because programs keep references to them.
const State & state_of(uint8_t id)
{
  static const auto * states = [] {
      auto * all = new std::map<uint8_t, State>();
      for (size_t index = 0; index < saltus_lifecycle_state_count(); ++index) {
        const uint8_t known = saltus_lifecycle_state_at(index);
        all->emplace(known, State(known, saltus_lifecycle_state_label(known)));
      }
      (*all)[0];
      return all;
    }();
  return states->at(id);
}

std::vector<Transition> transitions()
{
  std::vector<Transition> all;
  saltus_lifecycle_step_t step{};
  step.struct_size = sizeof step;
  for (size_t index = 0; saltus_lifecycle_step_at(index, &step) == SALTUS_OK; ++index) {
    all.emplace_back(step.id, step.label, State(state_of(step.start)), State(state_of(step.goal)));
  }
  return all;
}

}  // namespace

/// The callbacks, and what the node manages.
struct LifecycleNode::Impl
{
  using Callback = std::function<CallbackReturn(const State &)>;

  explicit Impl(LifecycleNode & node_)
  : node(node_) {}
  ~Impl() {saltus_lifecycle_destroy(lifecycle);}

  /// Runs the callback of a transition for libsaltus. Nothing is thrown into it.
  static uint8_t run(void * context, uint8_t state, uint8_t previous) noexcept
  {
    auto & impl = *static_cast<Impl *>(context);
    CallbackReturn result = CallbackReturn::ERROR;
    try {
      result = impl.call(state, state_of(previous));
    } catch (const std::exception & error) {
      impl.report(state, error.what());
    } catch (...) {
      impl.report(state, "it is no std::exception");
    }
    if (result != CallbackReturn::SUCCESS ? state == StateMessage::TRANSITION_STATE_ACTIVATING : ends(state)) {
      impl.deactivate();
    }
    return static_cast<uint8_t>(result);
  }

  /// Whether the node is not active after a callback, even if that has succeeded.
  static bool ends(uint8_t state)
  {
    return state == StateMessage::TRANSITION_STATE_SHUTTINGDOWN || state == StateMessage::TRANSITION_STATE_ERRORPROCESSING;
  }

  void deactivate()
  {
    for_each_entity([](ManagedEntityInterface & entity) {entity.on_deactivate();});
  }

  void report(uint8_t state, const char * reason) const
  {
    RCLCPP_ERROR(node.get_logger(), "Caught exception in callback for transition %d", state);
    RCLCPP_ERROR(node.get_logger(), "Original error: %s", reason);
  }

  CallbackReturn call(uint8_t state, const State & previous)
  {
    Callback registered;
    {
      std::lock_guard<std::mutex> lock(mutex);
      const auto found = callbacks.find(state);
      registered = found == callbacks.end() ? nullptr : found->second;
    }
    if (registered) {
      return registered(previous);
    }
    switch (state) {
      case StateMessage::TRANSITION_STATE_CONFIGURING: return node.on_configure(previous);
      case StateMessage::TRANSITION_STATE_CLEANINGUP: return node.on_cleanup(previous);
      case StateMessage::TRANSITION_STATE_SHUTTINGDOWN: return node.on_shutdown(previous);
      case StateMessage::TRANSITION_STATE_ACTIVATING: return node.on_activate(previous);
      case StateMessage::TRANSITION_STATE_DEACTIVATING: return node.on_deactivate(previous);
      default: return node.on_error(previous);
    }
  }

  bool set(uint8_t state, Callback callback)
  {
    std::lock_guard<std::mutex> lock(mutex);
    callbacks[state] = std::move(callback);
    return true;
  }

  template<typename Function>
  void for_each_entity(Function function)
  {
    std::vector<std::weak_ptr<ManagedEntityInterface>> known;
    {
      std::lock_guard<std::mutex> lock(mutex);
      entities.erase(
        std::remove_if(entities.begin(), entities.end(), [](const auto & entity) {return entity.expired();}),
        entities.end());
      known = entities;
    }
    for (const auto & weak : known) {
      if (const auto entity = weak.lock()) {
        function(*entity);
      }
    }
  }

  LifecycleNode & node;
  saltus_lifecycle_t * lifecycle = nullptr;
  std::mutex mutex;
  std::map<uint8_t, Callback> callbacks;
  std::vector<std::weak_ptr<ManagedEntityInterface>> entities;
};

LifecycleNode::LifecycleNode(
  const std::string & node_name, const rclcpp::NodeOptions & options, bool enable_communication_interface)
: LifecycleNode(node_name, "", options, enable_communication_interface) {}

LifecycleNode::LifecycleNode(
  const std::string & node_name, const std::string & namespace_, const rclcpp::NodeOptions & options,
  bool enable_communication_interface)
: node_(std::make_shared<rclcpp::Node>(node_name, namespace_, options)), impl_(std::make_unique<Impl>(*this))
{
  const auto node = node_->get_node_base_interface()->get_shared_saltus_node();
  impl_->lifecycle = rclcpp::detail::created<saltus_lifecycle_t>(
    "could not create lifecycle node", [&](saltus_lifecycle_t ** place) {
      return saltus_lifecycle_create(node.get(), enable_communication_interface, &Impl::run, impl_.get(), nullptr, place);
    });
}

LifecycleNode::~LifecycleNode() = default;

const State & LifecycleNode::get_current_state() const {return state_of(saltus_lifecycle_state(impl_->lifecycle));}

std::vector<State> LifecycleNode::get_available_states() const
{
  std::vector<State> states;
  for (size_t index = 0; index < saltus_lifecycle_state_count(); ++index) {
    states.push_back(state_of(saltus_lifecycle_state_at(index)));
  }
  return states;
}

std::vector<Transition> LifecycleNode::get_available_transitions() const
{
  std::vector<Transition> available = transitions();
  const uint8_t current = get_current_state().id();
  available.erase(
    std::remove_if(
      available.begin(), available.end(),
      [current](const Transition & transition) {return transition.start_state().id() != current;}),
    available.end());
  return available;
}

std::vector<Transition> LifecycleNode::get_transition_graph() const {return transitions();}

const State & LifecycleNode::change(uint8_t transition, CallbackReturn & result)
{
  uint8_t number = static_cast<uint8_t>(CallbackReturn::ERROR);
  const std::string label = get_current_state().label();
  const saltus_status_t status = saltus_lifecycle_change_state(impl_->lifecycle, transition, &number);
  if (status != SALTUS_OK) {
    RCLCPP_ERROR(
      get_logger(), "Unable to start transition %u from current state %s: %s", transition, label.c_str(),
      saltus_error_message());
  }
  result = static_cast<CallbackReturn>(number);
  return get_current_state();
}

const State & LifecycleNode::trigger_transition(const Transition & transition)
{
  return trigger_transition(transition.id());
}

const State & LifecycleNode::trigger_transition(const Transition & transition, CallbackReturn & cb_return_code)
{
  return trigger_transition(transition.id(), cb_return_code);
}

const State & LifecycleNode::trigger_transition(uint8_t transition_id)
{
  CallbackReturn ignored;
  return change(transition_id, ignored);
}

const State & LifecycleNode::trigger_transition(uint8_t transition_id, CallbackReturn & cb_return_code)
{
  return change(transition_id, cb_return_code);
}

const State & LifecycleNode::configure() {return trigger_transition(TransitionMessage::TRANSITION_CONFIGURE);}
const State & LifecycleNode::configure(CallbackReturn & cb_return_code)
{
  return change(TransitionMessage::TRANSITION_CONFIGURE, cb_return_code);
}

const State & LifecycleNode::cleanup() {return trigger_transition(TransitionMessage::TRANSITION_CLEANUP);}
const State & LifecycleNode::cleanup(CallbackReturn & cb_return_code)
{
  return change(TransitionMessage::TRANSITION_CLEANUP, cb_return_code);
}

const State & LifecycleNode::activate() {return trigger_transition(TransitionMessage::TRANSITION_ACTIVATE);}
const State & LifecycleNode::activate(CallbackReturn & cb_return_code)
{
  return change(TransitionMessage::TRANSITION_ACTIVATE, cb_return_code);
}

const State & LifecycleNode::deactivate() {return trigger_transition(TransitionMessage::TRANSITION_DEACTIVATE);}
const State & LifecycleNode::deactivate(CallbackReturn & cb_return_code)
{
  return change(TransitionMessage::TRANSITION_DEACTIVATE, cb_return_code);
}

const State & LifecycleNode::shutdown()
{
  CallbackReturn ignored;
  return shutdown(ignored);
}

const State & LifecycleNode::shutdown(CallbackReturn & cb_return_code)
{
  switch (get_current_state().id()) {
    case StateMessage::PRIMARY_STATE_INACTIVE:
      return change(TransitionMessage::TRANSITION_INACTIVE_SHUTDOWN, cb_return_code);
    case StateMessage::PRIMARY_STATE_ACTIVE:
      return change(TransitionMessage::TRANSITION_ACTIVE_SHUTDOWN, cb_return_code);
    default:
      return change(TransitionMessage::TRANSITION_UNCONFIGURED_SHUTDOWN, cb_return_code);
  }
}

bool LifecycleNode::register_on_configure(std::function<CallbackReturn(const State &)> fcn)
{
  return impl_->set(StateMessage::TRANSITION_STATE_CONFIGURING, std::move(fcn));
}

bool LifecycleNode::register_on_cleanup(std::function<CallbackReturn(const State &)> fcn)
{
  return impl_->set(StateMessage::TRANSITION_STATE_CLEANINGUP, std::move(fcn));
}

bool LifecycleNode::register_on_shutdown(std::function<CallbackReturn(const State &)> fcn)
{
  return impl_->set(StateMessage::TRANSITION_STATE_SHUTTINGDOWN, std::move(fcn));
}

bool LifecycleNode::register_on_activate(std::function<CallbackReturn(const State &)> fcn)
{
  return impl_->set(StateMessage::TRANSITION_STATE_ACTIVATING, std::move(fcn));
}

bool LifecycleNode::register_on_deactivate(std::function<CallbackReturn(const State &)> fcn)
{
  return impl_->set(StateMessage::TRANSITION_STATE_DEACTIVATING, std::move(fcn));
}

bool LifecycleNode::register_on_error(std::function<CallbackReturn(const State &)> fcn)
{
  return impl_->set(StateMessage::TRANSITION_STATE_ERRORPROCESSING, std::move(fcn));
}

CallbackReturn LifecycleNode::on_activate(const State &)
{
  impl_->for_each_entity([](ManagedEntityInterface & entity) {entity.on_activate();});
  return CallbackReturn::SUCCESS;
}

CallbackReturn LifecycleNode::on_deactivate(const State &)
{
  impl_->deactivate();
  return CallbackReturn::SUCCESS;
}

void LifecycleNode::add_managed_entity(std::weak_ptr<ManagedEntityInterface> managed_entity)
{
  std::lock_guard<std::mutex> lock(impl_->mutex);
  impl_->entities.push_back(std::move(managed_entity));
}

}  // namespace rclcpp_lifecycle
