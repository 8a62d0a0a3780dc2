#ifndef RCLCPP__ALLOCATOR__ALLOCATOR_DELETER_HPP_
#define RCLCPP__ALLOCATOR__ALLOCATOR_DELETER_HPP_

#include <memory>
#include <stdexcept>
#include <type_traits>

namespace rclcpp
{
namespace allocator
{

/// Deletes what an allocator has made.
template<typename Allocator>
class AllocatorDeleter
{
  template<typename T>
  using AllocRebind = typename std::allocator_traits<Allocator>::template rebind_alloc<T>;

public:
  AllocatorDeleter() = default;
  explicit AllocatorDeleter(Allocator * a)
  : allocator_(a) {}
  template<typename T>
  AllocatorDeleter(const AllocatorDeleter<T> & a)  // NOLINT
  : allocator_(a.get_allocator()) {}

  template<typename T>
  void operator()(T * ptr)
  {
    std::allocator_traits<AllocRebind<T>>::destroy(*allocator_, ptr);
    std::allocator_traits<AllocRebind<T>>::deallocate(*allocator_, ptr, 1);
  }
  Allocator * get_allocator() const {return allocator_;}
  void set_allocator(Allocator * alloc) {allocator_ = alloc;}

private:
  Allocator * allocator_ = nullptr;
};

/// Sets the allocator of a deleter that has one.
template<typename Alloc, typename T, typename D>
void set_allocator_for_deleter(D *, Alloc *)
{
  throw std::runtime_error("Reached unexpected template specialization");
}
template<typename T, typename U>
void set_allocator_for_deleter(std::default_delete<T> *, std::allocator<U> *) {}
template<typename Alloc, typename T>
void set_allocator_for_deleter(AllocatorDeleter<T> * deleter, Alloc * alloc)
{
  if (deleter == nullptr || alloc == nullptr) {
    throw std::invalid_argument("Argument was NULL to set_allocator_for_deleter");
  }
  deleter->set_allocator(alloc);
}

template<typename Alloc, typename T>
using Deleter = typename std::conditional_t<
  std::is_same_v<typename std::allocator_traits<Alloc>::template rebind_alloc<T>, std::allocator<T>>,
  std::default_delete<T>, AllocatorDeleter<Alloc>>;

}  // namespace allocator
}  // namespace rclcpp

#endif  // RCLCPP__ALLOCATOR__ALLOCATOR_DELETER_HPP_
