// The memory of parameters.
#ifndef PARAMS_HPP_
#define PARAMS_HPP_

#include <cstring>
#include <new>
#include <string>

#include "rcl_yaml_param_parser/types.h"

namespace rcl_yaml_param_parser
{

/// Memory from an allocator.
class Memory
{
public:
  explicit Memory(const rcutils_allocator_t & allocator)
  : allocator_(allocator) {}

  /// Returns zeroed memory. \throws std::bad_alloc without memory
  template<typename T>
  T * make(size_t count = 1) const
  {
    void * memory = allocator_.zero_allocate(count == 0 ? 1 : count, sizeof(T), allocator_.state);
    if (memory == nullptr) {
      throw std::bad_alloc();
    }
    return static_cast<T *>(memory);
  }
  /// Moves `count` elements to memory for `capacity`, of which the rest is zeroed. \throws std::bad_alloc without memory
  template<typename T>
  void grow(T * & elements, size_t count, size_t capacity) const
  {
    T * grown = make<T>(capacity);
    if (count > 0) {
      std::memcpy(grown, elements, count * sizeof(T));
    }
    free(elements);
    elements = grown;
  }
  char * copy(const std::string & text) const
  {
    char * copied = make<char>(text.size() + 1);
    std::memcpy(copied, text.c_str(), text.size());
    return copied;
  }
  void free(void * memory) const {allocator_.deallocate(memory, allocator_.state);}

private:
  rcutils_allocator_t allocator_;
};

/// Frees what a value has, and makes it empty.
void clear(rcl_variant_t & value, const Memory & memory);
/// Copies a value to one that is empty. \throws std::bad_alloc without memory
void copy_value(const rcl_variant_t & from, rcl_variant_t & to, const Memory & memory);
/// Returns the value of a parameter, which is added if it is not there. \throws std::bad_alloc without memory
rcl_variant_t & value_at(rcl_params_t & params, const std::string & node, const std::string & parameter);

}  // namespace rcl_yaml_param_parser

#endif  // PARAMS_HPP_
