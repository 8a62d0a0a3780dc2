/* The subject of the conformance suite in C; tests/conformance/README.md describes it. The node, and the service for commands. */
#include "subject.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "rosidl_runtime_c/string_functions.h"

#define SECOND INT64_C(1000000000)
/** More words than a command has. */
#define MAX_WORDS 8

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;

void lock(void)
{
  pthread_mutex_lock(&mutex);
}

void unlock(void)
{
  pthread_mutex_unlock(&mutex);
}

void notify(void)
{
  pthread_cond_broadcast(&changed);
}

bool wait_until(condition_t *holds, const void *context, int64_t timeout)
{
  struct timespec until;
  int failure = 0;
  clock_gettime(CLOCK_MONOTONIC, &until);
  timeout += until.tv_nsec;
  until.tv_sec += (time_t)(timeout / SECOND);
  until.tv_nsec = (long)(timeout % SECOND);
  while (!holds(context) && failure == 0) {
    failure = pthread_cond_timedwait(&changed, &mutex, &until);
  }
  return holds(context);
}

void *allocate(size_t size)
{
  void *memory = calloc(1, size);
  if (memory == NULL) {
    fputs("there is not enough memory\n", stderr);
    exit(1);
  }
  return memory;
}

char *copy_of(const char *text)
{
  char *copy = allocate(strlen(text) + 1);
  strcpy(copy, text);
  return copy;
}

int64_t nanoseconds(const char *seconds)
{
  return (int64_t)(strtod(seconds, NULL) * (double)SECOND);
}

static void respond(response_t *response, bool is_ok, const char *text)
{
  response->ok = is_ok;
  rosidl_runtime_c__String__assign(&response->text, text);
}

void succeed(response_t *response, const char *text)
{
  respond(response, true, text);
}

void refuse(response_t *response, const char *text)
{
  respond(response, false, text);
}

void respond_with(response_t *response, saltus_status_t status)
{
  switch (status) {
    case SALTUS_OK: succeed(response, ""); break;
    case SALTUS_TIMEOUT: refuse(response, "timeout"); break;
    case SALTUS_NO_SERVER: refuse(response, "no_server"); break;
    case SALTUS_SERVER_GONE: refuse(response, "server_gone"); break;
    case SALTUS_NOT_ANSWERED: refuse(response, "not_answered"); break;
    case SALTUS_PARAMETER_NOT_DECLARED: refuse(response, "not_declared"); break;
    case SALTUS_PARAMETER_ALREADY_DECLARED: refuse(response, "already_declared"); break;
    case SALTUS_PARAMETER_NOT_INITIALIZED: refuse(response, "not_initialized"); break;
    case SALTUS_PARAMETER_TYPE: refuse(response, "type"); break;
    case SALTUS_PARAMETER_READ_ONLY: refuse(response, "read_only"); break;
    case SALTUS_PARAMETER_NAME: refuse(response, "bad_name"); break;
    case SALTUS_PARAMETER_VALUE: refuse(response, "range"); break;
    case SALTUS_PARAMETER_REJECTED: refuse(response, "rejected"); break;
    default: refuse(response, saltus_error_message()); break;
  }
}

/** Executes the command in a list that has this name. Returns whether there is one. */
static bool run_one_of(
  const struct command *commands, struct subject *subject, const char *const *words, size_t count, response_t *response)
{
  for (; commands->name != NULL; ++commands) {
    if (strcmp(commands->name, words[0]) == 0 && commands->words == count) {
      commands->run(subject, words, response);
      return true;
    }
  }
  return false;
}

