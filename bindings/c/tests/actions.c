/* Actions and lifecycles. */
#include <string.h>

#include "check.h"

/* A _SendGoal_Request: the encapsulation, the id, and an int32. The id is set by the library. */
static const uint8_t GOAL[24] = {0, 1, 0, 0, [20] = 5};
/* A _FeedbackMessage: the encapsulation, the id, and an empty sequence of int32. */
static const uint8_t FEEDBACK[24] = {0, 1};
/* A _GetResult_Response: the encapsulation, the status, and an empty sequence of int32. */
static const uint8_t RESULT[12] = {0, 1};

static saltus_type_t SEND_GOAL = {sizeof SEND_GOAL, "example_interfaces/action/Fibonacci_SendGoal", {0}, NULL};
static saltus_type_t GET_RESULT = {sizeof GET_RESULT, "example_interfaces/action/Fibonacci_GetResult", {0}, NULL};
static saltus_type_t MESSAGE = {sizeof MESSAGE, "example_interfaces/action/Fibonacci_FeedbackMessage", {0}, NULL};

struct server
{
  saltus_goal_id_t asked;
  saltus_goal_decision_t decision;
  saltus_goal_t *goal;
  int drops;
};

static saltus_next_t on_goal(
  void *context, const saltus_goal_id_t *id, const uint8_t *request, size_t size, saltus_goal_decision_t *decision)
{
  struct server *server = context;
  CHECK(size == sizeof GOAL && request[20] == 5);
  CHECK(memcmp(request + 4, id->bytes, 16) == 0);
  server->asked = *id;
  *decision = server->decision;
  return SALTUS_CONTINUE;
}

static saltus_next_t on_cancel(void *context, const saltus_goal_t *goal, bool *accepts)
{
  saltus_goal_id_t id;
  OK(saltus_goal_id(goal, &id));
  CHECK(memcmp(&id, &((struct server *)context)->asked, sizeof id) == 0);
  *accepts = true;
  return SALTUS_CONTINUE;
}

static saltus_next_t on_accepted(void *context, saltus_goal_t *goal)
{
  ((struct server *)context)->goal = goal;
  return SALTUS_CONTINUE;
}

static void on_drop(void *context)
{
  ((struct server *)context)->drops += 1;
}

struct client
{
  int responses;
  bool is_accepted;
  int64_t stamp;
  int feedbacks;
  int feedbacks_before_result;
  int8_t status;
  saltus_status_t failure;
};

static saltus_next_t on_response(void *context, saltus_status_t status, saltus_message_t *response)
{
  struct client *client = context;
  client->responses += 1;
  client->failure = status;
  if (status == SALTUS_OK) {
    OK(saltus_goal_response_read(response, &client->is_accepted, &client->stamp));
  }
  return SALTUS_CONTINUE;
}

static saltus_next_t on_feedback(void *context, const uint8_t *data, size_t size)
{
  CHECK(size == sizeof FEEDBACK && data[4] == 7);
  ((struct client *)context)->feedbacks += 1;
  return SALTUS_CONTINUE;
}

static saltus_next_t on_last_feedback(void *context, const uint8_t *data, size_t size)
{
  on_feedback(context, data, size);
  return SALTUS_STOP;
}

static saltus_next_t on_result(void *context, saltus_status_t status, saltus_message_t *response)
{
  struct client *client = context;
  client->responses += 1;
  client->failure = status;
  client->feedbacks_before_result = client->feedbacks;
  if (status == SALTUS_OK) {
    CHECK(saltus_message_size(response) == sizeof RESULT);
    client->status = (int8_t)saltus_message_data(response)[4];
  }
  return SALTUS_CONTINUE;
}

static saltus_next_t on_canceled(void *context, saltus_status_t status, saltus_message_t *response)
{
  struct client *client = context;
  (void)response;
  client->responses += 1;
  client->failure = status;
  return SALTUS_CONTINUE;
}

static void spin_until(saltus_executor_t *executor, const int *count, int wanted)
{
  for (int pass = 0; pass < 1000 && *count < wanted; ++pass) {
    bool has_run;
    OK(saltus_executor_spin_once(executor, SECOND / 100, &has_run));
  }
  CHECK(*count == wanted);
}

