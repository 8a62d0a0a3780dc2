/** Events of publishers and subscriptions. */
#ifndef RMW_EVENT_H_
#define RMW_EVENT_H_

#include "rmw/macros.h"
#include "rmw/ret_types.h"
#include "rmw/types.h"
#include "rmw/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The kinds of events; the statuses are in rmw/events_statuses. */
typedef enum rmw_event_type_e
{
  /* Of subscriptions. */
  RMW_EVENT_LIVELINESS_CHANGED,
  RMW_EVENT_REQUESTED_DEADLINE_MISSED,
  RMW_EVENT_REQUESTED_QOS_INCOMPATIBLE,
  RMW_EVENT_MESSAGE_LOST,
  RMW_EVENT_SUBSCRIPTION_INCOMPATIBLE_TYPE,
  RMW_EVENT_SUBSCRIPTION_MATCHED,
  /* Of publishers. */
  RMW_EVENT_LIVELINESS_LOST,
  RMW_EVENT_OFFERED_DEADLINE_MISSED,
  RMW_EVENT_OFFERED_QOS_INCOMPATIBLE,
  RMW_EVENT_PUBLISHER_INCOMPATIBLE_TYPE,
  RMW_EVENT_PUBLICATION_MATCHED,
  RMW_EVENT_INVALID
} rmw_event_type_t;

typedef struct rmw_event_s
{
  const char * implementation_identifier;
  void * data;
  rmw_event_type_t event_type;
} rmw_event_t;

/** Returns an event of the type RMW_EVENT_INVALID. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_event_t rmw_get_zero_initialized_event(void);

#ifdef __cplusplus
}
#endif

#endif
