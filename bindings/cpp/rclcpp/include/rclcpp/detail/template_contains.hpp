#ifndef RCLCPP__DETAIL__TEMPLATE_CONTAINS_HPP_
#define RCLCPP__DETAIL__TEMPLATE_CONTAINS_HPP_

#include <type_traits>

namespace rclcpp
{
namespace detail
{

/// Whether the first type is among the others.
template<typename Needle, typename ... Haystack>
constexpr bool template_contains_v = (std::is_same_v<Needle, Haystack>|| ...);

template<typename Needle, typename ... Haystack>
struct template_contains : std::bool_constant<template_contains_v<Needle, Haystack...>> {};

}  // namespace detail
}  // namespace rclcpp

#endif  // RCLCPP__DETAIL__TEMPLATE_CONTAINS_HPP_
