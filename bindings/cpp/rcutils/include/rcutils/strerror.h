/** The text of errno. */
#ifndef RCUTILS_STRERROR_H_
#define RCUTILS_STRERROR_H_

#include <stddef.h>

#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Writes the text of errno into the buffer; a short buffer cuts it. */
RCUTILS_PUBLIC void rcutils_strerror(char * buffer, size_t buffer_length);

#ifdef __cplusplus
}
#endif

#endif