static void goals_are_sent_executed_and_canceled(saltus_context_t *context, saltus_node_t *node)
{
  struct server served = {{{0}}, SALTUS_GOAL_EXECUTE, NULL, 0};
  struct client asked = {0};
  saltus_action_options_t options;
  saltus_action_functions_t functions = {
    sizeof functions, on_goal, on_cancel, on_accepted, &served, on_drop};
  saltus_action_server_t *server;
  saltus_action_client_t *client;
  saltus_executor_t *executor;
  saltus_goal_t *first;
  saltus_goal_id_t id = {{7, 1}};
  const saltus_goal_id_t other = {{7, 2}};
  size_t size;
  saltus_action_options_init(&options, sizeof options);
  options.action = "fibonacci";
  options.send_goal = &SEND_GOAL;
  options.get_result = &GET_RESULT;
  options.feedback = &MESSAGE;
  CHECK(saltus_action_server_create(node, &options, &functions, &server) == SALTUS_UNREADABLE);
  CHECK(served.drops == 1);
  CHECK(saltus_action_server_create(node, &options, &functions, NULL) == SALTUS_INVALID_ARGUMENT);
  CHECK(served.drops == 2);
  options.empty_result = RESULT;
  options.empty_result_size = sizeof RESULT;
  OK(saltus_action_server_create(node, &options, &functions, &server));
  OK(saltus_action_client_create(node, &options, &client));
  CHECK(strcmp(saltus_action_server_name(server), "/fibonacci") == 0);
  CHECK(strcmp(saltus_action_client_name(client), "/fibonacci") == 0);
  OK(saltus_action_client_wait(client, 5 * SECOND));
  OK(saltus_executor_create(context, NULL, &executor));
  OK(saltus_executor_add_node(executor, node));

  OK(saltus_action_client_on_feedback(client, &id, on_feedback, &asked, NULL));
  OK(saltus_action_client_send_goal(client, &id, GOAL, sizeof GOAL, on_response, &asked, NULL));
  spin_until(executor, &asked.responses, 1);
  CHECK(asked.is_accepted && asked.stamp > 0);
  CHECK(memcmp(&served.asked, &id, sizeof id) == 0);
  CHECK(served.goal != NULL && saltus_action_server_goal_count(server) == 1);
  CHECK(saltus_goal_request(served.goal, &size)[20] == 5 && size == sizeof GOAL);
  CHECK(saltus_goal_end(served.goal, SALTUS_GOAL_CANCELED, RESULT, sizeof RESULT) == SALTUS_GOAL_TRANSITION);
  CHECK(saltus_goal_end(served.goal, 9, RESULT, sizeof RESULT) == SALTUS_INVALID_ARGUMENT);
  OK(saltus_goal_publish_feedback(served.goal, FEEDBACK, sizeof FEEDBACK));
  OK(saltus_goal_publish_feedback(served.goal, FEEDBACK, sizeof FEEDBACK));
  OK(saltus_goal_end(served.goal, SALTUS_GOAL_SUCCEEDED, RESULT, sizeof RESULT));
  OK(saltus_action_client_get_result(client, &id, on_result, &asked, NULL));
  spin_until(executor, &asked.responses, 2);
  CHECK(asked.status == SALTUS_GOAL_SUCCEEDED && asked.feedbacks_before_result == 2);
  CHECK(saltus_goal_publish_feedback(served.goal, FEEDBACK, sizeof FEEDBACK) == SALTUS_GOAL_TRANSITION);
  saltus_goal_destroy(served.goal);
  OK(saltus_action_client_forget_feedback(client, &id));

  OK(saltus_action_client_send_goal(client, &other, GOAL, sizeof GOAL, on_response, &asked, NULL));
  spin_until(executor, &asked.responses, 3);
  OK(saltus_action_client_cancel(client, &other, 0, on_canceled, &asked, NULL));
  spin_until(executor, &asked.responses, 4);
  CHECK(saltus_goal_status(served.goal) == 3);
  OK(saltus_action_client_get_result(client, &other, on_result, &asked, NULL));
  saltus_goal_destroy(served.goal);
  spin_until(executor, &asked.responses, 5);
  CHECK(asked.status == SALTUS_GOAL_CANCELED);

  /* A callback for feedback that stops the executor does not keep the result of another goal back. */
  id.bytes[1] = 4;
  OK(saltus_action_client_send_goal(client, &id, GOAL, sizeof GOAL, on_response, &asked, NULL));
  spin_until(executor, &asked.responses, 6);
  OK(saltus_action_client_get_result(client, &id, on_result, &asked, NULL));
  first = served.goal;
  id.bytes[1] = 5;
  OK(saltus_action_client_on_feedback(client, &id, on_last_feedback, &asked, NULL));
  OK(saltus_action_client_send_goal(client, &id, GOAL, sizeof GOAL, on_response, &asked, NULL));
  spin_until(executor, &asked.responses, 7);
  OK(saltus_goal_end(first, SALTUS_GOAL_SUCCEEDED, RESULT, sizeof RESULT));
  OK(saltus_goal_publish_feedback(served.goal, FEEDBACK, sizeof FEEDBACK));
  asked.status = 0;
  CHECK(saltus_executor_spin(executor) == SALTUS_STOPPED);
  spin_until(executor, &asked.responses, 8);
  CHECK(asked.status == SALTUS_GOAL_SUCCEEDED);
  saltus_goal_destroy(first);
  saltus_goal_destroy(served.goal);

  served.decision = SALTUS_GOAL_REJECT;
  id.bytes[1] = 3;
  OK(saltus_action_client_send_goal(client, &id, GOAL, sizeof GOAL, on_response, &asked, NULL));
  spin_until(executor, &asked.responses, 9);
  CHECK(!asked.is_accepted);
  CHECK(saltus_action_client_send_goal(client, &id, GOAL, 3, on_response, &asked, NULL) != SALTUS_OK);

  saltus_action_server_destroy(server);
  CHECK(served.drops == 3);
  CHECK(!saltus_action_client_is_ready(client));
  CHECK(saltus_action_client_wait(client, 1000000) == SALTUS_TIMEOUT);
  CHECK(saltus_action_client_get_result(client, &id, on_result, &asked, NULL) == SALTUS_NO_SERVER);
  saltus_action_client_destroy(client);
  OK(saltus_executor_remove_node(executor, node));
  saltus_executor_destroy(executor);
}

