#include "rosidl_runtime_c/string_functions.h"

#include <cstring>

#include "strings.hpp"

using String = rosidl_runtime_c__String;
using Sequence = rosidl_runtime_c__String__Sequence;

bool rosidl_runtime_c__String__init(String * str) {return strings::init(str);}

void rosidl_runtime_c__String__fini(String * str) {strings::fini(str);}

bool rosidl_runtime_c__String__copy(const String * input, String * output) {return strings::copy(input, output);}

bool rosidl_runtime_c__String__are_equal(const String * lhs, const String * rhs)
{
  return strings::are_equal(lhs, rhs);
}

bool rosidl_runtime_c__String__assignn(String * str, const char * value, size_t n)
{
  return strings::assign(str, value, n);
}

bool rosidl_runtime_c__String__assign(String * str, const char * value)
{
  return value && strings::assign(str, value, std::strlen(value));
}

bool rosidl_runtime_c__String__Sequence__init(Sequence * sequence, size_t size)
{
  return strings::init_sequence(sequence, size);
}

void rosidl_runtime_c__String__Sequence__fini(Sequence * sequence) {strings::fini_sequence(sequence);}

bool rosidl_runtime_c__String__Sequence__are_equal(const Sequence * lhs, const Sequence * rhs)
{
  return strings::are_equal_sequences(lhs, rhs);
}

bool rosidl_runtime_c__String__Sequence__copy(const Sequence * input, Sequence * output)
{
  return strings::copy_sequence(input, output);
}

Sequence * rosidl_runtime_c__String__Sequence__create(size_t size)
{
  return strings::create_sequence<Sequence>(size);
}

void rosidl_runtime_c__String__Sequence__destroy(Sequence * sequence) {strings::destroy_sequence(sequence);}
