/* The action of the subject, and its goals at other servers. */
#include "example_interfaces/action/fibonacci.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "subject.h"

#define SECOND INT64_C(1000000000)

typedef example_interfaces__action__Fibonacci_SendGoal_Request request_t;
typedef example_interfaces__action__Fibonacci_GetResult_Response result_t;

static const rosidl_action_type_support_t *types(void)
{
  return ROSIDL_GET_ACTION_TYPE_SUPPORT(example_interfaces, Fibonacci);
}

/** A goal that only a command of the suite ends. */
struct kept
{
  struct kept *next;
  saltus_goal_id_t id;
  saltus_goal_t *goal;
};

/** The goals. The lock protects them. */
static struct kept *all = NULL;

/** Returns the place of the pointer to a goal, or of the pointer at the end. */
static struct kept **find(const saltus_goal_id_t *id)
{
  struct kept **place = &all;
  while (*place != NULL && memcmp(&(*place)->id, id, sizeof *id) != 0) {
    place = &(*place)->next;
  }
  return place;
}

static bool is_kept(const void *id)
{
  return *find(id) != NULL;
}

static void end(struct kept *kept)
{
  saltus_goal_destroy(kept->goal);
  free(kept);
}

/** Returns the order of a goal, or -1 if it can't be read. */
static int32_t order_of(const uint8_t *bytes, size_t size)
{
  request_t request;
  example_interfaces__action__Fibonacci_SendGoal_Request__init(&request);
  const saltus_status_t status =
    saltus_typed_read(types()->goal_service_type_support->request_typesupport, bytes, size, &request);
  return status == SALTUS_OK ? request.goal.order : -1;
}

static saltus_next_t on_goal(
  void *context, const saltus_goal_id_t *id, const uint8_t *bytes, size_t size, saltus_goal_decision_t *decision)
{
  const int32_t order = order_of(bytes, size);
  (void)context;
  (void)id;
  *decision = order < 0 ? SALTUS_GOAL_REJECT : order == 0 ? SALTUS_GOAL_DEFER : SALTUS_GOAL_EXECUTE;
  return SALTUS_CONTINUE;
}

static saltus_next_t on_cancel(void *context, const saltus_goal_t *goal, bool *accepts)
{
  size_t size = 0;
  const uint8_t *bytes = saltus_goal_request(goal, &size);
  (void)context;
  *accepts = order_of(bytes, size) != 13;
  return SALTUS_CONTINUE;
}

static saltus_next_t on_accepted(void *context, saltus_goal_t *goal)
{
  struct kept *kept = allocate(sizeof *kept);
  (void)context;
  kept->goal = goal;
  OK(saltus_goal_id(goal, &kept->id));
  lock();
  kept->next = all;
  all = kept;
  notify();
  unlock();
  return SALTUS_CONTINUE;
}

/** The types of the services and the feedback of the action. They must last as long as the options. */
struct action_types
{
  saltus_type_t send_goal;
  saltus_type_t get_result;
  saltus_type_t feedback;
};

static saltus_action_options_t options_of(const char *name, struct action_types *own)
{
  saltus_action_options_t options;
  own->send_goal = saltus_type_of_service(types()->goal_service_type_support);
  own->get_result = saltus_type_of_service(types()->result_service_type_support);
  own->feedback = saltus_type_of_message(types()->feedback_message_type_support);
  saltus_action_options_init(&options, sizeof options);
  options.action = name;
  options.send_goal = &own->send_goal;
  options.get_result = &own->get_result;
  options.feedback = &own->feedback;
  return options;
}

/** Writes a result with one number, or with none. */
static void write_result(size_t count, uint8_t **bytes, size_t *size)
{
  result_t result;
  example_interfaces__action__Fibonacci_GetResult_Response__init(&result);
  if (count != 0 && rosidl_runtime_c__int32__Sequence__init(&result.result.sequence, count)) {
    result.result.sequence.data[0] = 1;
  }
  OK(saltus_typed_write(types()->result_service_type_support->response_typesupport, &result, bytes, size));
  example_interfaces__action__Fibonacci_GetResult_Response__fini(&result);
}

void open_action(struct subject *subject)
{
  const saltus_action_functions_t functions = {sizeof functions, on_goal, on_cancel, on_accepted, NULL, NULL};
  struct action_types own;
  saltus_action_options_t options = options_of("~/count", &own);
  saltus_action_server_t *server;
  uint8_t *empty;
  write_result(0, &empty, &options.empty_result_size);
  options.empty_result = empty;
  options.result_timeout = 2 * SECOND;
  OK(saltus_action_server_create(subject->node, &options, &functions, &server));
  free(empty);
}

