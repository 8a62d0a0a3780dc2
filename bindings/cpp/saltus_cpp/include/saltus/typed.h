/*
 * The structs of generated messages with the functions of saltus/saltus.h, for programs in C.
 *
 * The first argument is a type support, such as ROSIDL_GET_MSG_TYPE_SUPPORT(std_msgs, msg, String). A function returns
 * SALTUS_INVALID_ARGUMENT if it is none of a message in C, or NULL. saltus_error_message() has the reason of a failure.
 */
#ifndef SALTUS__TYPED_H_
#define SALTUS__TYPED_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "saltus/message_support.h"
#include "saltus/saltus.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A cast that C++ compilers do not warn about. */
#ifdef __cplusplus
#define SALTUS_CAST(type, value) static_cast<type>(value)
#else
#define SALTUS_CAST(type, value) ((type)(value))
#endif

/** Sets the text of a failure. Returns its number. */
static inline saltus_status_t saltus_typed_failure(saltus_status_t status, const char * text)
{
  saltus_set_error_message(text);
  return status;
}

/** Returns how messages of a type support are written and read. If there is none, returns NULL and sets the text of the failure. */
static inline const saltus_message_support_t * saltus_message_support_of(const rosidl_message_type_support_t * handle)
{
  handle = handle == NULL || handle->func == NULL ? NULL : handle->func(handle, "rosidl_typesupport_c");
  if (handle == NULL) {
    saltus_set_error_message("expected the type support of a message in C");
    return NULL;
  }
  return SALTUS_CAST(const saltus_message_support_t *, handle->data);
}

/** Returns the type of a message for the options of an endpoint. Its name is NULL if the argument is not valid. */
static inline saltus_type_t saltus_type_of_message(const rosidl_message_type_support_t * handle)
{
  const saltus_message_support_t * support = saltus_message_support_of(handle);
  saltus_type_t type = {sizeof(saltus_type_t), NULL, {0}, NULL};
  if (support != NULL) {
    type.name = support->name;
    type.description = support->description;
    memcpy(type.hash, support->hash.value, sizeof(type.hash));
  }
  return type;
}

/** Returns the type of a service for the options of a service or a client. Its name is NULL if the argument is not valid. */
static inline saltus_type_t saltus_type_of_service(const rosidl_service_type_support_t * handle)
{
  const saltus_service_support_t * support;
  saltus_type_t type = {sizeof(saltus_type_t), NULL, {0}, NULL};
  handle = handle == NULL || handle->func == NULL ? NULL : handle->func(handle, "rosidl_typesupport_c");
  if (handle == NULL) {
    saltus_set_error_message("expected the type support of a service in C");
    return type;
  }
  support = SALTUS_CAST(const saltus_service_support_t *, handle->data);
  type.name = support->name;
  type.description = support->description;
  memcpy(type.hash, support->hash.value, sizeof(type.hash));
  return type;
}

/** Writes how many bytes a message takes. */
static inline saltus_status_t saltus_typed_size(
  const saltus_message_support_t * support, const void * message, size_t * size)
{
  const char * too_long = NULL;
  char text[160];
  if (message == NULL) {
    return saltus_typed_failure(SALTUS_INVALID_ARGUMENT, "expected a message, found NULL");
  }
  *size = support->size(message, &too_long);
  if (too_long != NULL) {
    snprintf(text, sizeof(text), "the field '%s' exceeds its bound", too_long);
    return saltus_typed_failure(SALTUS_INVALID_ARGUMENT, text);
  }
  return SALTUS_OK;
}

/**
 * Writes a message into new bytes: the 4 bytes of the encapsulation, then its fields in CDR. Free them with free().
 * Returns SALTUS_INVALID_ARGUMENT if a field exceeds its bound, and SALTUS_OUT_OF_MEMORY.
 */
static inline saltus_status_t saltus_typed_write(
  const rosidl_message_type_support_t * handle, const void * message, uint8_t ** bytes, size_t * size)
{
  const saltus_message_support_t * support = saltus_message_support_of(handle);
  saltus_status_t status;
  if (support == NULL) {
    return SALTUS_INVALID_ARGUMENT;
  }
  if (bytes == NULL || size == NULL) {
    return saltus_typed_failure(SALTUS_INVALID_ARGUMENT, "expected a place for the bytes and their number, found NULL");
  }
  status = saltus_typed_size(support, message, size);
  if (status != SALTUS_OK) {
    return status;
  }
  *bytes = SALTUS_CAST(uint8_t *, malloc(*size));
  if (*bytes == NULL) {
    return saltus_typed_failure(SALTUS_OUT_OF_MEMORY, "there is not enough memory for a message");
  }
  support->write(message, *bytes);
  return SALTUS_OK;
}

