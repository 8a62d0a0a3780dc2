#include "rosidl_runtime_c/u16string_functions.h"

#include <cstring>

#include "strings.hpp"

using String = rosidl_runtime_c__U16String;
using Sequence = rosidl_runtime_c__U16String__Sequence;

bool rosidl_runtime_c__U16String__init(String * str) {return strings::init(str);}

void rosidl_runtime_c__U16String__fini(String * str) {strings::fini(str);}

bool rosidl_runtime_c__U16String__are_equal(const String * lhs, const String * rhs)
{
  return strings::are_equal(lhs, rhs);
}

bool rosidl_runtime_c__U16String__copy(const String * input, String * output) {return strings::copy(input, output);}

bool rosidl_runtime_c__U16String__assignn(String * str, const uint16_t * value, size_t n)
{
  return strings::assign(str, value, n);
}

bool rosidl_runtime_c__U16String__assignn_from_char(String * str, const char * value, size_t n)
{
  if (!value || n % sizeof(uint16_t) != 0 || !strings::resize(str, n / sizeof(uint16_t))) {
    return false;
  }
  // The bytes may not be aligned as code units are.
  std::memcpy(str->data, value, n);
  return true;
}

bool rosidl_runtime_c__U16String__assign(String * str, const uint16_t * value)
{
  return strings::assign(str, value, rosidl_runtime_c__U16String__len(value));
}

size_t rosidl_runtime_c__U16String__len(const uint16_t * value)
{
  size_t length = 0;
  while (value && value[length] != 0) {
    ++length;
  }
  return length;
}

bool rosidl_runtime_c__U16String__resize(String * str, size_t n) {return strings::resize(str, n);}

bool rosidl_runtime_c__U16String__Sequence__init(Sequence * sequence, size_t size)
{
  return strings::init_sequence(sequence, size);
}

void rosidl_runtime_c__U16String__Sequence__fini(Sequence * sequence) {strings::fini_sequence(sequence);}

bool rosidl_runtime_c__U16String__Sequence__are_equal(const Sequence * lhs, const Sequence * rhs)
{
  return strings::are_equal_sequences(lhs, rhs);
}

bool rosidl_runtime_c__U16String__Sequence__copy(const Sequence * input, Sequence * output)
{
  return strings::copy_sequence(input, output);
}

Sequence * rosidl_runtime_c__U16String__Sequence__create(size_t size)
{
  return strings::create_sequence<Sequence>(size);
}

void rosidl_runtime_c__U16String__Sequence__destroy(Sequence * sequence) {strings::destroy_sequence(sequence);}
