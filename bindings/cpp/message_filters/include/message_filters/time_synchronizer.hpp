// Calls callbacks with sets of messages that have equal stamps.
#ifndef MESSAGE_FILTERS_TIME_SYNCHRONIZER_HPP_
#define MESSAGE_FILTERS_TIME_SYNCHRONIZER_HPP_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "message_filters/message_event.hpp"
#include "message_filters/sync_policies/exact_time.hpp"
#include "message_filters/synchronizer.hpp"

namespace message_filters
{

/// Calls callbacks with sets of messages that have equal stamps: a synchronizer with the policy ExactTime.
template<class ... Ms>
class TimeSynchronizer : public Synchronizer<sync_policies::ExactTime<Ms...>>
{
public:
  typedef sync_policies::ExactTime<Ms...> Policy;
  typedef Synchronizer<Policy> Base;

  typedef std::shared_ptr<typename Base::M0 const> M0ConstPtr;
  typedef std::shared_ptr<typename Base::M1 const> M1ConstPtr;
  typedef std::shared_ptr<typename Base::M2 const> M2ConstPtr;
  typedef std::shared_ptr<typename Base::M3 const> M3ConstPtr;
  typedef std::shared_ptr<typename Base::M4 const> M4ConstPtr;
  typedef std::shared_ptr<typename Base::M5 const> M5ConstPtr;
  typedef std::shared_ptr<typename Base::M6 const> M6ConstPtr;
  typedef std::shared_ptr<typename Base::M7 const> M7ConstPtr;
  typedef std::shared_ptr<typename Base::M8 const> M8ConstPtr;

  using Base::add;
  using Base::connectInput;
  using Base::getName;
  using Base::registerCallback;
  using Base::setName;
  using Policy::registerDropCallback;

  /// Connects no inputs.
  TimeSynchronizer(std::uint32_t queue_size)  // NOLINT(runtime/explicit)
  : Base(Policy(queue_size)) {}

  /// Connects the inputs: `(queue_size, f0, f1, ...)` or `(f0, f1, ..., queue_size)`.
  template<class First, class Second, class ... Rest>
  TimeSynchronizer(First && first, Second && second, Rest && ... rest)
  : Base(Policy(queueSizeOf(std::forward_as_tuple(first, second, rest ...))))
  {
    connect(std::forward_as_tuple(first, second, rest ...), std::make_index_sequence<1 + sizeof...(Rest)>{});
  }

  /// Adds a message of the first input.
  void add0(const M0ConstPtr & message) {this->template add<0>(message);}
  void add1(const M1ConstPtr & message) {this->template add<1>(message);}
  void add2(const M2ConstPtr & message) {this->template add<2>(message);}
  void add3(const M3ConstPtr & message) {this->template add<3>(message);}
  void add4(const M4ConstPtr & message) {this->template add<4>(message);}
  void add5(const M5ConstPtr & message) {this->template add<5>(message);}
  void add6(const M6ConstPtr & message) {this->template add<6>(message);}
  void add7(const M7ConstPtr & message) {this->template add<7>(message);}
  void add8(const M8ConstPtr & message) {this->template add<8>(message);}

private:
  // Whether the queue size is the first argument. Otherwise it is the last one.
  template<class Arguments>
  static constexpr bool is_size_first = std::is_convertible_v<std::tuple_element_t<0, Arguments>, std::uint32_t>;

  template<class Arguments>
  static std::uint32_t queueSizeOf(Arguments arguments)
  {
    constexpr std::size_t index = is_size_first<Arguments> ? 0 : std::tuple_size_v<Arguments> - 1;
    return static_cast<std::uint32_t>(std::get<index>(arguments));
  }

  template<class Arguments, std::size_t ... Is>
  void connect(Arguments arguments, std::index_sequence<Is...>)
  {
    constexpr std::size_t begin = is_size_first<Arguments> ? 1 : 0;
    this->connectInput(std::get<begin + Is>(arguments)...);
  }
};

}  // namespace message_filters

#endif
