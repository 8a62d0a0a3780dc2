// How tf2::convert finds the functions of a type.
#ifndef TF2_IMPL_CONVERT_HPP_
#define TF2_IMPL_CONVERT_HPP_

#include <type_traits>
#include <utility>

namespace tf2
{

/// Returns the message of a data type. It is specialized or overloaded for each type.
template<typename A, typename B>
B toMsg(const A & a);

/// Sets a data type from its message. It is specialized or overloaded for each type.
template<typename A, typename B>
void fromMsg(const A & a, B & b);

namespace impl
{

/// True if b = toMsg(a) compiles: there is an overload for A.
template<typename A, typename B, typename = void>
struct HasToMsg : std::false_type
{
};

template<typename A, typename B>
struct HasToMsg<A, B, std::void_t<decltype(std::declval<B &>() = toMsg(std::declval<const A &>()))>>
  : std::true_type
{
};

/// True if toMsg(a, b) compiles: there is an overload for A and B.
template<typename A, typename B, typename = void>
struct HasToMsgWithResult : std::false_type
{
};

template<typename A, typename B>
struct HasToMsgWithResult<A, B, std::void_t<decltype(toMsg(std::declval<const A &>(), std::declval<B &>()))>>
  : std::true_type
{
};

/// Converts an A to a B, each of which is a message or not.
template<bool A_IS_MESSAGE, bool B_IS_MESSAGE>
struct Converter;

template<>
struct Converter<true, false>
{
  template<typename A, typename B>
  static void convert(const A & a, B & b) {fromMsg(a, b);}
};

template<>
struct Converter<false, true>
{
  template<typename A, typename B>
  static void convert(const A & a, B & b)
  {
    if constexpr (HasToMsg<A, B>::value) {
      b = toMsg(a);
    } else if constexpr (HasToMsgWithResult<A, B>::value) {
      toMsg(a, b);
    } else {
      // A specialization of the template, whose message type can't be deduced from the argument.
      b = toMsg<A, B>(a);
    }
  }
};

template<>
struct Converter<false, false>
{
  template<typename A, typename B>
  static void convert(const A & a, B & b) {fromMsg(toMsg(a), b);}
};

template<>
struct Converter<true, true>
{
  template<typename A, typename B>
  static void convert(const A &, B &)
  {
    static_assert(std::is_same<A, B>::value, "tf2::convert does not convert between messages of different types");
  }
};

}  // namespace impl
}  // namespace tf2

#endif
