/* Topics: messages are published, received, kept, and written in place. */
#include <string.h>

#include "check.h"

/** A serialized std_msgs/msg/String with the text "hi". */
static const uint8_t HI[] = {0, 1, 0, 0, 3, 0, 0, 0, 'h', 'i', 0};

struct received
{
  int count;
  int dropped;
  saltus_message_t *kept;
  saltus_subscription_t *own;
  saltus_next_t next;
};

static saltus_next_t on_message(void *context, saltus_message_t *message)
{
  struct received *received = context;
  CHECK(saltus_message_size(message) == sizeof HI);
  CHECK(memcmp(saltus_message_data(message), HI, sizeof HI) == 0);
  received->count += 1;
  if (received->kept == NULL) {
    OK(saltus_message_keep(message, &received->kept));
  }
  if (received->own != NULL) {
    saltus_subscription_destroy(received->own);
    received->own = NULL;
  }
  return received->next;
}

static void on_drop(void *context)
{
  ((struct received *)context)->dropped += 1;
}

static saltus_endpoint_options_t endpoint(const saltus_type_t *type)
{
  saltus_endpoint_options_t options;
  saltus_endpoint_options_init(&options, sizeof options);
  options.topic = "chatter";
  options.type = type;
  return options;
}

static void a_callback_gets_each_message(saltus_context_t *context, saltus_node_t *node)
{
  saltus_type_t type = text_type();
  saltus_endpoint_options_t options = endpoint(&type);
  struct received received = {0};
  saltus_publisher_t *publisher;
  saltus_subscription_t *subscription;
  saltus_executor_t *executor;
  bool has_run;
  OK(saltus_publisher_create(node, &options, &publisher));
  OK(saltus_subscription_create_with_callback(node, &options, on_message, &received, on_drop, &subscription));
  OK(saltus_publisher_wait(publisher, 1, 5 * SECOND));
  OK(saltus_executor_create(context, NULL, &executor));
  OK(saltus_executor_add_node(executor, node));
  OK(saltus_publish(publisher, HI, sizeof HI));
  OK(saltus_publish(publisher, HI, sizeof HI));
  while (received.count < 2) {
    OK(saltus_executor_spin_once(executor, 5 * SECOND, &has_run));
    CHECK(has_run);
  }
  OK(saltus_executor_spin_once(executor, 0, &has_run));
  CHECK(!has_run);

  /* A kept message outlives its callback, its subscription and its publisher. */
  CHECK(received.dropped == 0);
  saltus_subscription_destroy(subscription);
  CHECK(received.dropped == 1);
  saltus_publisher_destroy(publisher);
  CHECK(memcmp(saltus_message_data(received.kept), HI, sizeof HI) == 0);
  saltus_message_destroy(received.kept);
  saltus_executor_destroy(executor);
}

static void one_callback_runs_or_each_of_those_that_are_ready(saltus_context_t *context, saltus_node_t *node)
{
  saltus_type_t type = text_type();
  saltus_endpoint_options_t options = endpoint(&type);
  struct received received = {0};
  saltus_publisher_t *publisher;
  saltus_subscription_t *subscriptions[2];
  saltus_executor_t *executor;
  bool has_run;
  OK(saltus_publisher_create(node, &options, &publisher));
  for (int i = 0; i < 2; i++) {
    OK(saltus_subscription_create_with_callback(node, &options, on_message, &received, on_drop, &subscriptions[i]));
  }
  OK(saltus_publisher_wait(publisher, 2, 5 * SECOND));
  OK(saltus_executor_create(context, NULL, &executor));
  OK(saltus_executor_add_node(executor, node));
  OK(saltus_publish(publisher, HI, sizeof HI));
  OK(saltus_executor_spin_one(executor, 5 * SECOND, &has_run));
  CHECK(has_run && received.count == 1);
  OK(saltus_executor_spin_one(executor, 5 * SECOND, &has_run));
  CHECK(has_run && received.count == 2);
  OK(saltus_publish(publisher, HI, sizeof HI));
  OK(saltus_executor_spin_once(executor, 5 * SECOND, &has_run));
  CHECK(has_run && received.count == 4);
  saltus_message_destroy(received.kept);
  saltus_subscription_destroy(subscriptions[0]);
  saltus_subscription_destroy(subscriptions[1]);
  saltus_publisher_destroy(publisher);
  saltus_executor_destroy(executor);
}

