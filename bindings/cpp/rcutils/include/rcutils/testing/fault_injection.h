/** The names of ROS 2's fault injection. Saltus injects no faults, so that all of these do nothing. */
#ifndef RCUTILS_TESTING_FAULT_INJECTION_H_
#define RCUTILS_TESTING_FAULT_INJECTION_H_

#include <stdbool.h>
#include <stdint.h>

#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RCUTILS_FAULT_INJECTION_NEVER_FAIL -1
#define RCUTILS_FAULT_INJECTION_FAIL_NOW 0

#define RCUTILS_FAULT_INJECTION_MAYBE_RETURN_ERROR(return_value_on_error) do { } while (0)
#define RCUTILS_FAULT_INJECTION_MAYBE_FAIL(failure_code) do { } while (0)

/** Runs the code once, without faults. */
#define RCUTILS_FAULT_INJECTION_TEST(...) do { __VA_ARGS__; } while (0)
/** Runs the code once. */
#define RCUTILS_NO_FAULT_INJECTION(...) do { __VA_ARGS__; } while (0)

#define RCUTILS_CAN_RETURN_WITH_ERROR_OF(error_return_value)
#define RCUTILS_CAN_SET_MSG_AND_RETURN_WITH_ERROR_OF(error_return_value)
#define RCUTILS_CAN_FAIL_WITH(failure_code)

/** Returns true always: no test with faults runs. */
RCUTILS_PUBLIC bool rcutils_fault_injection_is_test_complete(void);

/** Does nothing. */
RCUTILS_PUBLIC void rcutils_fault_injection_set_count(int_least64_t count);

/** Returns RCUTILS_FAULT_INJECTION_NEVER_FAIL. */
RCUTILS_PUBLIC int_least64_t rcutils_fault_injection_get_count(void);

#ifdef __cplusplus
}
#endif

#endif
