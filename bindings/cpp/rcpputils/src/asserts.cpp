#include "rcpputils/asserts.hpp"

#include <stdexcept>

namespace rcpputils
{

AssertionException::AssertionException(const char * msg)
: message_(msg)
{
}

AssertionException::~AssertionException() = default;

const char * AssertionException::what() const noexcept {return message_.c_str();}

IllegalStateException::IllegalStateException(const char * msg)
: message_(msg)
{
}

IllegalStateException::~IllegalStateException() = default;

const char * IllegalStateException::what() const noexcept {return message_.c_str();}

namespace detail
{

void throw_invalid_argument(const char * msg) {throw std::invalid_argument(msg);}

void throw_illegal_state(const char * msg) {throw IllegalStateException(msg);}

void throw_assertion(const char * msg) {throw AssertionException(msg);}

}  // namespace detail
}  // namespace rcpputils
