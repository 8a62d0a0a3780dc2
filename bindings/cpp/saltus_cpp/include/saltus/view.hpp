// Messages in shared memory: views read them, and builders write them, without a copy.
//
// Code that is generated for each message, in `<package>/msg/<name>__view.hpp`, has its `saltus::View` and its `saltus::Builder`.
#ifndef SALTUS__VIEW_HPP_
#define SALTUS__VIEW_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "saltus/cdr.hpp"

namespace saltus::cdr
{

/// The base of what the functions `serialize` of generated code write to, from which the compiler finds them.
struct Sink {};

}  // namespace saltus::cdr

namespace saltus
{

/// The fields of a message in place. Numbers are values, texts are std::string_view, arrays and sequences refer to the bytes of the
/// message. It is valid as long as the message.
template<typename MessageT>
struct View;

/// Writes the fields of a message in place, in their order: each function writes one field, and returns what writes the next one.
template<typename MessageT>
class Builder;

namespace in_place
{

class Reader;

/// Numbers, or messages that consist of numbers, one after the other.
template<typename T>
class Block
{
public:
  Block() = default;
  Block(const uint8_t * bytes, size_t count)
  : bytes_(bytes), count_(count) {}

  size_t size() const {return count_;}
  bool empty() const {return count_ == 0;}
  T operator[](size_t index) const
  {
    T value;
    std::memcpy(static_cast<void *>(&value), bytes_ + index * sizeof(T), sizeof(T));
    return value;
  }
  /// Returns the numbers in place. They are aligned.
  const T * data() const
  {
    static_assert(std::is_arithmetic_v<T>, "only numbers have their type in shared memory: use the operator []");
    return reinterpret_cast<const T *>(bytes_);
  }

  class Iterator
  {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T *;
    using reference = T;

    Iterator(const Block & block, size_t index)
    : block_(block), index_(index) {}
    T operator*() const {return block_[index_];}
    Iterator & operator++()
    {
      ++index_;
      return *this;
    }
    bool operator==(const Iterator & other) const {return index_ == other.index_;}
    bool operator!=(const Iterator & other) const {return index_ != other.index_;}

private:
    Block block_;
    size_t index_;
  };
  Iterator begin() const {return Iterator(*this, 0);}
  Iterator end() const {return Iterator(*this, count_);}

private:
  const uint8_t * bytes_ = nullptr;
  size_t count_ = 0;
};

/// A text of 16-bit letters.
class WideText
{
public:
  WideText() = default;
  WideText(const uint8_t * bytes, size_t count)
  : letters_(bytes, count) {}

  size_t size() const {return letters_.size();}
  std::u16string str() const {return std::u16string(letters_.begin(), letters_.end());}

private:
  Block<char16_t> letters_;
};

/// Reads a message in place. It reads nothing outside its bytes. After the first fault it reads only zeros.
class Reader
{
public:
  /// Reads what follows the encapsulation.
  Reader(const uint8_t * body, size_t size)
  : body_(body), size_(size) {}

  const char * fault() const {return fault_;}

  template<typename T>
  std::enable_if_t<std::is_arithmetic_v<T>> value(T & value)
  {
    if (const uint8_t * from = take(sizeof(T), sizeof(T))) {
      if constexpr (std::is_same_v<T, bool>) {
        check_flag(*from);
        value = *from == 1;
      } else {
        std::memcpy(&value, from, sizeof(T));
      }
    }
  }
  void value(std::string_view & text, size_t bound = SIZE_MAX)
  {
    const size_t size = length(1);
    const uint8_t * from = take(1, size);
    if (from == nullptr || size == 0) {
      return;
    }
    if (from[size - 1] != 0) {
      fail("a text does not end with a zero byte");
    } else if (size - 1 > bound) {
      fail("a text exceeds its bound");
    } else {
      text = std::string_view(reinterpret_cast<const char *>(from), size - 1);
    }
  }
  void value(WideText & text, size_t bound = SIZE_MAX)
  {
    const size_t count = length(2, bound);
    if (const uint8_t * from = take(1, 2 * count)) {
      text = WideText(from, count);
    }
  }
  template<typename MessageT>
  void value(View<MessageT> & view) {read(*this, view);}

  /// Reads so many numbers.
  template<typename T>
  void block(Block<T> & block, size_t count)
  {
    if (count == 0) {
      return;
    }
    if (const uint8_t * from = take(cdr::Plain<T>::alignment, count * sizeof(T))) {
      block = Block<T>(from, count);
    }
  }
  template<typename T>
  void blocks(Block<T> & block, size_t bound = SIZE_MAX) {this->block(block, length(sizeof(T), bound));}

