/* The services of the subject, and its calls of other services. */
#include <pthread.h>

#include "example_interfaces/srv/add_two_ints.h"
#include "subject.h"

typedef example_interfaces__srv__AddTwoInts_Request request_t;
typedef example_interfaces__srv__AddTwoInts_Response sum_t;

static const rosidl_service_type_support_t *types(void)
{
  return ROSIDL_GET_SRV_TYPE_SUPPORT(example_interfaces, srv, AddTwoInts);
}

static bool read_request(const saltus_message_t *message, request_t *request)
{
  example_interfaces__srv__AddTwoInts_Request__init(request);
  const saltus_status_t status = saltus_typed_read(
    types()->request_typesupport, saltus_message_data(message), saltus_message_size(message), request);
  if (status != SALTUS_OK) {
    fputs("a request can't be read\n", stderr);
  }
  return status == SALTUS_OK;
}

static void respond_sum(saltus_responder_t *responder, int64_t sum)
{
  const sum_t response = {sum};
  /* The client may have gone. */
  (void)saltus_typed_respond(types()->response_typesupport, responder, &response);
}

static saltus_next_t on_add(void *context, saltus_message_t *message, saltus_responder_t *responder)
{
  request_t request;
  (void)context;
  if (read_request(message, &request)) {
    respond_sum(responder, (int64_t)((uint64_t)request.a + (uint64_t)request.b));
  } else {
    saltus_responder_destroy(responder);
  }
  return SALTUS_CONTINUE;
}

struct later
{
  saltus_responder_t *responder;
  int64_t sum;
};

static void *respond_later(void *context)
{
  const struct later later = *(struct later *)context;
  free(context);
  respond_sum(later.responder, later.sum);
  return NULL;
}

static saltus_next_t on_hold(void *context, saltus_message_t *message, saltus_responder_t *responder)
{
  request_t request;
  (void)context;
  if (!read_request(message, &request) || request.b == 1) {
    saltus_responder_destroy(responder);
  } else if (request.b != 0) {
    struct later *later = allocate(sizeof *later);
    pthread_t thread;
    *later = (struct later) {responder, request.a};
    pthread_create(&thread, NULL, respond_later, later);
    pthread_detach(thread);
  }
  /* The responder of a request that is kept is never destroyed, as the suite wants it. */
  return SALTUS_CONTINUE;
}

static void open_service(struct subject *subject, const char *name, saltus_request_function_t call)
{
  const saltus_type_t type = saltus_type_of_service(types());
  saltus_service_options_t options;
  saltus_service_t *service;
  saltus_service_options_init(&options, sizeof options);
  options.service = name;
  options.type = &type;
  OK(saltus_service_create(subject->node, &options, call, NULL, NULL, &service));
}

void open_services(struct subject *subject)
{
  open_service(subject, "~/add", on_add);
  open_service(subject, "~/hold", on_hold);
}

static void respond_with_sum(response_t *response, const saltus_message_t *message)
{
  char text[32];
  sum_t sum;
  example_interfaces__srv__AddTwoInts_Response__init(&sum);
  const saltus_status_t status = saltus_typed_read(
    types()->response_typesupport, saltus_message_data(message), saltus_message_size(message), &sum);
  snprintf(text, sizeof text, "%lld", (long long)sum.sum);
  if (status == SALTUS_OK) {
    succeed(response, text);
  } else {
    respond_with(response, status);
  }
}

static void call(struct subject *subject, const char *const *words, response_t *response)
{
  const saltus_type_t type = saltus_type_of_service(types());
  const request_t request = {2, 40};
  saltus_service_options_t options;
  saltus_client_t *client;
  saltus_message_t *message;
  saltus_service_options_init(&options, sizeof options);
  options.service = words[1];
  options.type = &type;
  OK(saltus_client_create(subject->node, &options, &client));
  /* If there is no server, the call says so. */
  (void)saltus_client_wait(client, nanoseconds(words[2]));
  const saltus_status_t status =
    saltus_typed_call_and_wait(types()->request_typesupport, client, &request, nanoseconds(words[2]), &message);
  if (status == SALTUS_OK) {
    respond_with_sum(response, message);
    saltus_message_destroy(message);
  } else {
    respond_with(response, status);
  }
  saltus_client_destroy(client);
}

const struct command SERVICE_COMMANDS[] = {{"call", 3, call}, {NULL, 0, NULL}};
