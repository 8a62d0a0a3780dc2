#include "rosidl_runtime_c/primitives_sequence_functions.h"

#include <algorithm>
#include <cstdlib>

namespace
{

template<typename Sequence>
bool init(Sequence * sequence, size_t size)
{
  if (!sequence) {
    return false;
  }
  void * data = size > 0 ? std::calloc(size, sizeof(*sequence->data)) : nullptr;
  if (size > 0 && !data) {
    return false;
  }
  sequence->data = static_cast<decltype(sequence->data)>(data);
  sequence->size = size;
  sequence->capacity = size;
  return true;
}

template<typename Sequence>
void fini(Sequence * sequence)
{
  if (sequence) {
    std::free(sequence->data);
    *sequence = {nullptr, 0, 0};
  }
}

template<typename Sequence>
bool are_equal(const Sequence * lhs, const Sequence * rhs)
{
  return lhs && rhs && std::equal(lhs->data, lhs->data + lhs->size, rhs->data, rhs->data + rhs->size);
}

template<typename Sequence>
bool copy(const Sequence * input, Sequence * output)
{
  if (!input || !output) {
    return false;
  }
  if (output->capacity < input->size) {
    void * data = std::realloc(output->data, input->size * sizeof(*output->data));
    if (!data) {
      return false;
    }
    output->data = static_cast<decltype(output->data)>(data);
    output->capacity = input->size;
  }
  std::copy_n(input->data, input->size, output->data);
  output->size = input->size;
  return true;
}

}  // namespace

#define DEFINE_SEQUENCE_FUNCTIONS(name, element) \
  bool rosidl_runtime_c__ ## name ## __Sequence__init( \
    rosidl_runtime_c__ ## element ## __Sequence * sequence, size_t size) {return init(sequence, size);} \
  void rosidl_runtime_c__ ## name ## __Sequence__fini( \
    rosidl_runtime_c__ ## element ## __Sequence * sequence) {fini(sequence);} \
  bool rosidl_runtime_c__ ## name ## __Sequence__are_equal( \
    const rosidl_runtime_c__ ## element ## __Sequence * lhs, \
    const rosidl_runtime_c__ ## element ## __Sequence * rhs) {return are_equal(lhs, rhs);} \
  bool rosidl_runtime_c__ ## name ## __Sequence__copy( \
    const rosidl_runtime_c__ ## element ## __Sequence * input, \
    rosidl_runtime_c__ ## element ## __Sequence * output) {return copy(input, output);}

#define DEFINE_OWN_SEQUENCE_FUNCTIONS(name, type) DEFINE_SEQUENCE_FUNCTIONS(name, name)

ROSIDL_RUNTIME_C__FOR_EACH_PRIMITIVE_SEQUENCE(DEFINE_OWN_SEQUENCE_FUNCTIONS)
DEFINE_SEQUENCE_FUNCTIONS(bool, boolean)
DEFINE_SEQUENCE_FUNCTIONS(byte, octet)
DEFINE_SEQUENCE_FUNCTIONS(float32, float)
DEFINE_SEQUENCE_FUNCTIONS(float64, double)
