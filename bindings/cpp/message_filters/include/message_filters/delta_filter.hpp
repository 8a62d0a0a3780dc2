// A filter that passes changed messages on.
#ifndef MESSAGE_FILTERS_DELTA_FILTER_HPP_
#define MESSAGE_FILTERS_DELTA_FILTER_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>

#include "message_filters/impl/input.hpp"
#include "message_filters/message_event.hpp"
#include "message_filters/simple_filter.hpp"

namespace message_filters
{

/// The value of a field.
using MFieldType = std::variant<
  bool, std::byte, char, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
  std::uint64_t, float, double, std::string>;

/// Decides which messages a ComparisonFilter passes on.
template<typename MessageType>
class ComparisonHandler
{
public:
  using MConstPtr = std::shared_ptr<MessageType const>;
  using EventType = MessageEvent<MessageType const>;
  /// Returns the value of a field of a message.
  using FieldGetterFunctionType = std::function<MFieldType(const MConstPtr &)>;

  virtual ~ComparisonHandler() = default;

  /// Whether the message is passed on.
  virtual bool message_fits(const EventType & message) = 0;

  /// Whether a message is passed on because of these values of a field.
  virtual bool do_fields_fit(MFieldType field_a, MFieldType field_b) const = 0;
};

/// Passes the first message on, and each one of which a field fits to that of the message that was passed on last.
template<typename MessageType>
class CachedComparisonHandler : public ComparisonHandler<MessageType>
{
  using Base = ComparisonHandler<MessageType>;

public:
  using typename Base::EventType;
  using typename Base::FieldGetterFunctionType;
  using typename Base::MConstPtr;

  explicit CachedComparisonHandler(std::forward_list<FieldGetterFunctionType> field_getters)
  : field_getters_(std::move(field_getters)) {}

  bool message_fits(const EventType & message) override
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const MConstPtr & next = message.getConstMessage();
    const auto fits = [&](const FieldGetterFunctionType & get) {return this->do_fields_fit(get(last_), get(next));};
    const bool is_passed_on = !last_ || std::any_of(field_getters_.begin(), field_getters_.end(), fits);
    if (is_passed_on) {
      last_ = next;
    }
    return is_passed_on;
  }

private:
  std::mutex mutex_;
  // The message that was passed on last.
  MConstPtr last_;
  const std::forward_list<FieldGetterFunctionType> field_getters_;
};

/// Passes the first message on, and each one of which a field differs from that of the message that was passed on last.
template<typename MessageType>
class DeltaCompare : public CachedComparisonHandler<MessageType>
{
public:
  using CachedComparisonHandler<MessageType>::CachedComparisonHandler;

  bool do_fields_fit(MFieldType field_a, MFieldType field_b) const override
  {
    return field_a != field_b;
  }
};

/// Passes the messages on that a handler accepts.
template<typename MessageType, template<typename HandlerMessageType> typename HandlerType>
class ComparisonFilter : public SimpleFilter<MessageType>
{
public:
  using MConstPtr = std::shared_ptr<MessageType const>;
  using EventType = MessageEvent<MessageType const>;
  using FieldGetterFunctionType = std::function<MFieldType(const MConstPtr &)>;

  /// Connects the input to another filter.
  template<typename FilterType>
  explicit ComparisonFilter(FilterType & filter, std::forward_list<FieldGetterFunctionType> field_getters)
  : handler_(std::move(field_getters))
  {
    connectInput(filter);
  }

  virtual ~ComparisonFilter() = default;

  /// Connects the input to another filter, in place of the one before.
  template<typename FilterType>
  void connectInput(FilterType & filter)
  {
    input_.connect(filter, [this](const EventType & event) {add(event);});
  }

  /// Passes an event on if the handler accepts it.
  void add(const EventType & event)
  {
    if (handler_.message_fits(event)) {
      this->signalMessage(event);
    }
  }

private:
  HandlerType<MessageType> handler_;
  impl::Input<MessageType> input_;
};

/// Passes the first message on, and each one of which a field differs from that of the message that was passed on last.
template<typename MessageType>
class DeltaFilter : public ComparisonFilter<MessageType, DeltaCompare>
{
public:
  using ComparisonFilter<MessageType, DeltaCompare>::ComparisonFilter;
};

}  // namespace message_filters

#endif
