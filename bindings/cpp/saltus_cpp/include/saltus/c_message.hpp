// Messages in C: what the functions of the generated code do. Only its source files include this.
//
// All elements of a sequence up to its capacity are initialized, as in ROS 2.
#ifndef SALTUS__C_MESSAGE_HPP_
#define SALTUS__C_MESSAGE_HPP_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <type_traits>

#include "rosidl_runtime_c/string_functions.h"
#include "rosidl_runtime_c/u16string_functions.h"
#include "saltus/message_support.hpp"

namespace saltus::c
{

/// The fields of a message. Each type of generated code has its own:
/// - `each(f, messages...)` calls `f(bounds, fields...)` with each field of the messages;
/// - `set_defaults(message)` sets the fields that have a default. It returns false if there is no memory.
template<typename M>
struct Fields;

/// What a field may have.
struct Bounds
{
  const char * field;
  /// The most elements of its sequence.
  size_t elements;
  /// The most letters of its texts.
  size_t letters;
};

template<typename T>
inline constexpr bool is_text = std::is_same_v<T, rosidl_runtime_c__String>;
template<typename T>
inline constexpr bool is_wide_text = std::is_same_v<T, rosidl_runtime_c__U16String>;

template<typename T, typename = void>
struct IsMessage : std::false_type {};
template<typename T>
struct IsMessage<T, std::void_t<decltype(sizeof(Fields<T>))>>: std::true_type {};

/// Whether a type is a sequence: `data`, `size` and `capacity`.
template<typename T>
inline constexpr bool is_sequence =
  std::is_class_v<T> && !is_text<T> && !is_wide_text<T> && !IsMessage<T>::value;

template<typename S>
using Element = std::remove_pointer_t<decltype(S::data)>;

template<typename T>
void fini(T & value);

/// Initializes a value of zeros. Returns false if there is no memory; then fini() frees what was made.
template<typename T>
bool init(T & value)
{
  if constexpr (std::is_array_v<T>) {
    for (auto & element : value) {
      if (!init(element)) {
        return false;
      }
    }
  } else if constexpr (is_text<T>) {
    return rosidl_runtime_c__String__init(&value);
  } else if constexpr (is_wide_text<T>) {
    return rosidl_runtime_c__U16String__init(&value);
  } else if constexpr (IsMessage<T>::value) {
    bool is_ok = true;
    Fields<T>::each([&](const Bounds &, auto & field) {is_ok = is_ok && init(field);}, value);
    return is_ok && Fields<T>::set_defaults(value);
  }
  return true;
}

/// Frees what a value owns, and sets it to zeros.
template<typename T>
void fini(T & value)
{
  if constexpr (std::is_array_v<T>) {
    for (auto & element : value) {
      fini(element);
    }
  } else if constexpr (is_text<T>) {
    rosidl_runtime_c__String__fini(&value);
  } else if constexpr (is_wide_text<T>) {
    rosidl_runtime_c__U16String__fini(&value);
  } else if constexpr (is_sequence<T>) {
    if constexpr (!std::is_arithmetic_v<Element<T>>) {
      for (size_t index = 0; index < value.capacity; ++index) {
        fini(value.data[index]);
      }
    }
    std::free(value.data);
    value = {nullptr, 0, 0};
  } else if constexpr (IsMessage<T>::value) {
    Fields<T>::each([](const Bounds &, auto & field) {fini(field);}, value);
  }
}

/// Initializes the elements of a sequence from the index `first` on. On failure none of them is left.
template<typename E>
bool init_elements(E * elements, size_t first, size_t end)
{
  for (size_t index = first; index < end; ++index) {
    elements[index] = E{};
    if (!init(elements[index])) {
      for (size_t made = first; made <= index; ++made) {
        fini(elements[made]);
      }
      return false;
    }
  }
  return true;
}

/// Sets the number of elements. The first ones stay as they are, perhaps at another place. Returns false if there is no memory; then all
/// elements stay.
template<typename S>
bool resize(S & sequence, size_t size)
{
  using E = Element<S>;
  if (size > sequence.capacity) {
    void * data = size > SIZE_MAX / sizeof(E) ? nullptr : std::realloc(sequence.data, size * sizeof(E));
    if (data == nullptr) {
      return false;
    }
    sequence.data = static_cast<E *>(data);
    if (!init_elements(sequence.data, sequence.capacity, size)) {
      return false;
    }
    sequence.capacity = size;
  }
  sequence.size = size;
  return true;
}

inline bool assign(rosidl_runtime_c__String & text, std::string_view value)
{
  return rosidl_runtime_c__String__assignn(&text, value.empty() ? "" : value.data(), value.size());
}

inline bool assign(rosidl_runtime_c__U16String & text, std::u16string_view value)
{
  const char16_t * letters = value.empty() ? u"" : value.data();
  return rosidl_runtime_c__U16String__assignn_from_char(
    &text, reinterpret_cast<const char *>(letters), 2 * value.size());
}

template<typename T>
bool are_equal(const T & a, const T & b)
{
  if constexpr (std::is_arithmetic_v<T>) {
    return a == b;
  } else if constexpr (std::is_array_v<T>) {
    for (size_t index = 0; index < std::extent_v<T>; ++index) {
      if (!are_equal(a[index], b[index])) {
        return false;
      }
    }
    return true;
  } else if constexpr (is_text<T>) {
    return rosidl_runtime_c__String__are_equal(&a, &b);
  } else if constexpr (is_wide_text<T>) {
    return rosidl_runtime_c__U16String__are_equal(&a, &b);
  } else if constexpr (is_sequence<T>) {
    bool is_equal = a.size == b.size;
    for (size_t index = 0; is_equal && index < a.size; ++index) {
      is_equal = are_equal(a.data[index], b.data[index]);
    }
    return is_equal;
  } else {
    bool is_equal = true;
    Fields<T>::each(
      [&](const Bounds &, const auto & one, const auto & other) {is_equal = is_equal && are_equal(one, other);}, a, b);
    return is_equal;
  }
}

/// Copies a value into one that is initialized. Returns false if there is no memory.
template<typename T>
bool copy(const T & from, T & to)
{
  if constexpr (std::is_arithmetic_v<T>) {
    to = from;
  } else if constexpr (std::is_array_v<T>) {
    for (size_t index = 0; index < std::extent_v<T>; ++index) {
      if (!copy(from[index], to[index])) {
        return false;
      }
    }
  } else if constexpr (is_text<T>) {
    return rosidl_runtime_c__String__copy(&from, &to);
  } else if constexpr (is_wide_text<T>) {
    return rosidl_runtime_c__U16String__copy(&from, &to);
  } else if constexpr (is_sequence<T>) {
    bool is_ok = resize(to, from.size);
    for (size_t index = 0; is_ok && index < from.size; ++index) {
      is_ok = copy(from.data[index], to.data[index]);
    }
    return is_ok;
  } else {
    bool is_ok = true;
    Fields<T>::each([&](const Bounds &, const auto & one, auto & other) {is_ok = is_ok && copy(one, other);}, from, to);
    return is_ok;
  }
  return true;
}

/// Whether several elements in memory are the bytes of CDR.
template<typename T>
inline constexpr bool is_block = cdr::Plain<T>::value && !std::is_same_v<T, bool>;

template<typename Sink, typename T>
void put(Sink & sink, const Bounds & bounds, const T & value)
{
  if constexpr (std::is_same_v<T, bool>) {
    sink.flag(value);
  } else if constexpr (std::is_arithmetic_v<T>) {
    sink.number(value);
  } else if constexpr (std::is_array_v<T>) {
    if constexpr (is_block<std::remove_extent_t<T>>) {
      sink.block(value, std::extent_v<T>);
    } else {
      for (const auto & element : value) {
        put(sink, bounds, element);
      }
    }
  } else if constexpr (is_text<T>) {
    sink.limit(value.size, bounds.letters, bounds.field);
    sink.length(value.size + 1);
    sink.block(value.data, value.size);
    sink.number(uint8_t{0});
  } else if constexpr (is_wide_text<T>) {
    sink.limit(value.size, bounds.letters, bounds.field);
    sink.length(value.size);
    sink.block(value.data, value.size);
  } else if constexpr (is_sequence<T>) {
    sink.limit(value.size, bounds.elements, bounds.field);
    sink.length(value.size);
    if constexpr (is_block<Element<T>>) {
      sink.block(value.data, value.size);
    } else {
      for (size_t index = 0; index < value.size; ++index) {
        put(sink, bounds, value.data[index]);
      }
    }
  } else {
    Fields<T>::each([&](const Bounds & own, const auto & field) {put(sink, own, field);}, value);
  }
}

/// The fewest bytes that an element takes.
template<typename T>
constexpr size_t least()
{
  if constexpr (std::is_arithmetic_v<T>) {
    return sizeof(T);
  } else {
    return is_text<T> || is_wide_text<T> ? 4 : cdr::least_size<T>;
  }
}

template<typename Source>
void check(Source & source, bool has_memory)
{
  if (!has_memory) {
    source.fail("there is not enough memory");
  }
}

template<typename Source, typename T>
void get(Source & source, const Bounds & bounds, T & value)
{
  const auto get_all = [&](auto * elements, size_t count) {
      if constexpr (is_block<std::remove_pointer_t<decltype(elements)>>) {
        if (count != 0) {
          source.block(elements, count);
        }
      } else {
        for (size_t index = 0; index < count && source.is_ok(); ++index) {
          get(source, bounds, elements[index]);
        }
      }
    };
  if constexpr (std::is_same_v<T, bool>) {
    value = source.flag();
  } else if constexpr (std::is_arithmetic_v<T>) {
    source.number(value);
  } else if constexpr (std::is_array_v<T>) {
    get_all(&value[0], std::extent_v<T>);
  } else if constexpr (is_text<T>) {
    const std::string_view text = source.text_view(bounds.letters);
    check(source, assign(value, text));
  } else if constexpr (is_wide_text<T>) {
    const size_t count = source.length(2, bounds.letters);
    const bool has_memory = rosidl_runtime_c__U16String__resize(&value, count);
    check(source, has_memory);
    get_all(value.data, has_memory ? count : 0);
  } else if constexpr (is_sequence<T>) {
    const size_t count = source.length(least<Element<T>>(), bounds.elements);
    const bool has_memory = resize(value, count);
    check(source, has_memory);
    get_all(value.data, has_memory ? count : 0);
  } else {
    Fields<T>::each([&](const Bounds & own, auto & field) {get(source, own, field);}, value);
  }
}

template<typename M>
bool init_message(M * message)
{
  if (message == nullptr) {
    return false;
  }
  *message = M{};
  if (!init(*message)) {
    fini(*message);
    return false;
  }
  return true;
}

template<typename S>
bool init_sequence(S * sequence, size_t size)
{
  if (sequence == nullptr) {
    return false;
  }
  *sequence = {nullptr, 0, 0};
  if (!resize(*sequence, size)) {
    fini(*sequence);
    return false;
  }
  return true;
}

template<typename T>
void fini_at(T * value)
{
  if (value != nullptr) {
    fini(*value);
  }
}

template<typename T>
void destroy(T * value)
{
  fini_at(value);
  std::free(value);
}

template<typename M>
M * create_message()
{
  auto * message = static_cast<M *>(std::malloc(sizeof(M)));
  if (!init_message(message)) {
    std::free(message);
    return nullptr;
  }
  return message;
}

template<typename S>
S * create_sequence(size_t size)
{
  auto * sequence = static_cast<S *>(std::malloc(sizeof(S)));
  if (!init_sequence(sequence, size)) {
    std::free(sequence);
    return nullptr;
  }
  return sequence;
}

/// Returns the type support of a message in C.
template<typename M>
constexpr MessageSupport message_support(const char * name, rosidl_type_hash_t hash, const char * description)
{
  MessageSupport support = saltus::message_support<M>(name, hash, description);
  support.create = []() -> void * {return create_message<M>();};
  support.destroy = [](void * message) {destroy(static_cast<M *>(message));};
  return support;
}

/// Returns the handle of the type support of a message in C.
constexpr rosidl_message_type_support_t message_handle(const MessageSupport * support)
{
  rosidl_message_type_support_t handle = saltus::message_handle(support);
  handle.typesupport_identifier = TYPE_SUPPORT_C;
  return handle;
}

/// Returns the handle of the type support of a service in C.
constexpr rosidl_service_type_support_t service_handle(const ServiceSupport * support)
{
  rosidl_service_type_support_t handle = saltus::service_handle(support);
  handle.typesupport_identifier = TYPE_SUPPORT_C;
  return handle;
}

}  // namespace saltus::c

