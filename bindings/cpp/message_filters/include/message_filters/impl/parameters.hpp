// The parameters of callables.
#ifndef MESSAGE_FILTERS_IMPL_PARAMETERS_HPP_
#define MESSAGE_FILTERS_IMPL_PARAMETERS_HPP_

#include <functional>
#include <type_traits>
#include <utility>

namespace message_filters
{
namespace impl
{

/// A list of types.
template<class ... Ts>
struct Types
{
};

/// The parameters of a function, a member function or an object with one operator(). `type` is void if they are
/// unknown.
template<class F, class = void>
struct ParametersOf
{
  using type = void;
};

template<class R, class ... Ps>
struct ParametersOf<R (*)(Ps...)>
{
  using type = Types<Ps...>;
};

template<class R, class ... Ps>
struct ParametersOf<R (*)(Ps...) noexcept> : ParametersOf<R (*)(Ps...)>
{
};

template<class R, class C, class ... Ps>
struct ParametersOf<R (C::*)(Ps...)> : ParametersOf<R (*)(Ps...)>
{
};

template<class R, class C, class ... Ps>
struct ParametersOf<R (C::*)(Ps...) const> : ParametersOf<R (*)(Ps...)>
{
};

template<class R, class C, class ... Ps>
struct ParametersOf<R (C::*)(Ps...) noexcept> : ParametersOf<R (*)(Ps...)>
{
};

template<class R, class C, class ... Ps>
struct ParametersOf<R (C::*)(Ps...) const noexcept> : ParametersOf<R (*)(Ps...)>
{
};

template<class F>
struct ParametersOf<F, std::void_t<decltype(&F::operator())>> : ParametersOf<decltype(&F::operator())>
{
};

/// A member function of an object, as a callable.
template<class Member, class Object>
struct BoundMember
{
  Member member;
  Object * object;

  template<class ... Args>
  auto operator()(Args && ... args) const -> std::invoke_result_t<const Member &, Object *, Args...>
  {
    return std::invoke(member, object, std::forward<Args>(args)...);
  }
};

template<class Member, class Object>
struct ParametersOf<BoundMember<Member, Object>> : ParametersOf<Member>
{
};

}  // namespace impl
}  // namespace message_filters

#endif