  /// Reads so many elements, which have no fixed size.
  template<typename SequenceT>
  void elements(SequenceT & sequence, size_t count)
  {
    sequence = SequenceT(*this, count);
    for (size_t index = 0; index < count && fault_ == nullptr; ++index) {
      typename SequenceT::value_type skipped{};
      value(skipped);
    }
    if (fault_ != nullptr) {
      sequence = SequenceT();
    }
  }
  template<typename SequenceT>
  void sequence(SequenceT & sequence, size_t least, size_t bound = SIZE_MAX) {elements(sequence, length(least, bound));}

private:
  /// Reads the number of elements, each of which has at least `least` bytes.
  size_t length(size_t least, size_t bound = SIZE_MAX)
  {
    uint32_t count = 0;
    value(count);
    if (count > bound) {
      fail("a sequence exceeds its bound");
      return 0;
    }
    if (count > (size_ - at_) / least) {
      fail("a sequence is longer than the message");
      return 0;
    }
    return count;
  }
  const uint8_t * take(size_t alignment, size_t size)
  {
    const size_t begin = (at_ + alignment - 1) & ~(alignment - 1);
    if (begin > size_ || size > size_ - begin) {
      fail("the message is too short");
      return nullptr;
    }
    at_ = begin + size;
    return body_ + begin;
  }
  void check_flag(uint8_t byte)
  {
    if (byte > 1) {
      fail("a bool is neither 0 nor 1");
    }
  }
  void fail(const char * fault)
  {
    if (fault_ == nullptr) {
      fault_ = fault;
    }
    at_ = size_;
  }

  const uint8_t * body_;
  size_t size_;
  size_t at_ = 0;
  const char * fault_ = nullptr;
};

/// Elements that have no fixed size. They are read one after the other.
template<typename T>
class Sequence
{
public:
  using value_type = T;

  Sequence() = default;
  /// The elements begin where the reader is.
  Sequence(const Reader & reader, size_t count)
  : reader_(reader), count_(count) {}

  size_t size() const {return count_;}
  bool empty() const {return count_ == 0;}

  class Iterator
  {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T *;
    using reference = const T &;

    Iterator(const Reader & reader, size_t left)
    : reader_(reader), left_(left) {read_next();}
    const T & operator*() const {return value_;}
    const T * operator->() const {return &value_;}
    Iterator & operator++()
    {
      --left_;
      read_next();
      return *this;
    }
    bool operator==(const Iterator & other) const {return left_ == other.left_;}
    bool operator!=(const Iterator & other) const {return left_ != other.left_;}

private:
    void read_next()
    {
      value_ = T{};
      if (left_ > 0) {
        reader_.value(value_);
      }
    }

    Reader reader_;
    size_t left_;
    T value_{};
  };
  Iterator begin() const {return Iterator(reader_, count_);}
  Iterator end() const {return Iterator(reader_, 0);}

private:
  Reader reader_{nullptr, 0};
  size_t count_ = 0;
};

/// Writes a message into memory that can grow. After a fault it writes nothing.
class Writer : public cdr::Sink
{
public:
  /// Memory for a message, the encapsulation included.
  struct Memory
  {
    uint8_t * bytes;
    size_t size;
  };
  /// Makes the memory larger. The first `used` bytes stay. Returns NULL and 0 if that is not possible.
  using Grow = Memory (*)(void * context, size_t used, size_t size);

  Writer(Memory memory, Grow grow, void * context)
  : memory_(memory), grow_(grow), context_(context)
  {
    const uint8_t encapsulation[cdr::ENCAPSULATION] = {0, 1, 0, 0};
    if (reserve(1, 0) != nullptr) {
      std::memcpy(memory_.bytes, encapsulation, sizeof encapsulation);
    }
  }

  /// Returns the size of what was written, the encapsulation included.
  size_t size() const {return cdr::ENCAPSULATION + at_;}
  /// Whether the last field was written.
  bool is_complete() const {return is_complete_;}
  /// Returns why the message can't be written, or NULL.
  const char * fault() const {return fault_;}
  /// Notes that the last field was written.
  void finish() {is_complete_ = true;}

  // What the generated function `serialize` calls for the fields of a message.
  template<typename T>
  void number(T value) {put(&value, sizeof(T), sizeof(T));}
  void flag(bool value) {number(static_cast<uint8_t>(value ? 1 : 0));}
  void length(size_t count) {number(static_cast<uint32_t>(count));}
  void text(std::string_view text)
  {
    length(text.size() + 1);
    put(text.data(), text.size(), 1);
    number(uint8_t{0});
  }
  void text(std::string_view text, size_t bound, const char *)
  {
    check(text.size() <= bound, "a text exceeds its bound");
    this->text(text);
  }
  void wide_text(std::u16string_view text)
  {
    length(text.size());
    put(text.data(), 2 * text.size(), 1);
  }
  void wide_text(std::u16string_view text, size_t bound, const char *)
  {
    check(text.size() <= bound, "a text exceeds its bound");
    wide_text(text);
  }
  template<typename T>
  void block(const T * values, size_t count)
  {
    if (count != 0) {
      put(values, count * sizeof(T), cdr::Plain<T>::alignment);
    }
  }

