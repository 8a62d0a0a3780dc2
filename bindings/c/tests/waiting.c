/*
 * An executor as a wait set, as a middleware of ROS 2 needs it: each entity has a group of its own, its callback keeps what has
 * come, and saltus_executor_spin_once() waits for the entities whose groups were added.
 */
#include <pthread.h>
#include <string.h>

#include "check.h"

/** A serialized std_msgs/msg/String with the text "hi". */
static const uint8_t HI[] = {0, 1, 0, 0, 3, 0, 0, 0, 'h', 'i', 0};
#define QUEUE 8

/** What has come for an entity. Its callback runs in the thread that waits, so no lock is needed. */
struct entity
{
  saltus_group_t *group;
  saltus_message_t *messages[QUEUE];
  saltus_responder_t *responders[QUEUE];
  int count;
};

static void open_group(saltus_node_t *node, struct entity *entity)
{
  memset(entity, 0, sizeof *entity);
  OK(saltus_group_create(node, SALTUS_GROUP_MUTUALLY_EXCLUSIVE, false, &entity->group));
}

static saltus_next_t on_message(void *context, saltus_message_t *message)
{
  struct entity *entity = context;
  CHECK(entity->count < QUEUE);
  OK(saltus_message_keep(message, &entity->messages[entity->count++]));
  return SALTUS_CONTINUE;
}

static saltus_next_t on_request(void *context, saltus_message_t *request, saltus_responder_t *responder)
{
  struct entity *entity = context;
  entity->responders[entity->count] = responder;
  return on_message(context, request);
}

static saltus_next_t on_response(void *context, saltus_status_t status, saltus_message_t *response)
{
  OK(status);
  return on_message(context, response);
}

static saltus_next_t on_trigger(void *context)
{
  ((struct entity *)context)->count += 1;
  return SALTUS_CONTINUE;
}

static saltus_subscription_t *subscribe(saltus_node_t *node, const char *topic, struct entity *entity)
{
  const saltus_type_t type = text_type();
  saltus_endpoint_options_t options;
  saltus_subscription_t *subscription;
  open_group(node, entity);
  saltus_endpoint_options_init(&options, sizeof options);
  options.topic = topic;
  options.type = &type;
  options.group = entity->group;
  OK(saltus_subscription_create_with_callback(node, &options, on_message, entity, NULL, &subscription));
  return subscription;
}

static saltus_publisher_t *publish_to(saltus_node_t *node, const char *topic)
{
  const saltus_type_t type = text_type();
  saltus_endpoint_options_t options;
  saltus_publisher_t *publisher;
  saltus_endpoint_options_init(&options, sizeof options);
  options.topic = topic;
  options.type = &type;
  OK(saltus_publisher_create(node, &options, &publisher));
  return publisher;
}

/** Waits, and returns whether something has come. */
static bool wait_for_any(saltus_executor_t *set, int64_t timeout)
{
  bool has_run;
  OK(saltus_executor_spin_once(set, timeout, &has_run));
  return has_run;
}

static void end(struct entity *entity)
{
  for (int index = 0; index < QUEUE; ++index) {
    saltus_message_destroy(entity->messages[index]);
    saltus_responder_destroy(entity->responders[index]);
  }
  saltus_group_destroy(entity->group);
}

static void *publish_later(void *publisher)
{
  OK(saltus_publish(publisher, HI, sizeof HI));
  return NULL;
}

