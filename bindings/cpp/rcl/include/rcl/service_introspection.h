#ifndef RCL_SERVICE_INTROSPECTION_H_
#define RCL_SERVICE_INTROSPECTION_H_

/** What follows the name of a service in the topic with its events. */
#define RCL_SERVICE_INTROSPECTION_TOPIC_POSTFIX "/_service_event"

/** What is published about the requests and responses of a service. */
typedef enum rcl_service_introspection_state_e
{
  /** Nothing. */
  RCL_SERVICE_INTROSPECTION_OFF,
  /** When and by whom they were sent. */
  RCL_SERVICE_INTROSPECTION_METADATA,
  /** Their contents, too. */
  RCL_SERVICE_INTROSPECTION_CONTENTS
} rcl_service_introspection_state_t;

#endif