namespace saltus::cdr
{

template<class Sink, class M, std::enable_if_t<c::IsMessage<M>::value, int> = 0>
void serialize(Sink & sink, const M & message)
{
  c::put(sink, c::Bounds{}, message);
}

template<class Source, class M, std::enable_if_t<c::IsMessage<M>::value, int> = 0>
void deserialize(Source & source, M & message)
{
  c::get(source, c::Bounds{}, message);
}

}  // namespace saltus::cdr

/// Defines the functions of a message in C. The header of the generated code declares and describes them.
#define SALTUS_C_MESSAGE_FUNCTIONS(M) \
  extern "C" \
  { \
  bool M ## __init(M * msg) {return saltus::c::init_message(msg);} \
  void M ## __fini(M * msg) {saltus::c::fini_at(msg);} \
  M * M ## __create(void) {return saltus::c::create_message<M>();} \
  void M ## __destroy(M * msg) {saltus::c::destroy(msg);} \
  bool M ## __are_equal(const M * lhs, const M * rhs) {return lhs && rhs && saltus::c::are_equal(*lhs, *rhs);} \
  bool M ## __copy(const M * input, M * output) {return input && output && saltus::c::copy(*input, *output);} \
  bool M ## __Sequence__init(M ## __Sequence * array, size_t size) {return saltus::c::init_sequence(array, size);} \
  void M ## __Sequence__fini(M ## __Sequence * array) {saltus::c::fini_at(array);} \
  M ## __Sequence * M ## __Sequence__create(size_t size) {return saltus::c::create_sequence<M ## __Sequence>(size);} \
  void M ## __Sequence__destroy(M ## __Sequence * array) {saltus::c::destroy(array);} \
  bool M ## __Sequence__are_equal(const M ## __Sequence * lhs, const M ## __Sequence * rhs) \
  {return lhs && rhs && saltus::c::are_equal(*lhs, *rhs);} \
  bool M ## __Sequence__copy(const M ## __Sequence * input, M ## __Sequence * output) \
  {return input && output && saltus::c::copy(*input, *output);} \
  }

#endif  // SALTUS__C_MESSAGE_HPP_