/**
 * Reads a message from its bytes, such as those of saltus_message_data(). `message` must be initialized; it stays so, even if
 * the function fails. Returns SALTUS_UNREADABLE if the bytes are not such a message.
 */
static inline saltus_status_t saltus_typed_read(
  const rosidl_message_type_support_t * handle, const uint8_t * bytes, size_t size, void * message)
{
  const saltus_message_support_t * support = saltus_message_support_of(handle);
  const char * fault;
  if (support == NULL) {
    return SALTUS_INVALID_ARGUMENT;
  }
  if (bytes == NULL || message == NULL) {
    return saltus_typed_failure(SALTUS_INVALID_ARGUMENT, "expected bytes and a message, found NULL");
  }
  fault = support->read(message, bytes, size);
  return fault == NULL ? SALTUS_OK : saltus_typed_failure(SALTUS_UNREADABLE, fault);
}

/** Publishes a message, which is written into shared memory. Returns SALTUS_INVALID_ARGUMENT if a field exceeds its bound. */
static inline saltus_status_t saltus_typed_publish(
  const rosidl_message_type_support_t * handle, const saltus_publisher_t * publisher, const void * message)
{
  const saltus_message_support_t * support = saltus_message_support_of(handle);
  saltus_loan_t * loan = NULL;
  saltus_status_t status;
  size_t size = 0;
  if (support == NULL) {
    return SALTUS_INVALID_ARGUMENT;
  }
  status = saltus_typed_size(support, message, &size);
  if (status != SALTUS_OK) {
    return status;
  }
  status = saltus_publisher_loan(publisher, size, &loan);
  if (status != SALTUS_OK) {
    return status;
  }
  support->write(message, saltus_loan_data(loan));
  return saltus_loan_publish(loan, size);
}

/** Sends a response, which is written into shared memory. It ends the responder in any case. */
static inline saltus_status_t saltus_typed_respond(
  const rosidl_message_type_support_t * handle, saltus_responder_t * responder, const void * response)
{
  const saltus_message_support_t * support = saltus_message_support_of(handle);
  saltus_status_t status = SALTUS_INVALID_ARGUMENT;
  size_t size = 0;
  if (support != NULL) {
    status = saltus_typed_size(support, response, &size);
  }
  if (status != SALTUS_OK) {
    saltus_responder_destroy(responder);
    return status;
  }
  return saltus_responder_send_with(responder, size, support->write, response);
}

/**
 * Calls a service without waiting, as saltus_client_call() does. The request is written into shared memory. `drop` is called even if
 * this function fails.
 */
static inline saltus_status_t saltus_typed_call(
  const rosidl_message_type_support_t * handle, const saltus_client_t * client, const void * request,
  saltus_response_function_t call, void * context, saltus_drop_function_t drop, uint64_t * number)
{
  const saltus_message_support_t * support = saltus_message_support_of(handle);
  saltus_status_t status = SALTUS_INVALID_ARGUMENT;
  size_t size = 0;
  if (support != NULL) {
    status = saltus_typed_size(support, request, &size);
  }
  if (status != SALTUS_OK) {
    if (drop != NULL) {
      drop(context);
    }
    return status;
  }
  return saltus_client_call_with(client, size, support->write, request, call, context, drop, number);
}

/**
 * Calls a service, and waits for the response, as saltus_client_call_and_wait() does. The request is written into shared memory. Read
 * the response with saltus_typed_read(), and destroy it with saltus_message_destroy().
 */
static inline saltus_status_t saltus_typed_call_and_wait(
  const rosidl_message_type_support_t * handle, const saltus_client_t * client, const void * request, int64_t timeout,
  saltus_message_t ** response)
{
  const saltus_message_support_t * support = saltus_message_support_of(handle);
  saltus_status_t status;
  size_t size = 0;
  if (support == NULL) {
    return SALTUS_INVALID_ARGUMENT;
  }
  status = saltus_typed_size(support, request, &size);
  if (status != SALTUS_OK) {
    return status;
  }
  return saltus_client_call_and_wait_with(client, size, support->write, request, timeout, response);
}

#ifdef __cplusplus
}
#endif

#endif  // SALTUS__TYPED_H_
