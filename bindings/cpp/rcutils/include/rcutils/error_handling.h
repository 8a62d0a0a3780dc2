/** The error state of a thread: the text and the place of the last failure. */
#ifndef RCUTILS_ERROR_HANDLING_H_
#define RCUTILS_ERROR_HANDLING_H_

/* Programs use these headers without including them. */
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rcutils/allocator.h"
#include "rcutils/macros.h"
#include "rcutils/snprintf.h"
#include "rcutils/types/rcutils_ret.h"
#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Size of a whole error string in bytes, with place and terminator. */
#define RCUTILS_ERROR_MESSAGE_MAX_LENGTH 1024
/** Size of the message of a state in bytes, with terminator. Longer messages are cut. */
#define RCUTILS_ERROR_STATE_MESSAGE_MAX_LENGTH 768
/** Size of the file name of a state in bytes, with terminator. Longer names are cut. */
#define RCUTILS_ERROR_STATE_FILE_MAX_LENGTH 229
/** Most digits of a line number. */
#define RCUTILS_ERROR_STATE_LINE_NUMBER_STR_MAX_LENGTH 20
/** Characters that join message, file and line, with the terminator. */
#define RCUTILS_ERROR_FORMATTING_CHARACTERS 6

/** A whole error string, by value. */
typedef struct rcutils_error_string_s
{
  char str[RCUTILS_ERROR_MESSAGE_MAX_LENGTH];
} rcutils_error_string_t;

/** An error in parts. */
typedef struct rcutils_error_state_s
{
  char message[RCUTILS_ERROR_STATE_MESSAGE_MAX_LENGTH];
  char file[RCUTILS_ERROR_STATE_FILE_MAX_LENGTH];
  uint64_t line_number;
} rcutils_error_state_t;

/** Does nothing and returns RCUTILS_RET_OK: the state of a thread needs no memory. */
RCUTILS_PUBLIC
rcutils_ret_t rcutils_initialize_error_handling_thread_local_storage(rcutils_allocator_t allocator);

/**
 * Sets the error of this thread. Without text or file it only writes to stderr.
 *
 * An error that nobody read is written to stderr before it is overwritten, unless the new text contains the old one.
 */
RCUTILS_PUBLIC void rcutils_set_error_state(const char * error_string, const char * file, size_t line_number);

/** Sets the error of this thread from a printf format. */
RCUTILS_PUBLIC RCUTILS_ATTRIBUTE_PRINTF_FORMAT(3, 4)
void rcutils_set_error_state_with_format(const char * file, size_t line_number, const char * format, ...);

/** Sets the error of this thread from a printf format, and appends the text of the error that it replaces. */
RCUTILS_PUBLIC RCUTILS_ATTRIBUTE_PRINTF_FORMAT(3, 4)
void rcutils_append_error_state_with_format(const char * file, size_t line_number, const char * format, ...);

/** Returns true if this thread has an error. */
RCUTILS_PUBLIC bool rcutils_error_is_set(void);

/** Returns the error of this thread, or NULL; valid until the error is reset or overwritten. */
RCUTILS_PUBLIC const rcutils_error_state_t * rcutils_get_error_state(void);

/** Returns "message, at file:line", or "error not set". */
RCUTILS_PUBLIC rcutils_error_string_t rcutils_get_error_string(void);

/** Clears the error of this thread. */
RCUTILS_PUBLIC void rcutils_reset_error(void);

/** Writes a printf format to stderr without touching the error state. */
RCUTILS_PUBLIC RCUTILS_ATTRIBUTE_PRINTF_FORMAT(1, 2)
void rcutils_write_to_stderr(const char * format, ...);

/** Sets the error of this thread. */
#define RCUTILS_SET_ERROR_MSG(msg) \
  do {rcutils_set_error_state(msg, __FILE__, __LINE__);} while (0)

/** Sets the error of this thread from a printf format and its arguments. */
#define RCUTILS_SET_ERROR_MSG_WITH_FORMAT_STRING(...) \
  do {rcutils_set_error_state_with_format(__FILE__, __LINE__, __VA_ARGS__);} while (0)

/** Sets the error of this thread, followed by the error that it replaces. */
#define RCUTILS_SET_ERROR_MSG_AND_APPEND_PREV_ERROR(msg) \
  do {rcutils_append_error_state_with_format(__FILE__, __LINE__, "%s", msg);} while (0)

/** Sets the error of this thread from a printf format, followed by the error that it replaces. */
#define RCUTILS_SET_ERROR_MSG_WITH_FORMAT_STRING_AND_APPEND_PREV_ERROR(...) \
  do {rcutils_append_error_state_with_format(__FILE__, __LINE__, __VA_ARGS__);} while (0)

/** Sets the error `msg` and runs `error_statement` if `value` is NULL. */
#define RCUTILS_CHECK_FOR_NULL_WITH_MSG(value, msg, error_statement) \
  do { \
    if (!(value)) { \
      RCUTILS_SET_ERROR_MSG(msg); \
      error_statement; \
    } \
  } while (0)

/** Sets an error and returns `error_return_type` if `argument` is NULL. */
#define RCUTILS_CHECK_ARGUMENT_FOR_NULL(argument, error_return_type) \
  RCUTILS_CHECK_FOR_NULL_WITH_MSG(argument, #argument " argument is null", return error_return_type)

/** Writes a text to stderr. */
#define RCUTILS_SAFE_FWRITE_TO_STDERR(msg) \
  do {rcutils_write_to_stderr("%s", msg);} while (0)

/** Writes a printf format and its arguments to stderr. */
#define RCUTILS_SAFE_FWRITE_TO_STDERR_WITH_FORMAT_STRING(...) \
  do {rcutils_write_to_stderr(__VA_ARGS__);} while (0)

#ifdef __cplusplus
}
#endif

#endif
