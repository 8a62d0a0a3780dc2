/* The topics of the subject. Commands of the suite open, use and close endpoints. */
#include "diagnostic_msgs/msg/diagnostic_array.h"
#include "nav_msgs/msg/odometry.h"
#include "rmw/qos_policy_kind.h"
#include "sensor_msgs/msg/joint_state.h"
#include "sensor_msgs/msg/point_cloud2.h"
#include "std_msgs/msg/string.h"
#include "std_msgs/msg/u_int64.h"
#include "subject.h"
#include "trajectory_msgs/msg/joint_trajectory.h"
#include "visualization_msgs/msg/marker.h"

#define MILLISECOND UINT64_C(1000000)
#define TEXT_SIZE 24

/** An endpoint, and what it has received so far. */
struct endpoint
{
  struct endpoint *next;
  char *name;
  saltus_publisher_t *publisher;
  saltus_subscription_t *subscription;
  /** How many callbacks and lists refer to it. The lock protects this, and the fields below. */
  size_t uses;
  uint64_t *numbers;
  size_t count;
  size_t capacity;
  /** Whether there was an event of each kind, and the text of the last one. The index is its number, SALTUS_EVENT_…. */
  bool has_event[SALTUS_EVENT_MATCHED + 1];
  char events[SALTUS_EVENT_MATCHED + 1][TEXT_SIZE];
};

/** The endpoints. Only commands use the list, and they run one after the other. */
static struct endpoint *all = NULL;

static const rosidl_message_type_support_t *number_type(void)
{
  return ROSIDL_GET_MSG_TYPE_SUPPORT(std_msgs, msg, UInt64);
}

static void drop(void *context)
{
  struct endpoint *endpoint = context;
  lock();
  const bool is_used = --endpoint->uses != 0;
  unlock();
  if (!is_used) {
    free(endpoint->numbers);
    free(endpoint->name);
    free(endpoint);
  }
}

static const char *policy_name(uint8_t policy)
{
  switch (policy) {
    case RMW_QOS_POLICY_RELIABILITY: return "RELIABILITY";
    case RMW_QOS_POLICY_DURABILITY: return "DURABILITY";
    case RMW_QOS_POLICY_DEADLINE: return "DEADLINE";
    case RMW_QOS_POLICY_LIVELINESS: return "LIVELINESS";
    default: return "another policy";
  }
}

static saltus_next_t on_event(void *context, const saltus_event_t *event)
{
  struct endpoint *endpoint = context;
  lock();
  endpoint->has_event[event->kind] = true;
  if (event->kind == SALTUS_EVENT_INCOMPATIBLE_QOS) {
    snprintf(endpoint->events[event->kind], TEXT_SIZE, "%s", policy_name(event->policy));
  } else if (event->kind != SALTUS_EVENT_DEADLINE_MISSED) {
    snprintf(endpoint->events[event->kind], TEXT_SIZE, "%llu", (unsigned long long)event->total);
  }
  notify();
  unlock();
  return SALTUS_CONTINUE;
}

static saltus_next_t on_number(void *context, saltus_message_t *message)
{
  struct endpoint *endpoint = context;
  std_msgs__msg__UInt64 number = {0};
  const saltus_status_t status =
    saltus_typed_read(number_type(), saltus_message_data(message), saltus_message_size(message), &number);
  if (status != SALTUS_OK) {
    fputs("a message can't be read\n", stderr);
    return SALTUS_CONTINUE;
  }
  lock();
  if (endpoint->count == endpoint->capacity) {
    const size_t capacity = endpoint->capacity == 0 ? 64 : 2 * endpoint->capacity;
    uint64_t *numbers = allocate(capacity * sizeof *numbers);
    if (endpoint->count != 0) {
      memcpy(numbers, endpoint->numbers, endpoint->count * sizeof *numbers);
    }
    free(endpoint->numbers);
    endpoint->numbers = numbers;
    endpoint->capacity = capacity;
  }
  endpoint->numbers[endpoint->count++] = number.data;
  notify();
  unlock();
  return SALTUS_CONTINUE;
}

