#ifndef RCLCPP__FUNCTION_TRAITS_HPP_
#define RCLCPP__FUNCTION_TRAITS_HPP_

#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>

namespace rclcpp
{
namespace function_traits
{

/// Removes the first type of a tuple.
template<typename T>
struct tuple_tail;

template<typename Head, typename ... Tail>
struct tuple_tail<std::tuple<Head, Tail...>>
{
  using type = std::tuple<Tail...>;
};

/// The arguments and the result of something that can be called, if it can be called in one way only.
template<typename FunctionT>
struct function_traits
{
  using arguments = typename tuple_tail<typename function_traits<decltype(&FunctionT::operator())>::arguments>::type;
  static constexpr std::size_t arity = std::tuple_size<arguments>::value;
  template<std::size_t N>
  using argument_type = typename std::tuple_element<N, arguments>::type;
  using return_type = typename function_traits<decltype(&FunctionT::operator())>::return_type;
};

template<typename ReturnTypeT, typename ... Args>
struct function_traits<ReturnTypeT(Args...)>
{
  using arguments = std::tuple<Args...>;
  static constexpr std::size_t arity = std::tuple_size<arguments>::value;
  template<std::size_t N>
  using argument_type = typename std::tuple_element<N, arguments>::type;
  using return_type = ReturnTypeT;
};

template<typename ReturnTypeT, typename ... Args>
struct function_traits<ReturnTypeT (*)(Args...)>: function_traits<ReturnTypeT(Args...)> {};

template<typename ClassT, typename ReturnTypeT, typename ... Args>
struct function_traits<ReturnTypeT (ClassT::*)(Args...) const>: function_traits<ReturnTypeT(ClassT &, Args...)> {};

template<typename ClassT, typename ReturnTypeT, typename ... Args>
struct function_traits<ReturnTypeT (ClassT::*)(Args...)>: function_traits<ReturnTypeT(ClassT &, Args...)> {};

template<typename FunctionT>
struct function_traits<FunctionT &>: function_traits<FunctionT> {};

template<typename FunctionT>
struct function_traits<FunctionT &&>: function_traits<FunctionT> {};

#if defined(__GLIBCXX__)
// The result of std::bind.
template<typename ClassT, typename ReturnTypeT, typename ... Args, typename ... FArgs>
struct function_traits<std::_Bind<ReturnTypeT (ClassT::*(FArgs ...))(Args ...)>>: function_traits<ReturnTypeT(Args...)> {};
template<typename ClassT, typename ReturnTypeT, typename ... Args, typename ... FArgs>
struct function_traits<std::_Bind<ReturnTypeT (ClassT::*(FArgs ...))(Args ...) const>>
  : function_traits<ReturnTypeT(Args...)> {};
template<typename ReturnTypeT, typename ... Args, typename ... FArgs>
struct function_traits<std::_Bind<ReturnTypeT(*(FArgs ...))(Args ...)>>: function_traits<ReturnTypeT(Args...)> {};
#endif

/// Whether something is called with so many arguments.
template<std::size_t Arity, typename FunctorT>
struct arity_comparator : std::integral_constant<bool, Arity == function_traits<FunctorT>::arity> {};

/// Whether something is called with these arguments.
template<typename FunctorT, typename ... Args>
struct check_arguments : std::is_same<typename function_traits<FunctorT>::arguments, std::tuple<Args...>> {};

/// Whether two things are called with the same arguments.
template<typename FunctorAT, typename FunctorBT>
struct same_arguments
  : std::is_same<typename function_traits<FunctorAT>::arguments, typename function_traits<FunctorBT>::arguments> {};

}  // namespace function_traits
}  // namespace rclcpp

#endif  // RCLCPP__FUNCTION_TRAITS_HPP_
