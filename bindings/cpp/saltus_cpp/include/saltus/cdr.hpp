// Serialization in CDR: what the generated functions `serialize` and `deserialize` write to and read from.
//
// Messages have the encapsulation 00 01 00 00: plain CDR, little-endian. Both byte orders are read.
// Source: OMG DDS-RTPS 10, and DDS-XTYPES 7.4.1 (XCDR version 1).
#ifndef SALTUS__CDR_HPP_
#define SALTUS__CDR_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace saltus::cdr
{

/// The number of bytes before the fields of a message.
inline constexpr size_t ENCAPSULATION = 4;

/// Whether the bytes of a type in memory are those of CDR. Such types have the constant `alignment`, in bytes.
template<typename T>
struct Plain : std::is_arithmetic<T>
{
  static constexpr size_t alignment = sizeof(T);
};

/// The fewest bytes that a message takes. Each type of generated code has its own.
template<typename T>
inline constexpr size_t least_size = 1;

/// Counts the bytes of a message, and checks the bounds of its texts, and of its sequences in C.
class Sizer
{
public:
  template<typename T>
  void number(T) {block_of(sizeof(T), sizeof(T));}
  void flag(bool) {at_ += 1;}
  void length(size_t) {block_of(4, 4);}
  void text(const std::string & text)
  {
    length(text.size());
    at_ += text.size() + 1;
  }
  void text(const std::string & text, size_t bound, const char * field)
  {
    limit(text.size(), bound, field);
    this->text(text);
  }
  void wide_text(const std::u16string & text)
  {
    length(text.size());
    at_ += 2 * text.size();
  }
  void wide_text(const std::u16string & text, size_t bound, const char * field)
  {
    limit(text.size(), bound, field);
    wide_text(text);
  }
  /// Notes that a field exceeds its bound.
  void limit(size_t size, size_t bound, const char * field)
  {
    if (size > bound) {
      too_long_ = field;
    }
  }
  template<typename T>
  void block(const T *, size_t count)
  {
    if (count != 0) {
      block_of(Plain<T>::alignment, count * sizeof(T));
    }
  }

  /// Returns how many bytes were counted.
  size_t size() const {return at_;}
  /// Returns the name of a field that exceeds its bound, or NULL.
  const char * too_long() const {return too_long_;}

private:
  void block_of(size_t alignment, size_t size) {at_ = ((at_ + alignment - 1) & ~(alignment - 1)) + size;}

  size_t at_ = 0;
  const char * too_long_ = nullptr;
};

/// Writes a message into memory that has as many bytes as a Sizer has counted.
class Writer
{
public:
  explicit Writer(uint8_t * bytes)
  : bytes_(bytes) {}

  template<typename T>
  void number(T value)
  {
    align(sizeof(T));
    std::memcpy(bytes_ + at_, &value, sizeof(T));
    at_ += sizeof(T);
  }
  void flag(bool value) {bytes_[at_++] = value ? 1 : 0;}
  void length(size_t count) {number(static_cast<uint32_t>(count));}
  void text(const std::string & text)
  {
    length(text.size() + 1);
    copy(text.c_str(), text.size() + 1);
  }
  void text(const std::string & text, size_t, const char *) {this->text(text);}
  void wide_text(const std::u16string & text)
  {
    length(text.size());
    copy(text.data(), 2 * text.size());
  }
  void wide_text(const std::u16string & text, size_t, const char *) {wide_text(text);}
  void limit(size_t, size_t, const char *) {}
  template<typename T>
  void block(const T * values, size_t count)
  {
    if (count != 0) {
      align(Plain<T>::alignment);
      copy(values, count * sizeof(T));
    }
  }

private:
  /// Fills the bytes before an aligned place with zero, so that no bytes of another message are sent.
  void align(size_t alignment)
  {
    while (at_ % alignment != 0) {
      bytes_[at_++] = 0;
    }
  }
  void copy(const void * from, size_t size)
  {
    if (size != 0) {
      std::memcpy(bytes_ + at_, from, size);
      at_ += size;
    }
  }

  uint8_t * bytes_;
  size_t at_ = 0;
};

/// Reads a message. It reads nothing outside its bytes. After the first fault it reads only zeros.
template<bool SwapsBytes>
class Reader
{
public:
  Reader(const uint8_t * bytes, size_t size)
  : bytes_(bytes), size_(size) {}

  template<typename T>
  void number(T & value)
  {
    const uint8_t * from = take(sizeof(T), sizeof(T));
    if (from == nullptr) {
      value = T{};
      return;
    }
    std::memcpy(&value, from, sizeof(T));
    swap(value);
  }
  bool flag()
  {
    uint8_t value = 0;
    number(value);
    if (value > 1) {
      fail("a bool is neither 0 nor 1");
    }
    return value == 1;
  }
  /// Reads the number of elements of a sequence, each of which has at least `least` bytes.
  size_t length(size_t least, size_t bound = SIZE_MAX)
  {
    uint32_t count = 0;
    number(count);
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
  void text(std::string & text, size_t bound = SIZE_MAX) {text = text_view(bound);}
  /// Reads a text in the bytes of the message.
  std::string_view text_view(size_t bound = SIZE_MAX)
  {
    const size_t size = length(1);
    const uint8_t * from = take(1, size);
    if (from == nullptr || size == 0) {
      // Some writers leave out the zero byte of an empty text.
      return {};
    }
    if (from[size - 1] != 0) {
      fail("a text does not end with a zero byte");
    } else if (size - 1 > bound) {
      fail("a text exceeds its bound");
    }
    return {reinterpret_cast<const char *>(from), size - 1};
  }
  void wide_text(std::u16string & text, size_t bound = SIZE_MAX)
  {
    const size_t count = length(2, bound);
    const uint8_t * from = take(1, 2 * count);
    text.resize(count);
    if (from != nullptr && count != 0) {
      std::memcpy(text.data(), from, 2 * count);
      for (char16_t & letter : text) {
        swap(letter);
      }
    }
  }
  /// Reads a fixed number of plain elements.
  template<typename T>
  void block(T * values, size_t count)
  {
    if constexpr (SwapsBytes) {
      for (size_t index = 0; index < count; ++index) {
        element(values[index]);
      }
    } else if (const uint8_t * from = take(Plain<T>::alignment, count * sizeof(T))) {
      std::memcpy(static_cast<void *>(values), from, count * sizeof(T));
    }
  }
  /// Reads a sequence of plain elements.
  template<typename Vector>
  void blocks(Vector & values, size_t bound = SIZE_MAX)
  {
    using T = typename Vector::value_type;
    const size_t count = length(sizeof(T), bound);
    if constexpr (std::is_arithmetic_v<T> && !SwapsBytes) {
      // The elements may not be aligned in memory, but x86-64 and AArch64 read them all the same.
      const uint8_t * from = count == 0 ? nullptr : take(Plain<T>::alignment, count * sizeof(T));
      values.clear();
      if (from != nullptr) {
        values.resize(count);
        std::memcpy(values.data(), from, count * sizeof(T));
      }
    } else {
      values.clear();
      values.resize(count);
      if (count != 0) {
        block(values.data(), count);
      }
    }
  }

  /// Whether everything could be read so far.
  bool is_ok() const {return fault_ == nullptr;}
  /// Returns why the message can't be read, or NULL.
  const char * fault() const {return fault_;}
  /// Notes that the message can't be read.
  void fail(const char * fault)
  {
    if (fault_ == nullptr) {
      fault_ = fault;
    }
    at_ = size_;
  }

private:
  template<typename T>
  void element(T & value)
  {
    if constexpr (std::is_arithmetic_v<T>) {
      number(value);
    } else {
      deserialize(*this, value);
    }
  }
  /// Returns the next `size` bytes at an aligned place, or NULL if there are not so many.
  const uint8_t * take(size_t alignment, size_t size)
  {
    const size_t begin = (at_ + alignment - 1) & ~(alignment - 1);
    if (begin > size_ || size > size_ - begin) {
      fail("the message is too short");
      return nullptr;
    }
    at_ = begin + size;
    return bytes_ + begin;
  }
  template<typename T>
  static void swap(T & value)
  {
    if constexpr (SwapsBytes && sizeof(T) > 1) {
      uint8_t bytes[sizeof(T)];
      std::memcpy(bytes, &value, sizeof(T));
      for (size_t index = 0; index < sizeof(T) / 2; ++index) {
        const uint8_t byte = bytes[index];
        bytes[index] = bytes[sizeof(T) - 1 - index];
        bytes[sizeof(T) - 1 - index] = byte;
      }
      std::memcpy(&value, bytes, sizeof(T));
    }
  }

  const uint8_t * bytes_;
  size_t size_;
  size_t at_ = 0;
  const char * fault_ = nullptr;
};

}  // namespace saltus::cdr

#endif  // SALTUS__CDR_HPP_