/** Reads RELIABILITY/DURABILITY/DEPTH/DEADLINE/LIFESPAN. The times are in milliseconds, and 0 is no time. */
static saltus_qos_t read_qos(const char *text)
{
  char reliability[16] = "", durability[16] = "";
  unsigned depth = 0;
  unsigned long deadline = 0, lifespan = 0;
  saltus_qos_t qos;
  saltus_qos_init(&qos, sizeof qos);
  sscanf(text, "%15[^/]/%15[^/]/%u/%lu/%lu", reliability, durability, &depth, &deadline, &lifespan);
  qos.reliability =
    strcmp(reliability, "reliable") == 0 ? SALTUS_RELIABILITY_RELIABLE : SALTUS_RELIABILITY_BEST_EFFORT;
  qos.durability =
    strcmp(durability, "transient_local") == 0 ? SALTUS_DURABILITY_TRANSIENT_LOCAL : SALTUS_DURABILITY_VOLATILE;
  qos.depth = depth;
  qos.deadline = deadline * MILLISECOND;
  qos.lifespan = lifespan * MILLISECOND;
  return qos;
}

/** Returns the place of the pointer to an endpoint, or of the pointer at the end of the list. */
static struct endpoint **place_of(const char *name)
{
  struct endpoint **place = &all;
  while (*place != NULL && strcmp((*place)->name, name) != 0) {
    place = &(*place)->next;
  }
  return place;
}

/** Closes an endpoint, if there is one with this name. Returns whether there was. */
static bool close_named(const char *name)
{
  struct endpoint **place = place_of(name);
  struct endpoint *endpoint = *place;
  if (endpoint == NULL) {
    return false;
  }
  *place = endpoint->next;
  saltus_publisher_destroy(endpoint->publisher);
  saltus_subscription_destroy(endpoint->subscription);
  drop(endpoint);
  return true;
}

/** Opens an endpoint, whose words are its kind, its name, its topic and its quality of service. */
static void open(struct subject *subject, const char *const *words, response_t *response)
{
  const saltus_type_t type = saltus_type_of_message(number_type());
  const saltus_qos_t qos = read_qos(words[3]);
  struct endpoint *endpoint = allocate(sizeof *endpoint);
  saltus_endpoint_options_t options;
  saltus_endpoint_options_init(&options, sizeof options);
  options.topic = words[2];
  options.type = &type;
  options.qos = &qos;
  options.on_event = on_event;
  options.on_event_context = endpoint;
  options.on_event_drop = drop;
  endpoint->name = copy_of(words[1]);
  if (strcmp(words[0], "publisher") == 0) {
    endpoint->uses = 2;
    OK(saltus_publisher_create(subject->node, &options, &endpoint->publisher));
  } else {
    endpoint->uses = 3;
    OK(saltus_subscription_create_with_callback(
        subject->node, &options, on_number, endpoint, drop, &endpoint->subscription));
  }
  close_named(words[1]);
  endpoint->next = all;
  all = endpoint;
  succeed(response, "");
}

/** Returns an endpoint. If there is none, returns NULL and refuses the command. */
static struct endpoint *find(const char *name, response_t *response)
{
  struct endpoint *endpoint = *place_of(name);
  if (endpoint == NULL) {
    refuse(response, "no such endpoint");
  }
  return endpoint;
}

static void close_endpoint(struct subject *subject, const char *const *words, response_t *response)
{
  (void)subject;
  if (close_named(words[1])) {
    succeed(response, "");
  } else {
    refuse(response, "no such endpoint");
  }
}

static void send_numbers(struct subject *subject, const char *const *words, response_t *response)
{
  struct endpoint *endpoint = find(words[1], response);
  const uint64_t first = strtoull(words[2], NULL, 10), count = strtoull(words[3], NULL, 10);
  (void)subject;
  if (endpoint != NULL) {
    for (uint64_t index = 0; index < count; ++index) {
      const std_msgs__msg__UInt64 number = {first + index};
      OK(saltus_typed_publish(number_type(), endpoint->publisher, &number));
    }
    succeed(response, "");
  }
}

/** A number of messages, for which a command waits. */
struct wanted
{
  const struct endpoint *endpoint;
  size_t count;
};

static bool has_received(const void *context)
{
  const struct wanted *wanted = context;
  return wanted->endpoint->count >= wanted->count;
}

static void received(struct subject *subject, const char *const *words, response_t *response)
{
  struct endpoint *endpoint = find(words[1], response);
  (void)subject;
  if (endpoint == NULL) {
    return;
  }
  const struct wanted wanted = {endpoint, strtoul(words[2], NULL, 10)};
  lock();
  const bool is_enough = wait_until(has_received, &wanted, nanoseconds(words[3]));
  char *text = allocate(endpoint->count * TEXT_SIZE + 1);
  size_t used = 0;
  for (size_t index = 0; index < endpoint->count; ++index) {
    used += (size_t)snprintf(
      text + used, TEXT_SIZE, "%s%llu", index == 0 ? "" : " ", (unsigned long long)endpoint->numbers[index]);
  }
  unlock();
  if (is_enough) {
    succeed(response, text);
  } else {
    refuse(response, text);
  }
  free(text);
}

