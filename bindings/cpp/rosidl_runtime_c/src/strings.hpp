// What strings of bytes and strings of UTF-16 have in common.
#ifndef STRINGS_HPP_
#define STRINGS_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

namespace strings
{

template<typename String>
using Unit = std::remove_pointer_t<decltype(String::data)>;

/// Sets the size of a string and ends it with a zero.
template<typename String>
bool resize(String * string, size_t size)
{
  if (!string || size >= SIZE_MAX / sizeof(Unit<String>)) {
    return false;
  }
  void * data = std::realloc(string->data, (size + 1) * sizeof(Unit<String>));
  if (!data) {
    return false;
  }
  string->data = static_cast<Unit<String> *>(data);
  string->data[size] = 0;
  string->size = size;
  string->capacity = size + 1;
  return true;
}

template<typename String>
bool init(String * string)
{
  if (!string) {
    return false;
  }
  *string = {nullptr, 0, 0};
  return resize(string, 0);
}

template<typename String>
void fini(String * string)
{
  if (string) {
    std::free(string->data);
    *string = {nullptr, 0, 0};
  }
}

template<typename String>
bool assign(String * string, const Unit<String> * value, size_t size)
{
  if (!value || !resize(string, size)) {
    return false;
  }
  std::copy_n(value, size, string->data);
  return true;
}

template<typename String>
bool copy(const String * input, String * output)
{
  return input && (input == output || assign(output, input->data, input->size));
}

template<typename String>
bool are_equal(const String * lhs, const String * rhs)
{
  return lhs && rhs && std::equal(lhs->data, lhs->data + lhs->size, rhs->data, rhs->data + rhs->size);
}

/// Makes the strings from the index `first` on; on failure, none of them is left.
template<typename String>
bool init_elements(String * strings, size_t first, size_t end)
{
  for (size_t index = first; index < end; ++index) {
    if (!init(&strings[index])) {
      while (index > first) {
        fini(&strings[--index]);
      }
      return false;
    }
  }
  return true;
}

template<typename Sequence>
bool init_sequence(Sequence * sequence, size_t size)
{
  if (!sequence) {
    return false;
  }
  using String = std::remove_pointer_t<decltype(sequence->data)>;
  String * data = nullptr;
  if (size > 0) {
    data = static_cast<String *>(std::calloc(size, sizeof(String)));
    if (!data || !init_elements(data, 0, size)) {
      std::free(data);
      return false;
    }
  }
  *sequence = {data, size, size};
  return true;
}

template<typename Sequence>
void fini_sequence(Sequence * sequence)
{
  if (sequence) {
    std::for_each_n(sequence->data, sequence->capacity, [](auto & string) {fini(&string);});
    std::free(sequence->data);
    *sequence = {nullptr, 0, 0};
  }
}

template<typename Sequence>
bool are_equal_sequences(const Sequence * lhs, const Sequence * rhs)
{
  return lhs && rhs && std::equal(
    lhs->data, lhs->data + lhs->size, rhs->data, rhs->data + rhs->size,
    [](const auto & left, const auto & right) {return are_equal(&left, &right);});
}

template<typename Sequence>
bool reserve_sequence(Sequence * sequence, size_t capacity)
{
  using String = std::remove_pointer_t<decltype(sequence->data)>;
  if (sequence->capacity >= capacity) {
    return true;
  }
  if (capacity > SIZE_MAX / sizeof(String)) {
    return false;
  }
  void * data = std::realloc(sequence->data, capacity * sizeof(String));
  if (!data) {
    return false;
  }
  sequence->data = static_cast<String *>(data);
  if (!init_elements(sequence->data, sequence->capacity, capacity)) {
    return false;
  }
  sequence->capacity = capacity;
  return true;
}

template<typename Sequence>
bool copy_sequence(const Sequence * input, Sequence * output)
{
  if (!input || !output || !reserve_sequence(output, input->size)) {
    return false;
  }
  output->size = input->size;
  for (size_t index = 0; index < input->size; ++index) {
    if (!copy(&input->data[index], &output->data[index])) {
      return false;
    }
  }
  return true;
}

template<typename Sequence>
Sequence * create_sequence(size_t size)
{
  void * memory = std::malloc(sizeof(Sequence));
  if (!memory || !init_sequence(static_cast<Sequence *>(memory), size)) {
    std::free(memory);
    return nullptr;
  }
  return static_cast<Sequence *>(memory);
}

template<typename Sequence>
void destroy_sequence(Sequence * sequence)
{
  fini_sequence(sequence);
  std::free(sequence);
}

}  // namespace strings

#endif  // STRINGS_HPP_
