/* Contexts, nodes, services, timers, parameters, graph, logging. */
#include <pthread.h>
#include <string.h>

#include "check.h"

static const uint8_t REQUEST[] = {0, 1, 0, 0, 1, 2, 3, 4};

struct service
{
  int requests;
  saltus_responder_t *deferred;
};

static saltus_next_t on_request(void *context, saltus_message_t *request, saltus_responder_t *responder)
{
  struct service *service = context;
  saltus_gid_t client;
  uint64_t sequence;
  service->requests += 1;
  OK(saltus_responder_request(responder, &client, &sequence));
  CHECK(sequence == (uint64_t)service->requests);
  if (service->requests == 1) {
    OK(saltus_responder_send(responder, saltus_message_data(request), saltus_message_size(request)));
  } else {
    service->deferred = responder;
  }
  return SALTUS_CONTINUE;
}

struct outcome
{
  int count;
  saltus_status_t status;
  size_t size;
};

static saltus_next_t on_response(void *context, saltus_status_t status, saltus_message_t *response)
{
  struct outcome *outcome = context;
  outcome->count += 1;
  outcome->status = status;
  outcome->size = saltus_message_size(response);
  return SALTUS_CONTINUE;
}

static void count_drop(void *context)
{
  *(int *)context += 1;
}

static saltus_next_t no_response(void *context, saltus_status_t status, saltus_message_t *response)
{
  (void)context, (void)status, (void)response;
  CHECK(!"a forgotten call gets no outcome");
  return SALTUS_STOP;
}

static void write_request(const void *context, uint8_t *bytes) {memcpy(bytes, context, sizeof REQUEST);}

static void services_answer_now_and_later(saltus_context_t *context, saltus_node_t *node)
{
  saltus_type_t type = {sizeof type, "test/srv/Echo", {0}, NULL};
  saltus_service_options_t options;
  saltus_service_t *service;
  saltus_client_t *client;
  saltus_executor_t *executor;
  struct service served = {0};
  struct outcome outcome = {0};
  uint64_t number;
  int dropped = 0;
  bool has_run;
  saltus_service_options_init(&options, sizeof options);
  options.service = "echo";
  options.type = &type;
  OK(saltus_client_create(node, &options, &client));
  CHECK(!saltus_client_is_ready(client));
  CHECK(saltus_client_wait(client, 1000000) == SALTUS_TIMEOUT);
  CHECK(saltus_client_call(client, REQUEST, sizeof REQUEST, on_response, &outcome, NULL, NULL) == SALTUS_NO_SERVER);
  OK(saltus_service_create(node, &options, on_request, &served, NULL, &service));
  OK(saltus_client_wait(client, 5 * SECOND));
  CHECK(strcmp(saltus_service_name(service), "/echo") == 0);
  OK(saltus_executor_create(context, NULL, &executor));
  OK(saltus_executor_add_node(executor, node));
  OK(saltus_client_call(client, REQUEST, sizeof REQUEST, on_response, &outcome, NULL, &number));
  while (outcome.count == 0) {
    OK(saltus_executor_spin_once(executor, 5 * SECOND, &has_run));
  }
  CHECK(outcome.status == SALTUS_OK && outcome.size == sizeof REQUEST);

  /* A request that is dropped is told to the client at once. A function may write the request in place. */
  CHECK(saltus_client_call_with(client, 4, NULL, NULL, on_response, &outcome, NULL, NULL) == SALTUS_INVALID_ARGUMENT);
  OK(saltus_client_call_with(client, sizeof REQUEST, write_request, REQUEST, on_response, &outcome, NULL, &number));
  while (served.requests < 2) {
    OK(saltus_executor_spin_once(executor, 5 * SECOND, &has_run));
  }
  saltus_responder_destroy(served.deferred);
  while (outcome.count < 2) {
    OK(saltus_executor_spin_once(executor, 5 * SECOND, &has_run));
  }
  CHECK(outcome.status == SALTUS_NOT_ANSWERED);

  /* A forgotten call drops its context at once. */
  OK(saltus_client_call(client, REQUEST, sizeof REQUEST, no_response, &dropped, count_drop, &number));
  CHECK(saltus_client_forget(client, number) && dropped == 1);
  CHECK(!saltus_client_forget(client, number));
  /* So does the end of the client. */
  OK(saltus_client_call(client, REQUEST, sizeof REQUEST, no_response, &dropped, count_drop, &number));
  saltus_client_destroy(client);
  CHECK(dropped == 2);
  while (served.requests < 4) {
    OK(saltus_executor_spin_once(executor, 5 * SECOND, &has_run));
    if (served.deferred != NULL && served.requests == 3) {
      saltus_responder_destroy(served.deferred);
    }
  }
  CHECK(saltus_responder_send_with(served.deferred, sizeof REQUEST, write_request, REQUEST) == SALTUS_CLIENT_GONE);
  saltus_service_destroy(service);
  saltus_executor_destroy(executor);
}