static bool read_id(const char *text, saltus_goal_id_t *id)
{
  for (size_t index = 0; index < sizeof id->bytes; ++index) {
    unsigned byte;
    if (sscanf(text + 2 * index, "%2x", &byte) != 1) {
      return false;
    }
    id->bytes[index] = (uint8_t)byte;
  }
  return true;
}

/** Ends a goal, or all if the id is zero. */
static void drop(const saltus_goal_id_t *id)
{
  static const saltus_goal_id_t none = {{0}};
  const bool is_every = memcmp(id, &none, sizeof none) == 0;
  struct kept *dropped = NULL;
  lock();
  if (is_every) {
    dropped = all;
    all = NULL;
  } else if (wait_until(is_kept, id, SECOND)) {
    struct kept **place = find(id);
    dropped = *place;
    *place = dropped->next;
    dropped->next = NULL;
  }
  unlock();
  while (dropped != NULL) {
    struct kept *next = dropped->next;
    end(dropped);
    dropped = next;
  }
}

static saltus_status_t publish_feedback(const saltus_goal_t *goal)
{
  example_interfaces__action__Fibonacci_FeedbackMessage message;
  uint8_t *bytes;
  size_t size;
  example_interfaces__action__Fibonacci_FeedbackMessage__init(&message);
  if (rosidl_runtime_c__int32__Sequence__init(&message.feedback.sequence, 1)) {
    message.feedback.sequence.data[0] = 1;
  }
  OK(saltus_typed_write(types()->feedback_message_type_support, &message, &bytes, &size));
  const saltus_status_t status = saltus_goal_publish_feedback(goal, bytes, size);
  free(bytes);
  example_interfaces__action__Fibonacci_FeedbackMessage__fini(&message);
  return status;
}

static saltus_status_t end_with(const saltus_goal_t *goal, saltus_goal_end_t how)
{
  uint8_t *bytes;
  size_t size;
  write_result(1, &bytes, &size);
  const saltus_status_t status = saltus_goal_end(goal, how, bytes, size);
  free(bytes);
  return status;
}

static saltus_status_t apply(const saltus_goal_t *goal, const char *event)
{
  if (strcmp(event, "execute") == 0) {
    return saltus_goal_execute(goal);
  }
  if (strcmp(event, "feedback") == 0) {
    return publish_feedback(goal);
  }
  return end_with(
    goal, strcmp(event, "succeed") == 0 ? SALTUS_GOAL_SUCCEEDED :
    strcmp(event, "abort") == 0 ? SALTUS_GOAL_ABORTED : SALTUS_GOAL_CANCELED);
}

/** Applies an event to a goal. */
static void goal(struct subject *subject, const char *const *words, response_t *response)
{
  static const char *const states[] = {
    "UNKNOWN", "ACCEPTED", "EXECUTING", "CANCELING", "SUCCEEDED", "CANCELED", "ABORTED"};
  saltus_goal_id_t id;
  (void)subject;
  if (!read_id(words[1], &id)) {
    refuse(response, "expected the id of a goal");
    return;
  }
  if (strcmp(words[2], "drop") == 0) {
    drop(&id);
    succeed(response, "");
    return;
  }
  lock();
  const struct kept *kept = wait_until(is_kept, &id, SECOND) ? *find(&id) : NULL;
  unlock();
  /* Only commands remove goals, and they run one after the other. */
  if (kept == NULL) {
    refuse(response, "no such goal");
  } else if (apply(kept->goal, words[2]) == SALTUS_OK) {
    succeed(response, states[saltus_goal_status(kept->goal)]);
  } else {
    refuse(response, states[saltus_goal_status(kept->goal)]);
  }
}

/** The outcome of a request to a server of an action. */
struct outcome
{
  bool is_there;
  saltus_status_t status;
  /** The text of a failure, which only the thread of the callback knows. */
  char text[200];
  saltus_message_t *message;
};

static bool is_there(const void *outcome)
{
  return ((const struct outcome *)outcome)->is_there;
}

static saltus_next_t on_outcome(void *context, saltus_status_t status, saltus_message_t *message)
{
  struct outcome *outcome = context;
  lock();
  outcome->status = status;
  if (status != SALTUS_OK) {
    snprintf(outcome->text, sizeof outcome->text, "%s", saltus_error_message());
  }
  if (message != NULL) {
    OK(saltus_message_keep(message, &outcome->message));
  }
  outcome->is_there = true;
  notify();
  unlock();
  return SALTUS_CONTINUE;
}

/** Waits for an outcome, unless the request failed. Returns its status. */
static saltus_status_t wait_for(struct outcome *outcome, saltus_status_t sent, int64_t timeout)
{
  if (sent != SALTUS_OK) {
    return sent;
  }
  lock();
  const bool has_come = wait_until(is_there, outcome, timeout);
  unlock();
  if (has_come && outcome->status != SALTUS_OK) {
    saltus_set_error_message(outcome->text);
  }
  return has_come ? outcome->status : SALTUS_TIMEOUT;
}