static void a_callback_may_end_the_spin_and_its_own_subscription(saltus_context_t *context, saltus_node_t *node)
{
  saltus_type_t type = text_type();
  saltus_endpoint_options_t options = endpoint(&type);
  struct received received = {0};
  saltus_publisher_t *publisher;
  saltus_executor_t *executor;
  received.next = SALTUS_STOP;
  OK(saltus_publisher_create(node, &options, &publisher));
  OK(saltus_subscription_create_with_callback(node, &options, on_message, &received, on_drop, &received.own));
  OK(saltus_publisher_wait(publisher, 1, 5 * SECOND));
  OK(saltus_executor_create(context, NULL, &executor));
  OK(saltus_executor_add_node(executor, node));
  OK(saltus_publish(publisher, HI, sizeof HI));
  CHECK(saltus_publish_stamped(publisher, HI, sizeof HI, NULL) == SALTUS_INVALID_ARGUMENT);
  CHECK(saltus_executor_spin(executor) == SALTUS_STOPPED);
  CHECK(strcmp(saltus_error_message(), "a callback has stopped the executor") == 0);
  CHECK(received.count == 1 && received.dropped == 1 && received.own == NULL);
  saltus_message_destroy(received.kept);
  saltus_publisher_destroy(publisher);
  saltus_executor_destroy(executor);
}

static void a_message_is_written_and_taken_in_place(saltus_node_t *node)
{
  saltus_type_t type = text_type();
  saltus_endpoint_options_t options = endpoint(&type);
  saltus_publisher_t *publisher;
  saltus_subscription_t *subscription;
  saltus_message_t *message;
  saltus_message_info_t info;
  saltus_loan_t *loan;
  saltus_gid_t gid;
  uint64_t sent, received, lost;
  saltus_qos_t qos;
  saltus_qos_init(&qos, sizeof qos);
  CHECK(qos.depth == 10 && qos.reliability == SALTUS_RELIABILITY_RELIABLE);
  options.qos = &qos;
  OK(saltus_publisher_create(node, &options, &publisher));
  OK(saltus_subscription_create(node, &options, &subscription));
  OK(saltus_subscription_wait(subscription, 1, 5 * SECOND));
  CHECK(saltus_subscription_take(subscription, &message) == SALTUS_NOTHING && message == NULL);

  OK(saltus_publisher_loan(publisher, sizeof HI, &loan));
  CHECK(saltus_loan_size(loan) >= sizeof HI);
  memcpy(saltus_loan_data(loan), HI, sizeof HI);
  OK(saltus_loan_publish(loan, sizeof HI));
  OK(saltus_publisher_loan(publisher, 1, &loan));
  saltus_loan_destroy(loan);
  OK(saltus_publisher_loan(publisher, 1, &loan));
  CHECK(saltus_loan_publish(loan, SIZE_MAX) == SALTUS_INVALID_ARGUMENT);

  CHECK(saltus_subscription_has_message(subscription));
  OK(saltus_subscription_take(subscription, &message));
  CHECK(saltus_message_size(message) == sizeof HI && memcmp(saltus_message_data(message), HI, sizeof HI) == 0);
  saltus_message_info_init(&info, sizeof info);
  OK(saltus_message_info(message, &info));
  OK(saltus_publisher_gid(publisher, &gid));
  CHECK(info.sequence == 1 && info.received_sequence == 1 && memcmp(&info.publisher, &gid, sizeof gid) == 0);
  CHECK(info.source_time > 0 && info.received_time >= info.source_time);
  saltus_message_destroy(message);
  OK(saltus_publisher_counts(publisher, &sent, &lost));
  OK(saltus_subscription_counts(subscription, &received, NULL));
  CHECK(sent == 1 && received == 1 && lost == 0);
  CHECK(strcmp(saltus_publisher_topic(publisher), "/chatter") == 0);
  saltus_publisher_destroy(publisher);
  saltus_subscription_destroy(subscription);
}

struct events
{
  int matched;
  uint64_t current;
};

static saltus_next_t on_event(void *context, const saltus_event_t *event)
{
  struct events *events = context;
  if (event->kind == SALTUS_EVENT_MATCHED) {
    events->matched += 1;
    events->current = event->current;
  }
  return SALTUS_CONTINUE;
}

static void events_tell_of_connections(saltus_context_t *context, saltus_node_t *node)
{
  saltus_type_t type = text_type();
  saltus_endpoint_options_t options = endpoint(&type);
  struct events events = {0};
  saltus_publisher_t *publisher;
  saltus_subscription_t *subscription;
  saltus_executor_t *executor;
  bool has_run;
  OK(saltus_subscription_create(node, &options, &subscription));
  options.on_event = on_event;
  options.on_event_context = &events;
  OK(saltus_publisher_create(node, &options, &publisher));
  OK(saltus_executor_create(context, NULL, &executor));
  OK(saltus_executor_add_node(executor, node));
  while (events.matched == 0) {
    OK(saltus_executor_spin_once(executor, 5 * SECOND, &has_run));
  }
  CHECK(events.current == 1);
  saltus_publisher_destroy(publisher);
  saltus_subscription_destroy(subscription);
  saltus_executor_destroy(executor);
}

