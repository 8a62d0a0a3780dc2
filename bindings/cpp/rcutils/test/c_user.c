/* Uses rcutils from C: a compile test of the macros, and what they do. */
#include "c_user.h"

#include <string.h>

#include "rcutils/allocator.h"
#include "rcutils/cmdline_parser.h"
#include "rcutils/env.h"
#include "rcutils/error_handling.h"
#include "rcutils/filesystem.h"
#include "rcutils/find.h"
#include "rcutils/format_string.h"
#include "rcutils/get_env.h"
#include "rcutils/isalnum_no_locale.h"
#include "rcutils/join.h"
#include "rcutils/logging.h"
#include "rcutils/logging_macros.h"
#include "rcutils/process.h"
#include "rcutils/repl_str.h"
#include "rcutils/sha256.h"
#include "rcutils/shared_library.h"
#include "rcutils/split.h"
#include "rcutils/strdup.h"
#include "rcutils/testing/fault_injection.h"
#include "rcutils/time.h"
#include "rcutils/types.h"

static RCUTILS_THREAD_LOCAL int calls = 0;

static bool is_true(void)
{
  calls += 1;
  return true;
}

static rcutils_ret_t needs_argument(const char * argument)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(argument, RCUTILS_RET_INVALID_ARGUMENT);
  return RCUTILS_RET_OK;
}

int c_user_logs(const char * name)
{
  const int number = 7;
  calls = 0;
  RCUTILS_LOG_INFO("no arguments");
  RCUTILS_LOG_WARN_NAMED(name, "number %d", number);
  RCUTILS_LOG_ERROR_ONCE_NAMED(name, "once %d", number);
  RCUTILS_LOG_FATAL_EXPRESSION(number == 7, "expression");
  RCUTILS_LOG_INFO_FUNCTION(is_true, "function");
  RCUTILS_LOG_INFO_FUNCTION_NAMED(&is_true, name, "function pointer");
  RCUTILS_LOG_INFO_THROTTLE(rcutils_steady_time_now, 1000, "throttle");
  RCUTILS_LOG_INFO_SKIPFIRST_NAMED(name, "skipped");
  RCUTILS_LOG_INFO_SKIPFIRST_THROTTLE_NAMED(rcutils_steady_time_now, 1000, name, "skipped %s", "too");
  RCUTILS_LOG_DEBUG("not enabled");
  return calls;
}

int c_user_handles_errors(void)
{
  rcutils_reset_error();
  if (needs_argument(NULL) != RCUTILS_RET_INVALID_ARGUMENT || !rcutils_error_is_set()) {
    return 1;
  }
  if (strstr(rcutils_get_error_string().str, "argument argument is null, at ") == NULL) {
    return 2;
  }
  rcutils_reset_error();
  RCUTILS_SET_ERROR_MSG_WITH_FORMAT_STRING("%s %d", "formatted", 1);
  RCUTILS_SET_ERROR_MSG_AND_APPEND_PREV_ERROR("outer");
  if (strstr(rcutils_get_error_state()->message, "outer: formatted 1, at ") != rcutils_get_error_state()->message) {
    return 3;
  }
  rcutils_reset_error();
  return 0;
}
