#ifndef ROSIDL_RUNTIME_CPP__BOUNDED_VECTOR_HPP_
#define ROSIDL_RUNTIME_CPP__BOUNDED_VECTOR_HPP_

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace rosidl_runtime_cpp
{

/// A vector with at most `UpperBound` elements.
/**
 * It has the functions of std::vector. A function that would exceed the bound throws std::length_error, and changes nothing.
 */
template<typename T, size_t UpperBound, typename Alloc = std::allocator<T>>
class BoundedVector : protected std::vector<T, Alloc>
{
  using Base = std::vector<T, Alloc>;

public:
  using typename Base::value_type;
  using typename Base::pointer;
  using typename Base::const_pointer;
  using typename Base::reference;
  using typename Base::const_reference;
  using typename Base::iterator;
  using typename Base::const_iterator;
  using typename Base::const_reverse_iterator;
  using typename Base::reverse_iterator;
  using typename Base::size_type;
  using typename Base::difference_type;
  using typename Base::allocator_type;

  BoundedVector() = default;
  explicit BoundedVector(const allocator_type & allocator) noexcept
  : Base(allocator) {}
  explicit BoundedVector(size_type count, const allocator_type & allocator = allocator_type())
  : Base(checked(count), allocator) {}
  BoundedVector(size_type count, const value_type & value, const allocator_type & allocator = allocator_type())
  : Base(checked(count), value, allocator) {}
  BoundedVector(std::initializer_list<value_type> values, const allocator_type & allocator = allocator_type())
  : Base((checked(values.size()), values), allocator) {}
  template<typename Iterator, typename = typename std::iterator_traits<Iterator>::iterator_category>
  BoundedVector(Iterator first, Iterator last, const allocator_type & allocator = allocator_type())
  : Base(allocator)
  {
    assign(first, last);
  }
  BoundedVector(const BoundedVector &) = default;
  BoundedVector(BoundedVector &&) noexcept = default;
  BoundedVector & operator=(const BoundedVector &) = default;
  BoundedVector & operator=(BoundedVector &&) = default;
  BoundedVector & operator=(std::initializer_list<value_type> values)
  {
    assign(values);
    return *this;
  }
  ~BoundedVector() = default;

  using Base::at;
  using Base::back;
  using Base::begin;
  using Base::capacity;
  using Base::cbegin;
  using Base::cend;
  using Base::clear;
  using Base::crbegin;
  using Base::crend;
  using Base::empty;
  using Base::end;
  using Base::erase;
  using Base::front;
  using Base::get_allocator;
  using Base::operator[];
  using Base::pop_back;
  using Base::rbegin;
  using Base::rend;
  using Base::shrink_to_fit;
  using Base::size;

  /// Returns a pointer to the elements. A vector of bool has none.
  template<typename U = T, typename = std::enable_if_t<!std::is_same_v<U, bool>>>
  U * data() noexcept {return Base::data();}
  template<typename U = T, typename = std::enable_if_t<!std::is_same_v<U, bool>>>
  const U * data() const noexcept {return Base::data();}

  /// Returns the bound.
  size_type max_size() const noexcept {return UpperBound;}

  void reserve(size_type count) {Base::reserve(checked(count));}
  void resize(size_type count) {Base::resize(checked(count));}
  void resize(size_type count, const value_type & value) {Base::resize(checked(count), value);}
  void assign(size_type count, const value_type & value) {Base::assign(checked(count), value);}
  void assign(std::initializer_list<value_type> values)
  {
    checked(values.size());
    Base::assign(values);
  }
  template<typename Iterator, typename = typename std::iterator_traits<Iterator>::iterator_category>
  void assign(Iterator first, Iterator last)
  {
    using Category = typename std::iterator_traits<Iterator>::iterator_category;
    if constexpr (std::is_base_of_v<std::forward_iterator_tag, Category>) {
      checked(static_cast<size_type>(std::distance(first, last)));
      Base::assign(first, last);
    } else {
      *this = BoundedVector();
      for (; first != last; ++first) {
        push_back(*first);
      }
    }
  }

  void push_back(const value_type & value)
  {
    checked(size() + 1);
    Base::push_back(value);
  }
  void push_back(value_type && value)
  {
    checked(size() + 1);
    Base::push_back(std::move(value));
  }
  template<typename ... Args>
  decltype(auto) emplace_back(Args && ... args)
  {
    checked(size() + 1);
    return Base::emplace_back(std::forward<Args>(args)...);
  }
  template<typename ... Args>
  iterator emplace(const_iterator position, Args && ... args)
  {
    checked(size() + 1);
    return Base::emplace(position, std::forward<Args>(args)...);
  }
  iterator insert(const_iterator position, const value_type & value)
  {
    checked(size() + 1);
    return Base::insert(position, value);
  }
  iterator insert(const_iterator position, value_type && value)
  {
    checked(size() + 1);
    return Base::insert(position, std::move(value));
  }
  iterator insert(const_iterator position, size_type count, const value_type & value)
  {
    added(count);
    return Base::insert(position, count, value);
  }
  iterator insert(const_iterator position, std::initializer_list<value_type> values)
  {
    added(values.size());
    return Base::insert(position, values);
  }
  template<typename Iterator, typename = typename std::iterator_traits<Iterator>::iterator_category>
  iterator insert(const_iterator position, Iterator first, Iterator last)
  {
    added(static_cast<size_type>(std::distance(first, last)));
    return Base::insert(position, first, last);
  }

  void swap(BoundedVector & other) {Base::swap(other);}

  friend bool operator==(const BoundedVector & a, const BoundedVector & b) {return a.base() == b.base();}
  friend bool operator!=(const BoundedVector & a, const BoundedVector & b) {return a.base() != b.base();}
  friend bool operator<(const BoundedVector & a, const BoundedVector & b) {return a.base() < b.base();}
  friend bool operator<=(const BoundedVector & a, const BoundedVector & b) {return a.base() <= b.base();}
  friend bool operator>(const BoundedVector & a, const BoundedVector & b) {return a.base() > b.base();}
  friend bool operator>=(const BoundedVector & a, const BoundedVector & b) {return a.base() >= b.base();}

private:
  const Base & base() const {return *this;}

  /// Returns a number of elements, if it does not exceed the bound.
  static size_type checked(size_type count)
  {
    if (count > UpperBound) {
      throw std::length_error("Exceeded upper bound");
    }
    return count;
  }

  /// Checks whether so many elements can be added.
  void added(size_type count) const
  {
    if (count > UpperBound - size()) {
      throw std::length_error("Exceeded upper bound");
    }
  }
};

}  // namespace rosidl_runtime_cpp

#endif  // ROSIDL_RUNTIME_CPP__BOUNDED_VECTOR_HPP_