struct lifecycle
{
  int calls;
  uint8_t state;
  uint8_t previous;
  uint8_t result;
};

static uint8_t on_transition(void *context, uint8_t state, uint8_t previous)
{
  struct lifecycle *lifecycle = context;
  lifecycle->calls += 1;
  lifecycle->state = state;
  lifecycle->previous = previous;
  return lifecycle->result;
}

static void a_node_has_a_lifecycle(saltus_node_t *node)
{
  struct lifecycle called = {0, 0, 0, SALTUS_CALLBACK_SUCCESS};
  saltus_lifecycle_t *lifecycle;
  saltus_lifecycle_step_t step = {sizeof step, 0, 0, 0, NULL};
  uint8_t result = 0;
  OK(saltus_lifecycle_create(node, true, on_transition, &called, NULL, &lifecycle));
  CHECK(strcmp(saltus_lifecycle_state_label(saltus_lifecycle_state(lifecycle)), "unconfigured") == 0);
  OK(saltus_lifecycle_change_state(lifecycle, 1, &result));
  CHECK(result == SALTUS_CALLBACK_SUCCESS && called.state == 10 && called.previous == 1);
  CHECK(saltus_lifecycle_state(lifecycle) == 2);
  CHECK(saltus_lifecycle_change_state(lifecycle, 1, &result) == SALTUS_LIFECYCLE_TRANSITION);
  CHECK(saltus_lifecycle_change_state(lifecycle, 99, &result) == SALTUS_LIFECYCLE_TRANSITION);
  called.result = SALTUS_CALLBACK_FAILURE;
  OK(saltus_lifecycle_change_state(lifecycle, 3, &result));
  CHECK(result == SALTUS_CALLBACK_FAILURE && saltus_lifecycle_state(lifecycle) == 2);
  called.result = 3;
  OK(saltus_lifecycle_change_state(lifecycle, 3, &result));
  CHECK(result == SALTUS_CALLBACK_ERROR && called.state == 15 && saltus_lifecycle_state(lifecycle) == 4);
  CHECK(called.calls == 4);
  saltus_lifecycle_destroy(lifecycle);
  CHECK(saltus_lifecycle_state_count() == 11 && saltus_lifecycle_state_at(0) == 0);
  CHECK(saltus_lifecycle_step_count() == 25);
  OK(saltus_lifecycle_step_at(0, &step));
  CHECK(step.id == 1 && step.start == 1 && step.goal == 10 && strcmp(step.label, "configure") == 0);
  CHECK(saltus_lifecycle_step_at(25, &step) == SALTUS_NOTHING);
}

int main(void)
{
  saltus_context_t *context;
  saltus_node_t *node = new_node("actions", &context);
  goals_are_sent_executed_and_canceled(context, node);
  a_node_has_a_lifecycle(node);
  saltus_node_destroy(node);
  saltus_context_destroy(context);
  return 0;
}