static void run(struct subject *subject, const saltus_conformance_msgs__srv__Command_Request *request, response_t *response)
{
  const struct command *const lists[] = {
    CONTAINER_COMMANDS, GOAL_COMMANDS, LIFECYCLE_COMMANDS, PARAMETER_COMMANDS, SERVICE_COMMANDS, TOPIC_COMMANDS};
  const char *words[MAX_WORDS] = {""};
  const size_t count = request->words.size < MAX_WORDS ? request->words.size : MAX_WORDS;
  for (size_t index = 0; index < count; ++index) {
    words[index] = request->words.data[index].data;
  }
  for (size_t index = 0; index < sizeof lists / sizeof lists[0]; ++index) {
    if (run_one_of(lists[index], subject, words, count, response)) {
      return;
    }
  }
  refuse(response, "no such command, or not so many words");
}

static saltus_next_t on_command(void *context, saltus_message_t *message, saltus_responder_t *responder)
{
  saltus_conformance_msgs__srv__Command_Request request;
  response_t response;
  const rosidl_service_type_support_t *types = ROSIDL_GET_SRV_TYPE_SUPPORT(saltus_conformance_msgs, srv, Command);
  saltus_conformance_msgs__srv__Command_Request__init(&request);
  saltus_conformance_msgs__srv__Command_Response__init(&response);
  OK(saltus_typed_read(
      types->request_typesupport, saltus_message_data(message), saltus_message_size(message), &request));
  run(context, &request, &response);
  /* The suite may have ended. */
  (void)saltus_typed_respond(types->response_typesupport, responder, &response);
  saltus_conformance_msgs__srv__Command_Request__fini(&request);
  saltus_conformance_msgs__srv__Command_Response__fini(&response);
  return SALTUS_CONTINUE;
}

static saltus_service_t *open_commands(struct subject *subject)
{
  const saltus_type_t type = saltus_type_of_service(ROSIDL_GET_SRV_TYPE_SUPPORT(saltus_conformance_msgs, srv, Command));
  saltus_service_options_t options;
  saltus_service_t *service;
  saltus_group_t *group;
  /* Commands wait for other callbacks, and other callbacks wait for commands. So commands have their own group. */
  OK(saltus_group_create(subject->node, SALTUS_GROUP_MUTUALLY_EXCLUSIVE, true, &group));
  saltus_service_options_init(&options, sizeof options);
  options.service = "~/command";
  options.type = &type;
  options.group = group;
  OK(saltus_service_create(subject->node, &options, on_command, subject, NULL, &service));
  saltus_group_destroy(group);
  return service;
}

/** The suite closes the standard input at its end. */
static void *shut_down_at_the_end_of_input(void *context)
{
  char bytes[64];
  while (read(STDIN_FILENO, bytes, sizeof bytes) > 0) {
  }
  OK(saltus_context_shut_down(context));
  return NULL;
}

int main(int argc, char *argv[])
{
  struct subject subject;
  saltus_context_options_t context_options;
  saltus_node_options_t node_options;
  saltus_executor_options_t executor_options;
  pthread_condattr_t attributes;
  pthread_t input;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&changed, &attributes);
  saltus_context_options_init(&context_options, sizeof context_options);
  context_options.argument_count = (size_t)argc;
  context_options.arguments = (const char *const *)argv;
  OK(saltus_context_create(&context_options, &subject.context));
  saltus_node_options_init(&node_options, sizeof node_options);
  node_options.name = "subject";
  OK(saltus_node_create(subject.context, &node_options, &subject.node));
  saltus_executor_options_init(&executor_options, sizeof executor_options);
  executor_options.threads = 2;
  OK(saltus_executor_create(subject.context, &executor_options, &subject.executor));
  OK(saltus_executor_add_node(subject.executor, subject.node));
  open_services(&subject);
  open_action(&subject);
  declare_parameters(&subject);
  saltus_service_t *const commands = open_commands(&subject);
  pthread_create(&input, NULL, shut_down_at_the_end_of_input, subject.context);
  puts("ready");
  fflush(stdout);
  OK(saltus_executor_spin(subject.executor));
  saltus_service_destroy(commands);
  saltus_executor_destroy(subject.executor);
  return 0;
}