/** Requests the result of a goal, and responds with it. */
static void respond_with_result(
  const saltus_action_client_t *client, const saltus_goal_id_t *id, int64_t timeout, response_t *response,
  struct outcome *outcome)
{
  const rosidl_message_type_support_t *support = types()->result_service_type_support->response_typesupport;
  const saltus_status_t sent = saltus_action_client_get_result(client, id, on_outcome, outcome, NULL);
  saltus_status_t status = wait_for(outcome, sent, timeout);
  result_t result;
  example_interfaces__action__Fibonacci_GetResult_Response__init(&result);
  if (status == SALTUS_OK) {
    status = saltus_typed_read(
      support, saltus_message_data(outcome->message), saltus_message_size(outcome->message), &result);
  }
  if (status != SALTUS_OK) {
    respond_with(response, status);
  } else {
    switch (result.status) {
      case SALTUS_GOAL_SUCCEEDED: succeed(response, "succeeded"); break;
      case SALTUS_GOAL_CANCELED: succeed(response, "canceled"); break;
      case SALTUS_GOAL_ABORTED: succeed(response, "aborted"); break;
      default: refuse(response, "unknown_goal"); break;
    }
  }
  example_interfaces__action__Fibonacci_GetResult_Response__fini(&result);
}

static saltus_status_t send(
  const saltus_action_client_t *client, const saltus_goal_id_t *id, int32_t order, struct outcome *outcome)
{
  request_t request;
  uint8_t *bytes;
  size_t size;
  example_interfaces__action__Fibonacci_SendGoal_Request__init(&request);
  request.goal.order = order;
  OK(saltus_typed_write(types()->goal_service_type_support->request_typesupport, &request, &bytes, &size));
  const saltus_status_t status = saltus_action_client_send_goal(client, id, bytes, size, on_outcome, outcome, NULL);
  free(bytes);
  return status;
}

/** Returns an id that no other goal of this process has. The number of the process makes it different from those of others. */
static saltus_goal_id_t new_id(struct subject *subject)
{
  static uint64_t count = 0;
  const uint64_t process = saltus_context_process(subject->context);
  saltus_goal_id_t id;
  ++count;
  memcpy(id.bytes, &process, sizeof process);
  memcpy(id.bytes + sizeof process, &count, sizeof count);
  return id;
}

static saltus_action_client_t *new_client(struct subject *subject, const char *name, int64_t timeout)
{
  struct action_types own;
  const saltus_action_options_t options = options_of(name, &own);
  saltus_action_client_t *client;
  OK(saltus_action_client_create(subject->node, &options, &client));
  /* If there is no server, the next request says so. */
  (void)saltus_action_client_wait(client, timeout);
  return client;
}

/** Closes a client. No outcome comes afterwards. */
static void close_client(saltus_action_client_t *client, struct outcome *outcomes, size_t count)
{
  saltus_action_client_destroy(client);
  for (size_t index = 0; index < count; ++index) {
    saltus_message_destroy(outcomes[index].message);
  }
}

static void send_goal(struct subject *subject, const char *const *words, response_t *response)
{
  const int64_t timeout = nanoseconds(words[3]);
  const saltus_goal_id_t id = new_id(subject);
  saltus_action_client_t *client = new_client(subject, words[1], timeout);
  struct outcome outcomes[2] = {{.is_there = false}, {.is_there = false}};
  bool is_accepted = false;
  int64_t stamp;
  saltus_status_t status = send(client, &id, (int32_t)strtol(words[2], NULL, 10), &outcomes[0]);
  status = wait_for(&outcomes[0], status, timeout);
  if (status == SALTUS_OK) {
    status = saltus_goal_response_read(outcomes[0].message, &is_accepted, &stamp);
  }
  if (status != SALTUS_OK) {
    respond_with(response, status);
  } else if (!is_accepted) {
    refuse(response, "rejected");
  } else {
    respond_with_result(client, &id, timeout, response, &outcomes[1]);
  }
  close_client(client, outcomes, 2);
}

static void unknown_result(struct subject *subject, const char *const *words, response_t *response)
{
  const saltus_goal_id_t id = new_id(subject);
  saltus_action_client_t *client = new_client(subject, words[1], 10 * SECOND);
  struct outcome outcome = {.is_there = false};
  respond_with_result(client, &id, 10 * SECOND, response, &outcome);
  close_client(client, &outcome, 1);
}

const struct command GOAL_COMMANDS[] = {
  {"goal", 3, goal}, {"send_goal", 4, send_goal}, {"unknown_result", 2, unknown_result}, {NULL, 0, NULL}};