static void messages_are_waited_for_and_taken(saltus_context_t *context, saltus_node_t *node)
{
  struct entity first, second;
  saltus_executor_t *set;
  pthread_t thread;
  saltus_subscription_t *one = subscribe(node, "one", &first);
  saltus_subscription_t *two = subscribe(node, "two", &second);
  saltus_publisher_t *to_one = publish_to(node, "one"), *to_two = publish_to(node, "two");
  OK(saltus_executor_create(context, NULL, &set));
  OK(saltus_executor_add_group(set, first.group));
  CHECK(!wait_for_any(set, 0));
  CHECK(!wait_for_any(set, SECOND / 100));

  /* A message that came before the wait is there at once. The other subscription is not in the set. */
  OK(saltus_publish(to_one, HI, sizeof HI));
  OK(saltus_publish(to_two, HI, sizeof HI));
  CHECK(wait_for_any(set, -1) && first.count == 1 && second.count == 0);
  CHECK(saltus_message_size(first.messages[0]) == sizeof HI);

  /* Another thread ends the wait. */
  CHECK(pthread_create(&thread, NULL, publish_later, to_one) == 0);
  CHECK(wait_for_any(set, 10 * SECOND) && first.count == 2);
  CHECK(pthread_join(thread, NULL) == 0);

  /* What was not in the set is still there when it is. */
  OK(saltus_executor_add_group(set, second.group));
  CHECK(wait_for_any(set, 0) && second.count == 1);
  OK(saltus_executor_remove_group(set, first.group));
  OK(saltus_publish(to_one, HI, sizeof HI));
  CHECK(!wait_for_any(set, SECOND / 100) && first.count == 2);
  OK(saltus_executor_add_group(set, first.group));
  CHECK(wait_for_any(set, 0) && first.count == 3);

  saltus_subscription_destroy(one);
  CHECK(!wait_for_any(set, 0));
  saltus_subscription_destroy(two);
  saltus_publisher_destroy(to_one);
  saltus_publisher_destroy(to_two);
  saltus_executor_destroy(set);
  end(&first);
  end(&second);
}

static void *trigger_twice(void *guard)
{
  OK(saltus_guard_trigger(guard));
  OK(saltus_guard_trigger(guard));
  return NULL;
}

static void a_guard_ends_a_wait(saltus_context_t *context, saltus_node_t *node)
{
  struct entity entity;
  saltus_executor_t *set;
  saltus_guard_t *guard;
  pthread_t thread;
  open_group(node, &entity);
  OK(saltus_guard_create(node, entity.group, on_trigger, &entity, NULL, &guard));
  OK(saltus_executor_create(context, NULL, &set));
  OK(saltus_executor_add_group(set, entity.group));
  CHECK(pthread_create(&thread, NULL, trigger_twice, guard) == 0);
  CHECK(wait_for_any(set, 10 * SECOND));
  CHECK(pthread_join(thread, NULL) == 0);
  while (wait_for_any(set, 0)) {
  }
  CHECK(entity.count == 1 || entity.count == 2);
  OK(saltus_guard_trigger(guard));
  OK(saltus_guard_trigger(guard));
  CHECK(wait_for_any(set, 0) && !wait_for_any(set, 0));
  saltus_guard_destroy(guard);
  saltus_executor_destroy(set);
  end(&entity);
}

static void requests_and_responses_are_taken(saltus_context_t *context, saltus_node_t *node)
{
  const saltus_type_t type = {sizeof type, "std_srvs/srv/Empty", {0}, NULL};
  /* A request or response without fields has one byte. */
  static const uint8_t empty[] = {0, 1, 0, 0, 0};
  struct entity served, called;
  saltus_service_options_t options;
  saltus_executor_t *set;
  saltus_service_t *service;
  saltus_client_t *client;
  saltus_message_info_t info;
  saltus_gid_t asking, own;
  uint64_t number = 0, sequence = 0;
  open_group(node, &served);
  open_group(node, &called);
  saltus_service_options_init(&options, sizeof options);
  options.service = "empty";
  options.type = &type;
  options.group = served.group;
  OK(saltus_service_create(node, &options, on_request, &served, NULL, &service));
  options.group = called.group;
  OK(saltus_client_create(node, &options, &client));
  OK(saltus_client_wait(client, 10 * SECOND));
  OK(saltus_executor_create(context, NULL, &set));
  OK(saltus_executor_add_group(set, served.group));
  OK(saltus_executor_add_group(set, called.group));
  OK(saltus_client_call(client, empty, sizeof empty, on_response, &called, NULL, &number));
  CHECK(wait_for_any(set, 10 * SECOND) && served.count == 1 && called.count == 0);
  OK(saltus_responder_request(served.responders[0], &asking, &sequence));
  OK(saltus_client_gid(client, &own));
  CHECK(memcmp(&asking, &own, sizeof own) == 0);
  OK(saltus_responder_send(served.responders[0], empty, sizeof empty));
  served.responders[0] = NULL;
  CHECK(wait_for_any(set, 10 * SECOND) && called.count == 1);
  saltus_message_info_init(&info, sizeof info);
  OK(saltus_message_info(called.messages[0], &info));
  CHECK(info.sequence == sequence);
  saltus_client_destroy(client);
  saltus_service_destroy(service);
  saltus_executor_destroy(set);
  end(&served);
  end(&called);
}

