/* The lifecycle nodes of the subject. Commands of the suite create them, and plan what their callbacks do. */
#include "std_msgs/msg/u_int64.h"
#include "subject.h"

/** The callbacks, in the order of the states in which they run, which begin with 10: numbers of lifecycle_msgs/msg/State. */
static const char *const CALLBACKS[] = {
  "on_configure", "on_cleanup", "on_shutdown", "on_activate", "on_deactivate", "on_error"};
#define FIRST_STATE 10
#define CALLBACK_COUNT (sizeof CALLBACKS / sizeof CALLBACKS[0])
#define CALLS_SIZE 1024

/** A node whose callbacks do what was planned. The lock protects the fields below `numbers`. */
struct managed
{
  struct managed *next;
  char *name;
  saltus_node_t *node;
  saltus_lifecycle_t *lifecycle;
  saltus_publisher_t *numbers;
  unsigned dropped;
  /** The results of the next calls of the callbacks; 0 is success. */
  uint8_t planned[CALLBACK_COUNT];
  /** The calls since the command that takes them was last run. */
  char calls[CALLS_SIZE];
};

/** The nodes. Only commands use the list, and they run one after the other. */
static struct managed *all = NULL;

static const rosidl_message_type_support_t *number_type(void)
{
  return ROSIDL_GET_MSG_TYPE_SUPPORT(std_msgs, msg, UInt64);
}

static void open_numbers(struct managed *managed)
{
  const saltus_type_t type = saltus_type_of_message(number_type());
  saltus_endpoint_options_t options;
  saltus_qos_t qos;
  saltus_qos_init(&qos, sizeof qos);
  qos.depth = 100;
  saltus_endpoint_options_init(&options, sizeof options);
  options.topic = "~/numbers";
  options.type = &type;
  options.qos = &qos;
  OK(saltus_publisher_create(managed->node, &options, &managed->numbers));
}

static void note_call(struct managed *managed, const char *callback, uint8_t previous)
{
  const size_t used = strlen(managed->calls);
  snprintf(
    managed->calls + used, CALLS_SIZE - used, "%s%s:%s", used == 0 ? "" : " ", callback,
    saltus_lifecycle_state_label(previous));
}

static uint8_t on_transition(void *context, uint8_t state, uint8_t previous)
{
  struct managed *managed = context;
  const size_t index = (size_t)state - FIRST_STATE;
  lock();
  if (index == 0 && managed->numbers == NULL) {
    open_numbers(managed);
  }
  note_call(managed, CALLBACKS[index], previous);
  const uint8_t result = managed->planned[index] == 0 ? SALTUS_CALLBACK_SUCCESS : managed->planned[index];
  managed->planned[index] = 0;
  unlock();
  return result;
}

static void create(struct subject *subject, const char *const *words, response_t *response)
{
  struct managed *managed = allocate(sizeof *managed);
  saltus_node_options_t options;
  saltus_node_options_init(&options, sizeof options);
  options.name = words[1];
  managed->name = copy_of(words[1]);
  OK(saltus_node_create(subject->context, &options, &managed->node));
  OK(saltus_lifecycle_create(managed->node, true, on_transition, managed, NULL, &managed->lifecycle));
  OK(saltus_executor_add_node(subject->executor, managed->node));
  managed->next = all;
  all = managed;
  succeed(response, "");
}

/** Returns a node, or NULL and refuses the command. */
static struct managed *find(const char *name, response_t *response)
{
  struct managed *managed = all;
  while (managed != NULL && strcmp(managed->name, name) != 0) {
    managed = managed->next;
  }
  if (managed == NULL) {
    refuse(response, "no such lifecycle node");
  }
  return managed;
}

static void plan(struct subject *subject, const char *const *words, response_t *response)
{
  struct managed *managed = find(words[1], response);
  size_t index = 0;
  (void)subject;
  while (index < CALLBACK_COUNT && strcmp(CALLBACKS[index], words[2]) != 0) {
    ++index;
  }
  if (managed == NULL || index == CALLBACK_COUNT) {
    refuse(response, "no such node or callback");
    return;
  }
  lock();
  /* C has no exceptions. A callback that fails in an unexpected way returns an error. */
  managed->planned[index] =
    strcmp(words[3], "success") == 0 ? SALTUS_CALLBACK_SUCCESS :
    strcmp(words[3], "failure") == 0 ? SALTUS_CALLBACK_FAILURE : SALTUS_CALLBACK_ERROR;
  unlock();
  succeed(response, "");
}

static void callbacks(struct subject *subject, const char *const *words, response_t *response)
{
  struct managed *managed = find(words[1], response);
  (void)subject;
  if (managed != NULL) {
    lock();
    succeed(response, managed->calls);
    managed->calls[0] = '\0';
    unlock();
  }
}

static void publish_managed(struct subject *subject, const char *const *words, response_t *response)
{
  struct managed *managed = find(words[1], response);
  const std_msgs__msg__UInt64 number = {strtoull(words[2], NULL, 10)};
  char dropped[16];
  (void)subject;
  if (managed == NULL) {
    return;
  }
  lock();
  /* 3 is the state `active`. */
  if (saltus_lifecycle_state(managed->lifecycle) == 3) {
    OK(saltus_typed_publish(number_type(), managed->numbers, &number));
  } else {
    ++managed->dropped;
  }
  snprintf(dropped, sizeof dropped, "%u", managed->dropped);
  unlock();
  succeed(response, dropped);
}

const struct command LIFECYCLE_COMMANDS[] = {
  {"lifecycle", 2, create}, {"plan", 4, plan}, {"callbacks", 2, callbacks}, {"publish_managed", 3, publish_managed},
  {NULL, 0, NULL}};
