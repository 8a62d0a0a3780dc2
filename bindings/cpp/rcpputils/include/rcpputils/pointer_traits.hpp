// Type traits for raw and smart pointers.
#ifndef RCPPUTILS_POINTER_TRAITS_HPP_
#define RCPPUTILS_POINTER_TRAITS_HPP_

#include <memory>
#include <type_traits>

namespace rcpputils
{
namespace details
{

template<class T>
struct pointee
{
  using type = std::remove_pointer_t<T>;
  static constexpr bool is_pointer = std::is_pointer<T>::value;
};

template<class T>
struct pointee<std::shared_ptr<T>>
{
  using type = T;
  static constexpr bool is_pointer = true;
};

template<class T, class Deleter>
struct pointee<std::unique_ptr<T, Deleter>>
{
  using type = T;
  static constexpr bool is_pointer = true;
};

template<class T>
using bare = std::remove_cv_t<std::remove_reference_t<T>>;

}  // namespace details

/// True for raw pointers, std::shared_ptr and std::unique_ptr, and for references to them.
template<class T>
struct is_pointer : std::integral_constant<bool, details::pointee<details::bare<T>>::is_pointer>
{
};

/// The type to which a raw pointer, std::shared_ptr or std::unique_ptr, or a reference to one, points.
template<class T>
struct remove_pointer
{
  using type = typename details::pointee<details::bare<T>>::type;
};

}  // namespace rcpputils

#endif