/** A thread with a wait set of its own. */
struct waiting
{
  saltus_executor_t *set;
  struct entity *entity;
};

static void *wait_for_message(void *context)
{
  struct waiting *waiting = context;
  while (waiting->entity->count == 0) {
    wait_for_any(waiting->set, 10 * SECOND);
  }
  return NULL;
}

static void several_threads_wait_for_different_sets(saltus_context_t *context, saltus_node_t *node)
{
  struct entity entities[2];
  struct waiting waiting[2];
  saltus_subscription_t *subscriptions[2];
  saltus_publisher_t *publishers[2];
  pthread_t threads[2];
  static const char *const topics[] = {"first", "second"};
  for (int index = 0; index < 2; ++index) {
    subscriptions[index] = subscribe(node, topics[index], &entities[index]);
    publishers[index] = publish_to(node, topics[index]);
    OK(saltus_executor_create(context, NULL, &waiting[index].set));
    OK(saltus_executor_add_group(waiting[index].set, entities[index].group));
    waiting[index].entity = &entities[index];
    CHECK(pthread_create(&threads[index], NULL, wait_for_message, &waiting[index]) == 0);
  }
  for (int index = 0; index < 2; ++index) {
    OK(saltus_publish(publishers[index], HI, sizeof HI));
    CHECK(pthread_join(threads[index], NULL) == 0);
    saltus_subscription_destroy(subscriptions[index]);
    saltus_publisher_destroy(publishers[index]);
    saltus_executor_destroy(waiting[index].set);
    end(&entities[index]);
  }
}

static bool has_node(saltus_context_t *context, const char *name)
{
  saltus_graph_t *graph;
  bool found = false;
  OK(saltus_context_graph(context, &graph));
  for (size_t index = 0; index < saltus_graph_node_count(graph); ++index) {
    found = found || strcmp(saltus_graph_node_name(graph, index), name) == 0;
  }
  saltus_graph_destroy(graph);
  return found;
}

static void a_change_of_the_graph_ends_a_wait(saltus_context_t *context, saltus_node_t *node)
{
  struct entity entity;
  saltus_executor_t *set;
  saltus_graph_watch_t *watch;
  saltus_context_t *other_context;
  saltus_node_t *other;
  open_group(node, &entity);
  OK(saltus_graph_watch_create(node, entity.group, on_trigger, &entity, NULL, &watch));
  OK(saltus_executor_create(context, NULL, &set));
  OK(saltus_executor_add_group(set, entity.group));
  /* The first call is for what is there. All of it is one call. */
  CHECK(wait_for_any(set, 10 * SECOND) && entity.count == 1);
  CHECK(!wait_for_any(set, 0));
  other = new_node("other", &other_context);
  do {
    CHECK(wait_for_any(set, 10 * SECOND));
  } while (!has_node(context, "other"));
  CHECK(entity.count > 1);
  saltus_node_destroy(other);
  saltus_context_destroy(other_context);
  do {
    CHECK(wait_for_any(set, 10 * SECOND));
  } while (has_node(context, "other"));
  saltus_graph_watch_destroy(watch);
  saltus_publisher_destroy(publish_to(node, "unseen"));
  CHECK(!wait_for_any(set, SECOND / 100));
  CHECK(saltus_graph_watch_create(node, NULL, NULL, NULL, NULL, &watch) == SALTUS_INVALID_ARGUMENT);
  saltus_executor_destroy(set);
  end(&entity);
}

int main(void)
{
  saltus_context_t *context;
  saltus_node_t *node = new_node("waiting", &context);
  messages_are_waited_for_and_taken(context, node);
  a_guard_ends_a_wait(context, node);
  requests_and_responses_are_taken(context, node);
  several_threads_wait_for_different_sets(context, node);
  a_change_of_the_graph_ends_a_wait(context, node);
  saltus_node_destroy(node);
  saltus_context_destroy(context);
  return 0;
}
