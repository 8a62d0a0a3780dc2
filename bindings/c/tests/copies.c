/*
 * Two copies of libsaltus in one process, as when a plugin brings its own: each is a member of the graph, and they exchange messages.
 * Usage: copies PATH of a second libsaltus.
 */
#include <dlfcn.h>
#include <string.h>

#include "check.h"

/** A serialized std_msgs/msg/String with the text "hi". */
static const uint8_t HI[] = {0, 1, 0, 0, 3, 0, 0, 0, 'h', 'i', 0};

/** The functions of the second copy. */
struct copy
{
  void (*context_options_init)(saltus_context_options_t *options, size_t size);
  saltus_status_t (*context_create)(const saltus_context_options_t *options, saltus_context_t **context);
  void (*context_destroy)(saltus_context_t *context);
  void (*node_options_init)(saltus_node_options_t *options, size_t size);
  saltus_status_t (*node_create)(
    const saltus_context_t *context, const saltus_node_options_t *options, saltus_node_t **node);
  void (*node_destroy)(saltus_node_t *node);
  void (*endpoint_options_init)(saltus_endpoint_options_t *options, size_t size);
  saltus_status_t (*publisher_create)(
    const saltus_node_t *node, const saltus_endpoint_options_t *options, saltus_publisher_t **publisher);
  saltus_status_t (*publisher_wait)(const saltus_publisher_t *publisher, size_t count, int64_t timeout);
  saltus_status_t (*publish)(const saltus_publisher_t *publisher, const uint8_t *data, size_t size);
  void (*publisher_destroy)(saltus_publisher_t *publisher);
};

/** Writes the address of a function to a pointer. C has no conversion from one to the other. */
static void find(void *library, const char *name, void *function)
{
  void *const address = dlsym(library, name);
  CHECK(address != NULL);
  memcpy(function, &address, sizeof address);
}

static struct copy open_copy(const char *path)
{
  struct copy copy;
  void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  find(library, "saltus_context_options_init", &copy.context_options_init);
  find(library, "saltus_context_create", &copy.context_create);
  find(library, "saltus_context_destroy", &copy.context_destroy);
  find(library, "saltus_node_options_init", &copy.node_options_init);
  find(library, "saltus_node_create", &copy.node_create);
  find(library, "saltus_node_destroy", &copy.node_destroy);
  find(library, "saltus_endpoint_options_init", &copy.endpoint_options_init);
  find(library, "saltus_publisher_create", &copy.publisher_create);
  find(library, "saltus_publisher_wait", &copy.publisher_wait);
  find(library, "saltus_publish", &copy.publish);
  find(library, "saltus_publisher_destroy", &copy.publisher_destroy);
  CHECK(copy.context_create != saltus_context_create);
  return copy;
}

static saltus_next_t on_message(void *context, saltus_message_t *message)
{
  CHECK(saltus_message_size(message) == sizeof HI && memcmp(saltus_message_data(message), HI, sizeof HI) == 0);
  *(int *)context += 1;
  return SALTUS_CONTINUE;
}

/** Publishes two messages with the second copy. */
static void publish_two(const struct copy *copy)
{
  const saltus_type_t type = text_type();
  saltus_context_options_t options;
  saltus_node_options_t node_options;
  saltus_endpoint_options_t endpoint;
  saltus_context_t *context;
  saltus_node_t *node;
  saltus_publisher_t *publisher;
  copy->context_options_init(&options, sizeof options);
  options.signal_set = 0;
  OK(copy->context_create(&options, &context));
  copy->node_options_init(&node_options, sizeof node_options);
  node_options.name = "second";
  OK(copy->node_create(context, &node_options, &node));
  copy->endpoint_options_init(&endpoint, sizeof endpoint);
  endpoint.topic = "chatter";
  endpoint.type = &type;
  OK(copy->publisher_create(node, &endpoint, &publisher));
  OK(copy->publisher_wait(publisher, 1, 10 * SECOND));
  OK(copy->publish(publisher, HI, sizeof HI));
  OK(copy->publish(publisher, HI, sizeof HI));
  copy->publisher_destroy(publisher);
  copy->node_destroy(node);
  copy->context_destroy(context);
}

int main(int argc, char *argv[])
{
  const saltus_type_t type = text_type();
  saltus_endpoint_options_t endpoint;
  saltus_subscription_t *subscription;
  saltus_executor_t *executor;
  saltus_context_t *context;
  saltus_node_t *node = new_node("first", &context);
  int received = 0;
  bool has_run;
  CHECK(argc == 2);
  const struct copy copy = open_copy(argv[1]);
  saltus_endpoint_options_init(&endpoint, sizeof endpoint);
  endpoint.topic = "chatter";
  endpoint.type = &type;
  OK(saltus_subscription_create_with_callback(node, &endpoint, on_message, &received, NULL, &subscription));
  OK(saltus_executor_create(context, NULL, &executor));
  OK(saltus_executor_add_node(executor, node));
  /* The first copy goes on when the second one has left the graph, and the second one may join again. */
  for (int round = 1; round <= 3; ++round) {
    publish_two(&copy);
    while (received < 2 * round) {
      OK(saltus_executor_spin_once(executor, 10 * SECOND, &has_run));
      CHECK(has_run);
    }
  }
  saltus_subscription_destroy(subscription);
  saltus_executor_destroy(executor);
  saltus_node_destroy(node);
  saltus_context_destroy(context);
  return 0;
}
