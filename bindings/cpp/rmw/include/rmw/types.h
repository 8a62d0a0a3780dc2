/** The types of rmw: entities, identifiers, QoS profiles and information about messages. */
#ifndef RMW_TYPES_H_
#define RMW_TYPES_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rcutils/logging.h"
#include "rmw/events_statuses/events_statuses.h"
#include "rmw/init.h"
#include "rmw/init_options.h"
#include "rmw/macros.h"
#include "rmw/qos_policy_kind.h"
#include "rmw/ret_types.h"
#include "rmw/security_options.h"
#include "rmw/serialized_message.h"
#include "rmw/subscription_content_filter_options.h"
#include "rmw/time.h"
#include "rmw/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of the identifier of an endpoint. */
#define RMW_GID_STORAGE_SIZE 16u

/** Declares `name` as deprecated, with a text. */
#define RMW_DECLARE_DEPRECATED(name, msg) name __attribute__((deprecated(msg)))

/* In the structs below, `implementation_identifier` names the middleware, and `data` belongs to it. */

typedef struct rmw_node_s
{
  const char * implementation_identifier;
  void * data;
  const char * name;
  const char * namespace_;
  rmw_context_t * context;
} rmw_node_t;

/** Whether an endpoint is a publisher or a subscription. */
typedef enum rmw_endpoint_type_e
{
  RMW_ENDPOINT_INVALID = 0,
  RMW_ENDPOINT_PUBLISHER,
  RMW_ENDPOINT_SUBSCRIPTION
} rmw_endpoint_type_t;

/** Whether an endpoint needs a network port of its own. */
typedef enum rmw_unique_network_flow_endpoints_requirement_e
{
  RMW_UNIQUE_NETWORK_FLOW_ENDPOINTS_NOT_REQUIRED = 0,
  /** Creating the endpoint fails if it gets none. */
  RMW_UNIQUE_NETWORK_FLOW_ENDPOINTS_STRICTLY_REQUIRED,
  RMW_UNIQUE_NETWORK_FLOW_ENDPOINTS_OPTIONALLY_REQUIRED,
  RMW_UNIQUE_NETWORK_FLOW_ENDPOINTS_SYSTEM_DEFAULT
} rmw_unique_network_flow_endpoints_requirement_t;

typedef struct rmw_publisher_options_s
{
  /** What a middleware takes beyond these options. */
  void * rmw_specific_publisher_payload;
  rmw_unique_network_flow_endpoints_requirement_t require_unique_network_flow_endpoints;
} rmw_publisher_options_t;

typedef struct rmw_publisher_s
{
  const char * implementation_identifier;
  void * data;
  const char * topic_name;
  rmw_publisher_options_t options;
  bool can_loan_messages;
} rmw_publisher_t;

typedef struct rmw_subscription_options_s
{
  /** What a middleware takes beyond these options. */
  void * rmw_specific_subscription_payload;
  /** Ignores the publishers of the same context. */
  bool ignore_local_publications;
  rmw_unique_network_flow_endpoints_requirement_t require_unique_network_flow_endpoints;
  /** NULL if all messages are wanted. */
  rmw_subscription_content_filter_options_t * content_filter_options;
} rmw_subscription_options_t;

typedef struct rmw_subscription_s
{
  const char * implementation_identifier;
  void * data;
  const char * topic_name;
  rmw_subscription_options_t options;
  bool can_loan_messages;
  /** True if the middleware filters by content. */
  bool is_cft_enabled;
} rmw_subscription_t;

typedef struct rmw_service_s
{
  const char * implementation_identifier;
  void * data;
  const char * service_name;
} rmw_service_t;

typedef struct rmw_client_s
{
  const char * implementation_identifier;
  void * data;
  const char * service_name;
} rmw_client_t;

typedef struct rmw_guard_condition_s
{
  const char * implementation_identifier;
  void * data;
  rmw_context_t * context;
} rmw_guard_condition_t;

/** Memory that a publisher reuses for each message. */
typedef struct rmw_publisher_allocation_s
{
  const char * implementation_identifier;
  void * data;
} rmw_publisher_allocation_t;

/** Memory that a subscription reuses for each message. */
typedef struct rmw_subscription_allocation_s
{
  const char * implementation_identifier;
  void * data;
} rmw_subscription_allocation_t;

/* What a wait set waits for. Each pointer is the `data` of the struct above. */

typedef struct rmw_subscriptions_s
{
  size_t subscriber_count;
  void ** subscribers;
} rmw_subscriptions_t;

typedef struct rmw_services_s
{
  size_t service_count;
  void ** services;
} rmw_services_t;

typedef struct rmw_clients_s
{
  size_t client_count;
  void ** clients;
} rmw_clients_t;

/** Here each pointer is a rmw_event_t. */
typedef struct rmw_events_s
{
  size_t event_count;
  void ** events;
} rmw_events_t;

typedef struct rmw_guard_conditions_s
{
  size_t guard_condition_count;
  void ** guard_conditions;
} rmw_guard_conditions_t;

typedef struct rmw_wait_set_s
{
  const char * implementation_identifier;
  rmw_guard_conditions_t * guard_conditions;
  void * data;
} rmw_wait_set_t;

/** Identifies a request of a client. */
typedef struct rmw_request_id_s
{
  /** The identifier of the client. */
  uint8_t writer_guid[RMW_GID_STORAGE_SIZE];
  /** Counts the requests of the client. */
  int64_t sequence_number;
} rmw_request_id_t;

/** Information about a request or a response. */
typedef struct rmw_service_info_s
{
  rmw_time_point_value_t source_timestamp;
  rmw_time_point_value_t received_timestamp;
  rmw_request_id_t request_id;
} rmw_service_info_t;

/* The policies of QoS profiles. BEST_AVAILABLE fits the endpoints that exist when the endpoint is created. */

