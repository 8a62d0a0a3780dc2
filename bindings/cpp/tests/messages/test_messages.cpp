// Each message that Saltus has is read and written in C++ and in C. The bytes are those of another implementation.
#include <dlfcn.h>

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "saltus/message_support.hpp"
#include "saltus/typed.h"

/// Uses messages as a program in C does. Returns the first line that is wrong, or NULL.
extern "C" const char * use_messages(void);

namespace
{

using Bytes = std::vector<uint8_t>;
using saltus::MessageSupport;

struct Vector
{
  std::string type;
  Bytes little;
  Bytes big;
};

Bytes from_hex(const std::string & text)
{
  Bytes bytes;
  for (size_t at = 0; at + 1 < text.size(); at += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoul(text.substr(at, 2), nullptr, 16)));
  }
  return bytes;
}

std::vector<Vector> vectors()
{
  std::ifstream file(SALTUS_VECTORS);
  std::vector<Vector> all;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string type, little, big;
    if (line[0] != '#' && words >> type >> little >> big) {
      all.push_back({type, from_hex(little), from_hex(big)});
    }
  }
  return all;
}

/// Returns the name of a type in C, such as std_msgs__msg__String.
std::string c_name(const std::string & type)
{
  std::string name;
  for (char letter : type) {
    name += letter == '/' ? "__" : std::string(1, letter);
  }
  return name;
}

/// Finds a function of the library of a package.
template<typename F>
F * function(const std::string & type, const std::string & name)
{
  const std::string library = "lib" + type.substr(0, type.find('/')) + "__rosidl_typesupport_cpp.so";
  void * handle = dlopen(library.c_str(), RTLD_LAZY);
  return handle == nullptr ? nullptr : reinterpret_cast<F *>(dlsym(handle, name.c_str()));
}

/// Returns how messages of a type are written and read in a language, "c" or "cpp".
const MessageSupport * support(const std::string & type, const std::string & language)
{
  const std::string name = "rosidl_typesupport_" + language + "__get_message_type_support_handle__" + c_name(type);
  auto * get = function<const rosidl_message_type_support_t *()>(type, name);
  if (get == nullptr) {
    return nullptr;
  }
  const rosidl_message_type_support_t * handle = get();
  EXPECT_EQ("rosidl_typesupport_" + language, handle->typesupport_identifier);
  EXPECT_EQ(handle, handle->func(handle, handle->typesupport_identifier));
  return static_cast<const MessageSupport *>(handle->data);
}

Bytes written(const MessageSupport & support, const void * message)
{
  const char * too_long = nullptr;
  Bytes bytes(support.size(message, &too_long));
  EXPECT_EQ(nullptr, too_long);
  support.write(message, bytes.data());
  return bytes;
}

class Messages : public testing::TestWithParam<const char *> {};

TEST_P(Messages, are_read_in_both_byte_orders_and_written_again)
{
  size_t count = 0;
  for (const Vector & vector : vectors()) {
    SCOPED_TRACE(vector.type);
    const MessageSupport * own = support(vector.type, GetParam());
    ASSERT_NE(nullptr, own);
    void * message = own->create();
    for (const Bytes & bytes : {vector.little, vector.big}) {
      ASSERT_EQ(nullptr, own->read(message, bytes.data(), bytes.size()));
      ASSERT_EQ(vector.little, written(*own, message));
    }
    own->destroy(message);
    ++count;
  }
  EXPECT_GT(count, 4000u);
}

/// Takes the first message of each type.
TEST_P(Messages, that_end_too_early_or_have_other_bytes_are_read_without_a_fault_of_memory)
{
  std::string last;
  for (const Vector & vector : vectors()) {
    if (std::exchange(last, vector.type) == vector.type) {
      continue;
    }
    SCOPED_TRACE(vector.type);
    const MessageSupport * own = support(vector.type, GetParam());
    ASSERT_NE(nullptr, own);
    void * message = own->create();
    for (size_t size = 0; size < vector.little.size(); ++size) {
      const Bytes part(vector.little.begin(), vector.little.begin() + static_cast<ptrdiff_t>(size));
      ASSERT_NE(nullptr, own->read(message, part.data(), size));
    }
    for (size_t at = 0; at < vector.little.size(); at += 3) {
      Bytes other = vector.little;
      other[at] = 0xff;
      // Either is right. The sanitizers look at what it does.
      (void)own->read(message, other.data(), other.size());
    }
    own->destroy(message);
  }
}

INSTANTIATE_TEST_SUITE_P(Languages, Messages, testing::Values("c", "cpp"));

TEST(MessagesInC, are_copied_and_compared)
{
  for (const Vector & vector : vectors()) {
    SCOPED_TRACE(vector.type);
    const MessageSupport * own = support(vector.type, "c");
    ASSERT_NE(nullptr, own);
    void * message = own->create();
    void * copied = own->create();
    ASSERT_EQ(nullptr, own->read(message, vector.little.data(), vector.little.size()));
    const std::string name = c_name(vector.type);
    ASSERT_TRUE(function<bool(const void *, void *)>(vector.type, name + "__copy")(message, copied));
    ASSERT_EQ(vector.little, written(*own, copied));
    auto * are_equal = function<bool(const void *, const void *)>(vector.type, name + "__are_equal");
    // A number that is not a number is not equal to itself.
    ASSERT_EQ(are_equal(message, message), are_equal(message, copied));
    own->destroy(message);
    own->destroy(copied);
  }
}

TEST(MessagesInC, are_used_by_a_program_in_c)
{
  const char * wrong = use_messages();
  EXPECT_EQ(nullptr, wrong) << wrong;
}

}  // namespace