struct slow
{
  pthread_mutex_t lock;
  pthread_cond_t begun;
  int state;
};

static saltus_next_t run_slowly(void *context)
{
  struct slow *slow = context;
  saltus_context_t *pause;
  pthread_mutex_lock(&slow->lock);
  slow->state = 1;
  pthread_cond_signal(&slow->begun);
  pthread_mutex_unlock(&slow->lock);
  /* Long enough that the other thread waits in the function that destroys the timer. */
  saltus_context_options_t options;
  saltus_context_options_init(&options, sizeof options);
  options.signal_set = 0;
  OK(saltus_context_create(&options, &pause));
  saltus_context_sleep(pause, SECOND / 10);
  saltus_context_destroy(pause);
  slow->state = 2;
  return SALTUS_CONTINUE;
}

static void *spin(void *executor)
{
  OK(saltus_executor_spin(executor));
  return NULL;
}

static void the_end_of_a_timer_waits_for_its_callback(saltus_context_t *context, saltus_node_t *node)
{
  struct slow slow = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
  saltus_timer_t *timer;
  saltus_executor_t *executor;
  pthread_t thread;
  OK(saltus_timer_create(node, 1000000, NULL, NULL, run_slowly, &slow, NULL, &timer));
  OK(saltus_executor_create(context, NULL, &executor));
  OK(saltus_executor_add_node(executor, node));
  CHECK(pthread_create(&thread, NULL, spin, executor) == 0);
  pthread_mutex_lock(&slow.lock);
  while (slow.state == 0) {
    pthread_cond_wait(&slow.begun, &slow.lock);
  }
  pthread_mutex_unlock(&slow.lock);
  saltus_timer_destroy(timer);
  CHECK(slow.state == 2);
  OK(saltus_executor_cancel(executor));
  pthread_join(thread, NULL);
  saltus_executor_destroy(executor);
}

static saltus_next_t count_call(void *context)
{
  *(int *)context += 1;
  return SALTUS_CONTINUE;
}

static void timers_and_guards_call(saltus_context_t *context, saltus_node_t *node)
{
  saltus_timer_t *timer;
  saltus_guard_t *guard;
  saltus_executor_t *executor;
  saltus_clock_t *clock;
  int calls = 0, triggers = 0;
  bool has_run;
  OK(saltus_node_clock(node, &clock));
  CHECK(saltus_clock_kind(clock) == SALTUS_CLOCK_ROS && saltus_clock_now(clock) > 0);
  OK(saltus_timer_create(node, 1000000, clock, NULL, count_call, &calls, NULL, &timer));
  saltus_clock_destroy(clock);
  CHECK(saltus_timer_create(node, -1, NULL, NULL, count_call, &calls, NULL, NULL) == SALTUS_INVALID_ARGUMENT);
  OK(saltus_guard_create(node, NULL, count_call, &triggers, NULL, &guard));
  OK(saltus_executor_create(context, NULL, &executor));
  OK(saltus_executor_add_node(executor, node));
  OK(saltus_guard_trigger(guard));
  OK(saltus_guard_trigger(guard));
  while (calls < 3) {
    OK(saltus_executor_spin_once(executor, 5 * SECOND, &has_run));
  }
  CHECK(triggers == 1);
  OK(saltus_timer_cancel(timer));
  CHECK(saltus_timer_is_canceled(timer) && saltus_timer_time_until_call(timer) == -1);
  OK(saltus_timer_reset(timer));
  CHECK(!saltus_timer_is_canceled(timer) && saltus_timer_period(timer) == 1000000);
  saltus_timer_destroy(timer);
  saltus_guard_destroy(guard);
  saltus_executor_destroy(executor);
}