typedef enum rmw_qos_reliability_policy_e
{
  /** What the middleware chooses. */
  RMW_QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT,
  /** A message is sent again until it has arrived. */
  RMW_QOS_POLICY_RELIABILITY_RELIABLE,
  /** A message may be lost. */
  RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT,
  RMW_QOS_POLICY_RELIABILITY_UNKNOWN,
  RMW_QOS_POLICY_RELIABILITY_BEST_AVAILABLE
} rmw_qos_reliability_policy_t;

typedef enum rmw_qos_history_policy_e
{
  /** What the middleware chooses. */
  RMW_QOS_POLICY_HISTORY_SYSTEM_DEFAULT,
  /** Keeps the newest messages, as many as the depth. */
  RMW_QOS_POLICY_HISTORY_KEEP_LAST,
  /** Keeps all messages. */
  RMW_QOS_POLICY_HISTORY_KEEP_ALL,
  RMW_QOS_POLICY_HISTORY_UNKNOWN
} rmw_qos_history_policy_t;

typedef enum rmw_qos_durability_policy_e
{
  /** What the middleware chooses. */
  RMW_QOS_POLICY_DURABILITY_SYSTEM_DEFAULT,
  /** A publisher keeps messages for subscriptions that come later. */
  RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL,
  RMW_QOS_POLICY_DURABILITY_VOLATILE,
  RMW_QOS_POLICY_DURABILITY_UNKNOWN,
  RMW_QOS_POLICY_DURABILITY_BEST_AVAILABLE
} rmw_qos_durability_policy_t;

/** The text with which the compiler warns about RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_NODE. */
#define RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_NODE_DEPRECATED_MSG "use RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC"

typedef enum rmw_qos_liveliness_policy_e
{
  /** What the middleware chooses. */
  RMW_QOS_POLICY_LIVELINESS_SYSTEM_DEFAULT = 0,
  /** A publisher is alive as long as its program runs. */
  RMW_QOS_POLICY_LIVELINESS_AUTOMATIC = 1,
  RMW_DECLARE_DEPRECATED(
    RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_NODE, RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_NODE_DEPRECATED_MSG) = 2,
  /** A publisher is alive for the lease duration after it published or asserted its liveliness. */
  RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC = 3,
  RMW_QOS_POLICY_LIVELINESS_UNKNOWN = 4,
  RMW_QOS_POLICY_LIVELINESS_BEST_AVAILABLE = 5
} rmw_qos_liveliness_policy_t;

#define RMW_QOS_DEADLINE_DEFAULT RMW_DURATION_UNSPECIFIED
#define RMW_QOS_DEADLINE_BEST_AVAILABLE {9223372036LL, 854775806LL}
#define RMW_QOS_LIFESPAN_DEFAULT RMW_DURATION_UNSPECIFIED
#define RMW_QOS_LIVELINESS_LEASE_DURATION_DEFAULT RMW_DURATION_UNSPECIFIED
#define RMW_QOS_LIVELINESS_LEASE_DURATION_BEST_AVAILABLE {9223372036LL, 854775806LL}

/** How messages are kept and delivered. */
typedef struct rmw_qos_profile_s
{
  enum rmw_qos_history_policy_e history;
  /** How many messages are kept with KEEP_LAST. */
  size_t depth;
  enum rmw_qos_reliability_policy_e reliability;
  enum rmw_qos_durability_policy_e durability;
  /** The longest time between two messages. */
  struct rmw_time_s deadline;
  /** The age from which on a message is not delivered any more. */
  struct rmw_time_s lifespan;
  enum rmw_qos_liveliness_policy_e liveliness;
  /** The longest time between two signs of life. */
  struct rmw_time_s liveliness_lease_duration;
  /** Uses the name of the topic as it is. */
  bool avoid_ros_namespace_conventions;
} rmw_qos_profile_t;

/** Identifies an endpoint. */
typedef struct rmw_gid_s
{
  const char * implementation_identifier;
  uint8_t data[RMW_GID_STORAGE_SIZE];
} rmw_gid_t;

/** Stands for a sequence number that the middleware does not have. */
#define RMW_MESSAGE_INFO_SEQUENCE_NUMBER_UNSUPPORTED UINT64_MAX

/** Information about a message. */
typedef struct rmw_message_info_s
{
  /** When it was published, in nanoseconds since 1970. */
  rmw_time_point_value_t source_timestamp;
  /** When it arrived, in nanoseconds since 1970. */
  rmw_time_point_value_t received_timestamp;
  /** Counts the messages of the publisher. */
  uint64_t publication_sequence_number;
  /** Counts the messages of the subscription. */
  uint64_t reception_sequence_number;
  rmw_gid_t publisher_gid;
  bool from_intra_process;
} rmw_message_info_t;

/** Returns an information in which all is zero. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_message_info_t rmw_get_zero_initialized_message_info(void);

/** The depth that the middleware chooses. */
enum {RMW_QOS_POLICY_DEPTH_SYSTEM_DEFAULT = 0};

/** The severities of a middleware's own log. */
typedef enum rmw_log_severity_e
{
  RMW_LOG_SEVERITY_DEBUG = RCUTILS_LOG_SEVERITY_DEBUG,
  RMW_LOG_SEVERITY_INFO = RCUTILS_LOG_SEVERITY_INFO,
  RMW_LOG_SEVERITY_WARN = RCUTILS_LOG_SEVERITY_WARN,
  RMW_LOG_SEVERITY_ERROR = RCUTILS_LOG_SEVERITY_ERROR,
  RMW_LOG_SEVERITY_FATAL = RCUTILS_LOG_SEVERITY_FATAL
} rmw_log_severity_t;

#ifdef __cplusplus
}
#endif

#endif
