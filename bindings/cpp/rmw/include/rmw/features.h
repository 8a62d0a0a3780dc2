/** What a middleware can do. */
#ifndef RMW_FEATURES_H_
#define RMW_FEATURES_H_

#include <stdbool.h>

#include "rmw/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rmw_feature_e
{
  /** Messages have publication_sequence_number. */
  RMW_FEATURE_MESSAGE_INFO_PUBLICATION_SEQUENCE_NUMBER = 0,
  /** Messages have reception_sequence_number. */
  RMW_FEATURE_MESSAGE_INFO_RECEPTION_SEQUENCE_NUMBER = 1,
  RMW_MIDDLEWARE_SUPPORTS_TYPE_DISCOVERY = 2,
  RMW_MIDDLEWARE_CAN_TAKE_DYNAMIC_MESSAGE = 3
} rmw_feature_t;

/** Returns true for the sequence numbers. */
RMW_PUBLIC bool rmw_feature_supported(rmw_feature_t feature);

#ifdef __cplusplus
}
#endif

#endif