static void the_context_of_signals_is_dropped_if_there_is_no_place(void)
{
  saltus_context_options_t options;
  int drops = 0;
  saltus_context_options_init(&options, sizeof options);
  options.on_signal_context = &drops;
  options.on_signal_drop = count_drop;
  CHECK(saltus_context_create(&options, NULL) == SALTUS_INVALID_ARGUMENT && drops == 1);
}

static const char *refuse_negative(void *context, const saltus_parameter_t *parameters, size_t count)
{
  (void)context;
  for (size_t index = 0; index < count; ++index) {
    if (parameters[index].value->type == SALTUS_PARAMETER_INTEGER && parameters[index].value->integer < 0) {
      return "negative";
    }
  }
  return NULL;
}

static void parameters_are_declared_and_checked(saltus_node_t *node)
{
  saltus_value_t value = {sizeof value, SALTUS_PARAMETER_INTEGER, 0, 7, 0.0, NULL, NULL, 0};
  const char *names[] = {"a", "b"};
  saltus_value_t texts = {sizeof texts, SALTUS_PARAMETER_STRING_ARRAY, 0, 0, 0.0, NULL, names, 2};
  saltus_parameter_t parameter = {"count", &value};
  saltus_parameter_result_t *result;
  saltus_parameter_callback_t *callback;
  saltus_parameter_names_t *listed;
  const saltus_value_t *found;
  OK(saltus_node_declare_parameter(node, "count", &value, NULL, false, &result));
  CHECK(saltus_parameter_result_value(result)->integer == 7);
  saltus_parameter_result_destroy(result);
  CHECK(saltus_node_declare_parameter(node, "count", &value, NULL, false, &result) == SALTUS_PARAMETER_ALREADY_DECLARED);
  OK(saltus_node_declare_parameter(node, "names", &texts, NULL, false, &result));
  found = saltus_parameter_result_value(result);
  CHECK(found->type == SALTUS_PARAMETER_STRING_ARRAY && found->count == 2);
  CHECK(strcmp(((const char *const *)found->elements)[1], "b") == 0);
  saltus_parameter_result_destroy(result);
  OK(saltus_node_on_set(node, refuse_negative, NULL, NULL, &callback));
  value.integer = -1;
  CHECK(saltus_node_set_parameters(node, &parameter, 1) == SALTUS_PARAMETER_REJECTED);
  CHECK(strstr(saltus_error_message(), "negative") != NULL);
  saltus_parameter_callback_destroy(callback);
  OK(saltus_node_set_parameters(node, &parameter, 1));
  OK(saltus_node_get_parameter(node, "count", &result));
  CHECK(saltus_parameter_result_value(result)->integer == -1);
  saltus_parameter_result_destroy(result);
  CHECK(saltus_node_get_parameter(node, "none", &result) == SALTUS_PARAMETER_NOT_DECLARED && result == NULL);
  CHECK(saltus_node_has_parameter(node, "names") && !saltus_node_has_parameter(node, "none"));
  OK(saltus_node_list_parameters(node, NULL, 0, 0, &listed));
  CHECK(strcmp(saltus_parameter_names_name(listed, 0), "count") == 0);
  saltus_parameter_names_destroy(listed);
}