static void wrong_arguments_are_told(saltus_node_t *node)
{
  saltus_type_t type = text_type();
  saltus_endpoint_options_t options = endpoint(&type);
  saltus_publisher_t *publisher;
  saltus_qos_t qos;
  CHECK(saltus_publisher_create(NULL, &options, &publisher) == SALTUS_INVALID_ARGUMENT && publisher == NULL);
  CHECK(strcmp(saltus_error_message(), "expected a node, found NULL") == 0);
  CHECK(saltus_publisher_create(node, &options, NULL) == SALTUS_INVALID_ARGUMENT);
  options.topic = "not a name";
  CHECK(saltus_publisher_create(node, &options, &publisher) == SALTUS_INVALID_TOPIC_NAME);
  options.topic = NULL;
  CHECK(saltus_publisher_create(node, &options, &publisher) == SALTUS_INVALID_ARGUMENT);
  options.topic = "\xff";
  CHECK(saltus_publisher_create(node, &options, &publisher) == SALTUS_INVALID_ARGUMENT);
  options.topic = "chatter";
  options.struct_size = 0;
  CHECK(saltus_publisher_create(node, &options, &publisher) == SALTUS_INVALID_ARGUMENT);
  CHECK(strstr(saltus_error_message(), "struct_size") != NULL);
  options = endpoint(&type);
  saltus_qos_init(&qos, sizeof qos);
  qos.history = 77;
  options.qos = &qos;
  CHECK(saltus_publisher_create(node, &options, &publisher) == SALTUS_INVALID_ARGUMENT);
  CHECK(saltus_publish(NULL, HI, sizeof HI) == SALTUS_INVALID_ARGUMENT);
  CHECK(saltus_publisher_subscription_count(NULL) == 0);
  saltus_publisher_destroy(NULL);
}

/** A struct of a later version of the library, with one more field. */
struct later_options
{
  saltus_endpoint_options_t known;
  uint64_t later;
};

static void count_drop(void *context)
{
  ++*(int *)context;
}

static void the_context_of_events_is_dropped_if_nothing_is_opened(saltus_node_t *node)
{
  const saltus_type_t type = text_type();
  saltus_endpoint_options_t options;
  saltus_publisher_t *publisher;
  saltus_subscription_t *subscription;
  int drops = 0;
  saltus_endpoint_options_init(&options, sizeof options);
  options.topic = "text";
  options.type = &type;
  options.on_event_context = &drops;
  options.on_event_drop = count_drop;
  CHECK(saltus_publisher_create(NULL, &options, &publisher) == SALTUS_INVALID_ARGUMENT && drops == 1);
  CHECK(saltus_publisher_create(node, &options, NULL) == SALTUS_INVALID_ARGUMENT && drops == 2);
  CHECK(saltus_subscription_create(NULL, &options, &subscription) == SALTUS_INVALID_ARGUMENT && drops == 3);
  CHECK(
    saltus_subscription_create_with_callback(node, &options, NULL, NULL, NULL, &subscription) == SALTUS_INVALID_ARGUMENT);
  CHECK(drops == 4);
  options.topic = "not a topic";
  CHECK(saltus_publisher_create(node, &options, &publisher) == SALTUS_INVALID_TOPIC_NAME && drops == 5);
}

static void a_library_sets_the_text_of_a_failure(void)
{
  CHECK(saltus_set_error_message("no place") == SALTUS_OK && strcmp(saltus_error_message(), "no place") == 0);
  CHECK(saltus_set_error_message(NULL) == SALTUS_OK && strcmp(saltus_error_message(), "") == 0);
}

static void structs_of_other_versions_are_understood(saltus_node_t *node)
{
  saltus_type_t type = text_type();
  struct later_options later;
  saltus_publisher_t *publisher;
  memset(&later, 0, sizeof later);
  later.known = endpoint(&type);
  later.known.struct_size = sizeof later;
  OK(saltus_publisher_create(node, &later.known, &publisher));
  saltus_publisher_destroy(publisher);
  later.later = 1;
  CHECK(saltus_publisher_create(node, &later.known, &publisher) == SALTUS_INVALID_ARGUMENT);
  /* An earlier version knew only the topic and the type. */
  later.known = endpoint(&type);
  later.known.struct_size = offsetof(saltus_endpoint_options_t, qos);
  OK(saltus_publisher_create(node, &later.known, &publisher));
  saltus_publisher_destroy(publisher);
}

int main(void)
{
  saltus_context_t *context;
  saltus_node_t *node = new_node("topics", &context);
  a_callback_gets_each_message(context, node);
  one_callback_runs_or_each_of_those_that_are_ready(context, node);
  a_callback_may_end_the_spin_and_its_own_subscription(context, node);
  a_message_is_written_and_taken_in_place(node);
  events_tell_of_connections(context, node);
  wrong_arguments_are_told(node);
  the_context_of_events_is_dropped_if_nothing_is_opened(node);
  a_library_sets_the_text_of_a_failure();
  structs_of_other_versions_are_understood(node);
  saltus_node_destroy(node);
  saltus_context_destroy(context);
  return 0;
}
