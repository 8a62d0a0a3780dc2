#ifndef RCLCPP__DETAIL__TEMPLATE_UNIQUE_HPP_
#define RCLCPP__DETAIL__TEMPLATE_UNIQUE_HPP_

#include <type_traits>

#include "rclcpp/detail/template_contains.hpp"

namespace rclcpp
{
namespace detail
{

/// Whether no type is there twice.
template<typename ... Types>
constexpr bool template_unique_v = true;

template<typename First, typename ... Rest>
constexpr bool template_unique_v<First, Rest...> =
  !template_contains_v<First, Rest...>&& template_unique_v<Rest...>;

template<typename ... Types>
struct template_unique : std::bool_constant<template_unique_v<Types...>> {};

}  // namespace detail
}  // namespace rclcpp

#endif  // RCLCPP__DETAIL__TEMPLATE_UNIQUE_HPP_