static void the_graph_has_the_node(saltus_context_t *context, saltus_node_t *node)
{
  saltus_graph_t *graph;
  bool is_there = false;
  OK(saltus_context_graph(context, &graph));
  for (size_t index = 0; index < saltus_graph_node_count(graph); ++index) {
    is_there = is_there || strcmp(saltus_graph_node_name(graph, index), saltus_node_name(node)) == 0;
  }
  CHECK(is_there);
  for (size_t index = 0; index < saltus_graph_endpoint_count(graph, SALTUS_ENDPOINT_SERVER); ++index) {
    saltus_graph_endpoint_t endpoint = {.struct_size = sizeof endpoint};
    OK(saltus_graph_endpoint(graph, SALTUS_ENDPOINT_SERVER, index, &endpoint));
    CHECK(endpoint.name[0] == '/');
  }
  saltus_graph_destroy(graph);
}

static void names_are_resolved_and_refused(saltus_context_t *context, saltus_node_t *node)
{
  saltus_node_options_t options;
  saltus_node_t *other;
  saltus_text_t *text;
  saltus_logger_t *logger;
  OK(saltus_node_resolve_topic(node, "~/scan", &text));
  CHECK(strcmp(saltus_text_data(text), "/nodes/scan") == 0);
  saltus_text_destroy(text);
  CHECK(saltus_node_resolve_topic(node, "//", &text) == SALTUS_INVALID_TOPIC_NAME && text == NULL);
  saltus_node_options_init(&options, sizeof options);
  options.name = "1";
  CHECK(saltus_node_create(context, &options, &other) == SALTUS_INVALID_NODE_NAME);
  options.name = "fine";
  options.name_space = "/not fine";
  CHECK(saltus_node_create(context, &options, &other) == SALTUS_INVALID_NAMESPACE);
  OK(saltus_node_logger(node, &logger));
  CHECK(saltus_logger_is_enabled(logger, SALTUS_SEVERITY_INFO));
  OK(saltus_logger_set_level("nodes", SALTUS_SEVERITY_ERROR));
  CHECK(!saltus_logger_is_enabled(logger, SALTUS_SEVERITY_WARN) && saltus_logger_level("nodes") == SALTUS_SEVERITY_ERROR);
  OK(saltus_log(logger, SALTUS_SEVERITY_ERROR, __FILE__, "main", __LINE__, "a record"));
  saltus_logger_destroy(logger);
}

static void arguments_are_read(void)
{
  const char *arguments[] = {"program", "--mine", "--ros-args", "-r", "__node:=other", "--", "file"};
  const char *unknown[] = {"program", "--ros-args", "--unknown"};
  saltus_context_options_t options;
  saltus_context_t *context;
  saltus_context_options_init(&options, sizeof options);
  options.signal_set = 0;
  options.arguments = arguments;
  options.argument_count = 7;
  OK(saltus_context_create(&options, &context));
  CHECK(saltus_context_argument_count(context) == 3);
  CHECK(strcmp(saltus_context_argument(context, 1), "--mine") == 0);
  CHECK(saltus_context_argument(context, 3) == NULL);
  CHECK(saltus_context_is_ok(context) && saltus_context_sleep(context, 1));
  OK(saltus_context_shut_down(context));
  CHECK(!saltus_context_is_ok(context) && !saltus_context_sleep(context, -1));
  saltus_context_destroy(context);
  options.arguments = unknown;
  options.argument_count = 3;
  CHECK(saltus_context_create(&options, &context) == SALTUS_UNKNOWN_ROS_ARGUMENTS);
  options.argument_count = 0;
  options.domain = 1000;
  CHECK(saltus_context_create(&options, &context) == SALTUS_INVALID_ARGUMENT);
}

int main(void)
{
  saltus_context_t *context;
  saltus_node_t *node = new_node("nodes", &context);
  services_answer_now_and_later(context, node);
  the_end_of_a_timer_waits_for_its_callback(context, node);
  timers_and_guards_call(context, node);
  parameters_are_declared_and_checked(node);
  the_graph_has_the_node(context, node);
  names_are_resolved_and_refused(context, node);
  arguments_are_read();
  the_context_of_signals_is_dropped_if_there_is_no_place();
  saltus_node_destroy(node);
  saltus_context_destroy(context);
  return 0;
}
