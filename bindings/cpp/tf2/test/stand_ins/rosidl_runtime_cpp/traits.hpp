// A stand-in for the traits of generated messages.
#ifndef STAND_INS_TRAITS_HPP_
#define STAND_INS_TRAITS_HPP_

#include <type_traits>

namespace rosidl_generator_traits
{

template<typename T>
struct is_message : std::false_type
{
};

}  // namespace rosidl_generator_traits

#endif
