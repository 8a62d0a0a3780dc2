// The type supports of generated code: how messages of a type are made, written and read.
#ifndef SALTUS__MESSAGE_SUPPORT_HPP_
#define SALTUS__MESSAGE_SUPPORT_HPP_

#include <cstddef>
#include <cstdint>

#include "rosidl_runtime_c/action_type_support_struct.h"
#include "saltus/cdr.hpp"
#include "saltus/message_support.h"

namespace saltus
{

/// The kind of the type supports whose data is one of the structs below.
inline constexpr const char * TYPE_SUPPORT = "rosidl_typesupport_cpp";

/// The same for messages in C.
inline constexpr const char * TYPE_SUPPORT_C = "rosidl_typesupport_c";

/// How messages of a type are made, written and read.
using MessageSupport = saltus_message_support_t;

/// What a service consists of.
using ServiceSupport = saltus_service_support_t;

/// What identifies an action.
struct ActionSupport
{
  size_t struct_size;
  /// The name of the type, such as "example_interfaces/action/Fibonacci".
  const char * name;
  rosidl_type_hash_t hash;
  /// The description of the type as JSON (REP 2016).
  const char * description;
};

namespace detail
{

template<typename M>
size_t size(const void * message, const char ** too_long)
{
  cdr::Sizer sizer;
  serialize(sizer, *static_cast<const M *>(message));
  *too_long = sizer.too_long();
  return cdr::ENCAPSULATION + sizer.size();
}

template<typename M>
void write(const void * message, uint8_t * bytes)
{
  bytes[0] = 0;
  bytes[1] = 1;
  bytes[2] = 0;
  bytes[3] = 0;
  cdr::Writer writer(bytes + cdr::ENCAPSULATION);
  serialize(writer, *static_cast<const M *>(message));
}

template<typename M, bool SwapsBytes>
const char * read_body(M & message, const uint8_t * bytes, size_t size)
{
  cdr::Reader<SwapsBytes> reader(bytes, size);
  deserialize(reader, message);
  return reader.fault();
}

template<typename M>
const char * read(void * message, const uint8_t * bytes, size_t size)
{
  if (size < cdr::ENCAPSULATION) {
    return "the message is too short";
  }
  M & read = *static_cast<M *>(message);
  const uint8_t * body = bytes + cdr::ENCAPSULATION;
  const size_t body_size = size - cdr::ENCAPSULATION;
  if (bytes[0] != 0 || bytes[1] > 1) {
    return "the encapsulation is not plain CDR";
  }
  return bytes[1] == 1 ? read_body<M, false>(read, body, body_size) : read_body<M, true>(read, body, body_size);
}

template<typename M>
void * create() {return new M();}

template<typename M>
void destroy(void * message) {delete static_cast<M *>(message);}

}  // namespace detail

/// Returns the type support of a message.
template<typename M>
constexpr MessageSupport message_support(const char * name, rosidl_type_hash_t hash, const char * description)
{
  return {
    sizeof(MessageSupport), name, hash, description, &detail::size<M>, &detail::write<M>, &detail::read<M>,
    &detail::create<M>, &detail::destroy<M>};
}

/// Returns the type support of a service.
template<typename S>
constexpr ServiceSupport service_support(
  const char * name, rosidl_type_hash_t hash, const char * description,
  const rosidl_message_type_support_t * request, const rosidl_message_type_support_t * response,
  const rosidl_message_type_support_t * event)
{
  return {sizeof(ServiceSupport), name, hash, description, request, response, event};
}

/// Returns the type support of an action.
constexpr ActionSupport action_support(const char * name, rosidl_type_hash_t hash, const char * description)
{
  return {sizeof(ActionSupport), name, hash, description};
}

extern "C"
{
const rosidl_message_type_support_t * saltus_message_typesupport_of(
  const rosidl_message_type_support_t * handle, const char * identifier);
const rosidl_type_hash_t * saltus_message_type_hash(const rosidl_message_type_support_t * handle);
const rosidl_runtime_c__type_description__TypeDescription *
saltus_message_type_description(const rosidl_message_type_support_t * handle);
const rosidl_runtime_c__type_description__TypeSource__Sequence *
saltus_message_type_sources(const rosidl_message_type_support_t * handle);
const rosidl_service_type_support_t * saltus_service_typesupport_of(
  const rosidl_service_type_support_t * handle, const char * identifier);
const rosidl_type_hash_t * saltus_service_type_hash(const rosidl_service_type_support_t * handle);
const rosidl_runtime_c__type_description__TypeDescription *
saltus_service_type_description(const rosidl_service_type_support_t * handle);
const rosidl_runtime_c__type_description__TypeSource__Sequence *
saltus_service_type_sources(const rosidl_service_type_support_t * handle);
}

/// Returns the handle of the type support of a message.
constexpr rosidl_message_type_support_t message_handle(const MessageSupport * support)
{
  return {
    TYPE_SUPPORT, support, &saltus_message_typesupport_of, &saltus_message_type_hash,
    &saltus_message_type_description, &saltus_message_type_sources};
}

/// Returns the handle of the type support of a service.
constexpr rosidl_service_type_support_t service_handle(const ServiceSupport * support)
{
  return {
    TYPE_SUPPORT, support, &saltus_service_typesupport_of, support->request, support->response, support->event,
    nullptr, nullptr, &saltus_service_type_hash, &saltus_service_type_description, &saltus_service_type_sources};
}

/// Returns the handle of the type support of an action. Its functions for the hash and the description are NULL.
inline rosidl_action_type_support_t action_handle(
  const ActionSupport *, const rosidl_service_type_support_t * goal, const rosidl_service_type_support_t * result,
  const rosidl_service_type_support_t * cancel, const rosidl_message_type_support_t * feedback,
  const rosidl_message_type_support_t * status)
{
  return {goal, result, cancel, feedback, status, nullptr, nullptr, nullptr};
}

}  // namespace saltus

#endif  // SALTUS__MESSAGE_SUPPORT_HPP_