/** An event, for which a command waits. */
struct awaited
{
  const struct endpoint *endpoint;
  uint8_t kind;
};

static bool has_event(const void *context)
{
  const struct awaited *awaited = context;
  return awaited->endpoint->has_event[awaited->kind];
}

static uint8_t event_kind(const char *name)
{
  return strcmp(name, "matched") == 0 ? SALTUS_EVENT_MATCHED :
         strcmp(name, "incompatible_qos") == 0 ? SALTUS_EVENT_INCOMPATIBLE_QOS :
         strcmp(name, "incompatible_type") == 0 ? SALTUS_EVENT_INCOMPATIBLE_TYPE :
         strcmp(name, "deadline") == 0 ? SALTUS_EVENT_DEADLINE_MISSED : SALTUS_EVENT_MESSAGE_LOST;
}

static void event(struct subject *subject, const char *const *words, response_t *response)
{
  struct endpoint *endpoint = find(words[1], response);
  (void)subject;
  if (endpoint != NULL) {
    const struct awaited awaited = {endpoint, event_kind(words[2])};
    lock();
    if (wait_until(has_event, &awaited, nanoseconds(words[3]))) {
      succeed(response, endpoint->events[awaited.kind]);
    } else {
      refuse(response, "no event");
    }
    unlock();
  }
}

/** A subscription whose messages are published again. It lasts until the process ends. */
struct relay
{
  const rosidl_message_type_support_t *type;
  saltus_publisher_t *publisher;
  /** The message that is copied field by field. */
  void *message;
};

static saltus_next_t on_message(void *context, saltus_message_t *message)
{
  struct relay *relay = context;
  OK(saltus_typed_read(
      relay->type, saltus_message_data(message), saltus_message_size(message), relay->message));
  OK(saltus_typed_publish(relay->type, relay->publisher, relay->message));
  return SALTUS_CONTINUE;
}

static void open_relay(struct subject *subject, const rosidl_message_type_support_t *support, const char *const *words)
{
  const saltus_type_t type = saltus_type_of_message(support);
  struct relay *relay = allocate(sizeof *relay);
  saltus_subscription_t *subscription;
  saltus_endpoint_options_t options;
  saltus_endpoint_options_init(&options, sizeof options);
  options.topic = words[3];
  options.type = &type;
  OK(saltus_publisher_create(subject->node, &options, &relay->publisher));
  relay->type = support;
  relay->message = saltus_message_support_of(support)->create();
  options.topic = words[2];
  OK(saltus_subscription_create_with_callback(subject->node, &options, on_message, relay, NULL, &subscription));
}

static void relay(struct subject *subject, const char *const *words, response_t *response)
{
  const rosidl_message_type_support_t *const types[] = {
    ROSIDL_GET_MSG_TYPE_SUPPORT(std_msgs, msg, String),
    ROSIDL_GET_MSG_TYPE_SUPPORT(sensor_msgs, msg, JointState),
    ROSIDL_GET_MSG_TYPE_SUPPORT(sensor_msgs, msg, PointCloud2),
    ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Odometry),
    ROSIDL_GET_MSG_TYPE_SUPPORT(visualization_msgs, msg, Marker),
    ROSIDL_GET_MSG_TYPE_SUPPORT(diagnostic_msgs, msg, DiagnosticArray),
    ROSIDL_GET_MSG_TYPE_SUPPORT(trajectory_msgs, msg, JointTrajectory),
  };
  for (size_t index = 0; index < sizeof types / sizeof types[0]; ++index) {
    if (strcmp(saltus_type_of_message(types[index]).name, words[1]) == 0) {
      open_relay(subject, types[index], words);
      succeed(response, "");
      return;
    }
  }
  refuse(response, "no relay for this type");
}

const struct command TOPIC_COMMANDS[] = {
  {"publisher", 4, open}, {"subscription", 4, open}, {"close", 2, close_endpoint}, {"send", 4, send_numbers},
  {"received", 4, received}, {"event", 4, event}, {"relay", 4, relay}, {NULL, 0, NULL}};