  // What the generated builders call.
  template<typename T>
  void value(const T & value)
  {
    if constexpr (std::is_same_v<T, bool>) {
      flag(value);
    } else if constexpr (std::is_arithmetic_v<T>) {
      number(value);
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      text(value);
    } else if constexpr (std::is_same_v<T, std::u16string_view>) {
      wide_text(value);
    } else {
      serialize(*this, value);
    }
  }
  void value(std::string_view value, size_t bound, const char * field) {text(value, bound, field);}
  void value(std::u16string_view value, size_t bound, const char * field) {wide_text(value, bound, field);}
  /// Writes numbers that `fill` writes in place: it gets a pointer to the first one, and their count.
  template<typename T, typename Fill>
  void fill(size_t count, Fill && fill, size_t bound = SIZE_MAX)
  {
    check(count <= bound, "a sequence exceeds its bound");
    length(count);
    if (count != 0) {
      if (uint8_t * to = reserve(sizeof(T), count * sizeof(T))) {
        fill(reinterpret_cast<T *>(to), count);
      }
    }
  }
  template<typename T>
  void copy(const T * values, size_t count, size_t bound = SIZE_MAX)
  {
    check(count <= bound, "a sequence exceeds its bound");
    length(count);
    block(values, count);
  }
  /// Writes so many elements, each of which `make` returns for its index.
  template<typename T, typename Make, typename ... Limits>
  void elements(size_t count, Make && make, Limits ... limits)
  {
    for (size_t index = 0; index < count && fault_ == nullptr; ++index) {
      // In one expression, because `make` may return a text that a std::string_view refers to.
      element<T>(make(index), limits ...);
    }
  }
  template<typename T, typename Make, typename ... Limits>
  void sequence(size_t count, Make && make, size_t bound, Limits ... limits)
  {
    check(count <= bound, "a sequence exceeds its bound");
    length(count);
    elements<T>(count, make, limits ...);
  }

private:
  template<typename T, typename ... Limits>
  void element(const T & element, Limits ... limits) {value(element, limits ...);}
  void check(bool holds, const char * fault)
  {
    if (!holds && fault_ == nullptr) {
      fault_ = fault;
    }
  }
  void put(const void * from, size_t size, size_t alignment)
  {
    uint8_t * to = reserve(alignment, size);
    if (to != nullptr && size != 0) {
      std::memcpy(to, from, size);
    }
  }
  /// Returns the next `size` bytes at an aligned place, or NULL after a fault. The bytes before that place are zero.
  uint8_t * reserve(size_t alignment, size_t size)
  {
    const size_t begin = (at_ + alignment - 1) & ~(alignment - 1);
    const size_t end = cdr::ENCAPSULATION + begin + size;
    if (end > memory_.size && fault_ == nullptr) {
      memory_ = grow_(context_, this->size(), end + end / 2);
      check(memory_.size >= end, "there is not enough memory for the message");
    }
    if (fault_ != nullptr) {
      return nullptr;
    }
    uint8_t * body = memory_.bytes + cdr::ENCAPSULATION;
    std::memset(body + at_, 0, begin - at_);
    at_ = begin + size;
    return body + begin;
  }

  Memory memory_;
  Grow grow_;
  void * context_;
  size_t at_ = 0;
  bool is_complete_ = false;
  const char * fault_ = nullptr;
};

/// What the function for the last field returns.
class Built
{
public:
  explicit Built(Writer & writer) {writer.finish();}
};

}  // namespace in_place

/// The view of a message, or the reason why there is none.
template<typename MessageT>
class Viewed
{
public:
  explicit Viewed(const char * fault)
  : fault_(fault) {}
  explicit Viewed(const View<MessageT> & view)
  : view_(view) {}

  explicit operator bool() const {return fault_ == nullptr;}
  const View<MessageT> & operator*() const {return view_;}
  const View<MessageT> * operator->() const {return &view_;}
  /// Returns why the bytes are not a message of the type, or NULL.
  const char * fault() const {return fault_;}

private:
  View<MessageT> view_{};
  const char * fault_ = nullptr;
};

/// Returns the view of a serialized message. The bytes begin at an address that is 4 before a multiple of 8, as those of received
/// messages do; others, and messages in the other byte order, have no view.
template<typename MessageT>
Viewed<MessageT> view(const uint8_t * data, size_t size)
{
  if (size < cdr::ENCAPSULATION) {
    return Viewed<MessageT>("the message is too short");
  }
  if (data[0] != 0 || data[1] != 1) {
    return Viewed<MessageT>("the message is not in little-endian CDR");
  }
  if ((reinterpret_cast<uintptr_t>(data) + cdr::ENCAPSULATION) % 8 != 0) {
    return Viewed<MessageT>("the message is not aligned");
  }
  View<MessageT> view{};
  in_place::Reader reader(data + cdr::ENCAPSULATION, size - cdr::ENCAPSULATION);
  reader.value(view);
  return reader.fault() == nullptr ? Viewed<MessageT>(view) : Viewed<MessageT>(reader.fault());
}

}  // namespace saltus

#endif  // SALTUS__VIEW_HPP_
