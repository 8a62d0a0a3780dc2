// The byte order of the machine.
#ifndef RCPPUTILS_ENDIAN_HPP_
#define RCPPUTILS_ENDIAN_HPP_

namespace rcpputils
{

/// Byte orders, as std::endian of C++20.
enum class endian
{
  little = __ORDER_LITTLE_ENDIAN__,
  big = __ORDER_BIG_ENDIAN__,
  native = __BYTE_ORDER__
};

}  // namespace rcpputils

#endif
