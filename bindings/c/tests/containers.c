/* Components, and the containers that load and unload them. */
#include <string.h>

#include "check.h"

/** What the functions of a component have done. */
struct counts
{
  int created;
  int destroyed;
  int dropped;
};

static saltus_node_options_t named(const char *name)
{
  saltus_node_options_t options;
  saltus_node_options_init(&options, sizeof options);
  options.name = name;
  return options;
}

/** A component: its node, which may be NULL, and where it counts. */
struct part
{
  saltus_node_t *node;
  struct counts *counts;
};

static void destroy_part(void *object)
{
  struct part *part = object;
  part->counts->destroyed += 1;
  saltus_node_destroy(part->node);
  free(part);
}

static void give(struct counts *counts, saltus_node_t *node, saltus_component_t *component)
{
  struct part *part = malloc(sizeof *part);
  CHECK(part != NULL);
  part->node = node;
  part->counts = counts;
  counts->created += 1;
  component->node = node;
  component->object = part;
  component->destroy = destroy_part;
}

static saltus_status_t create_part(void *context, const saltus_component_options_t *options, saltus_component_t *component)
{
  const saltus_node_options_t node_options = named("part");
  saltus_node_t *node;
  CHECK(component->struct_size == sizeof *component);
  CHECK(saltus_component_node_create(options, &node_options, &node) == SALTUS_OK);
  give(context, node, component);
  return SALTUS_OK;
}

/** Says that it has created a component, but gives no node. */
static saltus_status_t create_nothing(void *context, const saltus_component_options_t *options, saltus_component_t *component)
{
  (void)options;
  give(context, NULL, component);
  return SALTUS_OK;
}

static void drop(void *context)
{
  ((struct counts *)context)->dropped += 1;
}

static void a_component_alone_has_the_arguments_of_the_program(void)
{
  const char *arguments[] = {"program", "--ros-args", "-r", "__node:=renamed"};
  saltus_context_options_t options;
  saltus_component_options_t *component_options;
  saltus_node_options_t node_options = named("part");
  saltus_context_t *context;
  saltus_node_t *node;
  saltus_context_options_init(&options, sizeof options);
  options.signal_set = 0;
  options.argument_count = 4;
  options.arguments = arguments;
  OK(saltus_context_create(&options, &context));
  OK(saltus_component_options_create(context, &component_options));
  OK(saltus_component_node_create(component_options, &node_options, &node));
  CHECK(strcmp(saltus_node_full_name(node), "/renamed") == 0);
  saltus_node_destroy(node);

  /* What the user chooses can't be in the options of the component's node. */
  node_options.argument_count = 4;
  node_options.arguments = arguments;
  CHECK(saltus_component_node_create(component_options, &node_options, &node) == SALTUS_INVALID_ARGUMENT);
  CHECK(node == NULL);
  node_options = named("no name");
  CHECK(saltus_component_node_create(component_options, &node_options, &node) == SALTUS_INVALID_NODE_NAME);
  saltus_component_options_destroy(component_options);
  saltus_context_destroy(context);
}

static saltus_executor_t *new_executor(saltus_context_t *context)
{
  saltus_executor_t *executor;
  OK(saltus_executor_create(context, NULL, &executor));
  return executor;
}

/** A container, with the node and the executor that it needs. */
struct scene
{
  saltus_context_t *context;
  saltus_node_t *node;
  saltus_executor_t *executor;
  saltus_container_t *container;
};

static struct scene open_scene(size_t own_threads)
{
  struct scene scene;
  saltus_container_options_t options;
  scene.node = new_node("container", &scene.context);
  scene.executor = new_executor(scene.context);
  saltus_container_options_init(&options, sizeof options);
  options.own_threads = own_threads;
  OK(saltus_container_create(scene.node, scene.executor, &options, &scene.container));
  return scene;
}

/** Destroys what the container needs. A test destroys the container, because that is what it looks at. */
static void close_scene(struct scene *scene)
{
  saltus_executor_destroy(scene->executor);
  saltus_node_destroy(scene->node);
  saltus_context_destroy(scene->context);
}

static void each_component_is_destroyed_once(size_t own_threads)
{
  struct counts counts = {0, 0, 0};
  struct scene scene = open_scene(own_threads);
  saltus_container_t *const container = scene.container;
  uint64_t id;
  OK(saltus_container_add(container, "demo", "demo::Part", create_part, &counts, drop));
  for (uint64_t expected = 1; expected <= 3; ++expected) {
    OK(saltus_container_load(container, "demo", "demo::Part", &id));
    CHECK(id == expected);
  }
  CHECK(saltus_container_count(container) == 3);
  OK(saltus_container_unload(container, 2));
  CHECK(counts.created == 3 && counts.destroyed == 1);
  CHECK(saltus_container_unload(container, 2) == SALTUS_ERROR);
  CHECK(strcmp(saltus_error_message(), "No node found with unique_id: 2") == 0);
  CHECK(counts.dropped == 0);
  saltus_container_destroy(container);
  CHECK(counts.created == 3 && counts.destroyed == 3 && counts.dropped == 1);
  close_scene(&scene);
}

/** Checks that a component can't be loaded, and that the container then still works. */
static void check_refused(saltus_container_t *container, const char *package, const char *plugin, const char *text)
{
  uint64_t id = 0;
  CHECK(saltus_container_load(container, package, plugin, &id) == SALTUS_ERROR);
  CHECK(id == 0 && strcmp(saltus_error_message(), text) == 0);
}

/** Fails without a text, after another function has failed. */
static saltus_status_t fail(void *context, const saltus_component_options_t *options, saltus_component_t *component)
{
  (void)context;
  (void)options;
  (void)component;
  return SALTUS_ERROR;
}

static void a_component_that_fails_is_not_loaded(void)
{
  struct counts counts = {0, 0, 0};
  struct scene scene = open_scene(0);
  saltus_container_t *const container = scene.container;
  OK(saltus_container_add(container, "demo", "demo::Nothing", create_nothing, &counts, drop));
  OK(saltus_container_add(container, "demo", "demo::Silent", fail, NULL, NULL));
  check_refused(container, "other", "demo::Nothing", "Could not find requested resource in ament index");
  check_refused(container, "demo", "demo::None", "Failed to find class with the requested plugin name.");
  check_refused(container, "demo", "demo::Silent", "Component constructor threw an exception: ");
  check_refused(
    container, "demo", "demo::Nothing", "Component constructor threw an exception: expected 1 node of the component, found NULL");
  CHECK(counts.destroyed == 1);
  CHECK(saltus_container_count(container) == 0);

  /* What is wrong with the call itself. The context is dropped. */
  CHECK(saltus_container_add(container, "demo", "demo::Part", NULL, &counts, drop) == SALTUS_INVALID_ARGUMENT);
  CHECK(saltus_container_add(NULL, "demo", "demo::Part", create_part, &counts, drop) == SALTUS_INVALID_ARGUMENT);
  CHECK(counts.dropped == 2);
  CHECK(saltus_container_count(NULL) == 0);
  /* The new one replaces the one of the same name. */
  OK(saltus_container_add(container, "demo", "demo::Nothing", fail, NULL, NULL));
  CHECK(counts.dropped == 3);
  saltus_container_destroy(container);
  close_scene(&scene);
}

/** A component that unloads itself, and its container. */
struct itself
{
  saltus_container_t *container;
  saltus_node_t *node;
  saltus_timer_t *timer;
  bool has_unloaded;
  bool is_destroyed;
};

static void destroy_itself(void *object)
{
  struct itself *itself = object;
  saltus_timer_destroy(itself->timer);
  saltus_node_destroy(itself->node);
  itself->is_destroyed = true;
}

static saltus_next_t unload_itself(void *context)
{
  struct itself *itself = context;
  if (!itself->has_unloaded) {
    itself->has_unloaded = true;
    if (saltus_container_unload(itself->container, 1) != SALTUS_OK) {
      /* It is not loaded yet. The timer fires again. */
      itself->has_unloaded = false;
    }
  }
  return SALTUS_CONTINUE;
}

static saltus_status_t create_itself(void *context, const saltus_component_options_t *options, saltus_component_t *component)
{
  struct itself *itself = context;
  const saltus_node_options_t node_options = named("itself");
  OK(saltus_component_node_create(options, &node_options, &itself->node));
  OK(saltus_timer_create(itself->node, SECOND / 1000, NULL, NULL, unload_itself, itself, NULL, &itself->timer));
  component->node = itself->node;
  component->object = itself;
  component->destroy = destroy_itself;
  return SALTUS_OK;
}

static void a_component_may_unload_itself(size_t own_threads)
{
  struct itself itself = {NULL, NULL, NULL, false, false};
  struct scene scene = open_scene(own_threads);
  uint64_t id;
  bool has_run;
  itself.container = scene.container;
  OK(saltus_container_add(itself.container, "demo", "demo::Itself", create_itself, &itself, NULL));
  OK(saltus_container_load(itself.container, "demo", "demo::Itself", &id));
  while (saltus_container_count(itself.container) != 0) {
    OK(saltus_executor_spin_once(scene.executor, SECOND / 1000, &has_run));
  }
  /* It waits for the unload, if that runs on another thread. */
  saltus_container_destroy(itself.container);
  CHECK(itself.is_destroyed);
  close_scene(&scene);
}

static bool last_is_destroyed = false;

static void destroy_last(void *object)
{
  saltus_node_destroy(object);
  last_is_destroyed = true;
}

/** Destroys the container that creates it. */
static saltus_status_t create_last(void *context, const saltus_component_options_t *options, saltus_component_t *component)
{
  saltus_container_t **container = context;
  const saltus_node_options_t node_options = named("last");
  saltus_node_t *node;
  OK(saltus_component_node_create(options, &node_options, &node));
  saltus_container_destroy(*container);
  *container = NULL;
  component->node = node;
  component->object = node;
  component->destroy = destroy_last;
  return SALTUS_OK;
}

static void a_component_may_destroy_its_container(void)
{
  struct scene scene = open_scene(0);
  uint64_t id;
  OK(saltus_container_add(scene.container, "demo", "demo::Last", create_last, &scene.container, NULL));
  CHECK(saltus_container_load(scene.container, "demo", "demo::Last", &id) == SALTUS_ERROR);
  CHECK(strcmp(saltus_error_message(), "the container ends") == 0);
  CHECK(scene.container == NULL && last_is_destroyed);
  close_scene(&scene);
}

/** Loads the other component of its container, whose context is given. */
static saltus_status_t create_both(void *context, const saltus_component_options_t *options, saltus_component_t *component)
{
  saltus_container_t *container = *(saltus_container_t **)context;
  const saltus_node_options_t node_options = named("both");
  saltus_node_t *node;
  uint64_t id;
  OK(saltus_container_load(container, "demo", "demo::Part", &id));
  OK(saltus_component_node_create(options, &node_options, &node));
  component->node = node;
  component->object = node;
  component->destroy = destroy_last;
  return SALTUS_OK;
}

static void a_component_may_load_another_one(void)
{
  struct counts counts = {0, 0, 0};
  struct scene scene = open_scene(0);
  saltus_container_t *const container = scene.container;
  uint64_t id;
  OK(saltus_container_add(container, "demo", "demo::Both", create_both, &scene.container, NULL));
  OK(saltus_container_add(container, "demo", "demo::Part", create_part, &counts, drop));
  OK(saltus_container_load(container, "demo", "demo::Both", &id));
  CHECK(saltus_container_count(container) == 2);
  /* A component that is replaced while it is loaded stays. The executor may go before the container. */
  OK(saltus_container_add(container, "demo", "demo::Part", fail, NULL, NULL));
  CHECK(counts.destroyed == 0 && counts.dropped == 1);
  saltus_executor_destroy(scene.executor);
  scene.executor = NULL;
  saltus_container_destroy(container);
  CHECK(counts.destroyed == 1);
  close_scene(&scene);
}

static void what_a_container_needs_must_be_given(void)
{
  saltus_context_t *context;
  saltus_node_t *node = new_node("container", &context);
  saltus_executor_t *executor = new_executor(context);
  saltus_container_t *container;
  uint64_t id;
  CHECK(saltus_container_create(NULL, executor, NULL, &container) == SALTUS_INVALID_ARGUMENT && container == NULL);
  CHECK(saltus_container_create(node, NULL, NULL, &container) == SALTUS_INVALID_ARGUMENT && container == NULL);
  CHECK(saltus_container_create(node, executor, NULL, NULL) == SALTUS_INVALID_ARGUMENT);
  CHECK(saltus_container_load(NULL, "demo", "demo::Part", &id) == SALTUS_INVALID_ARGUMENT);
  CHECK(saltus_container_unload(NULL, 1) == SALTUS_INVALID_ARGUMENT);
  saltus_executor_destroy(executor);
  saltus_node_destroy(node);
  saltus_context_destroy(context);
}

static void an_executor_of_another_context_is_refused(void)
{
  saltus_context_t *context, *other;
  saltus_node_t *node = new_node("container", &context);
  saltus_node_t *other_node = new_node("other", &other);
  saltus_executor_t *executor = new_executor(other);
  saltus_container_t *container;
  CHECK(saltus_container_create(node, executor, NULL, &container) == SALTUS_INVALID_ARGUMENT);
  CHECK(container == NULL);
  saltus_executor_destroy(executor);
  saltus_node_destroy(other_node);
  saltus_node_destroy(node);
  saltus_context_destroy(other);
  saltus_context_destroy(context);
}

int main(void)
{
  a_component_alone_has_the_arguments_of_the_program();
  each_component_is_destroyed_once(0);
  each_component_is_destroyed_once(1);
  each_component_is_destroyed_once(2);
  a_component_that_fails_is_not_loaded();
  a_component_may_unload_itself(0);
  a_component_may_unload_itself(1);
  a_component_may_unload_itself(2);
  a_component_may_destroy_its_container();
  a_component_may_load_another_one();
  what_a_container_needs_must_be_given();
  an_executor_of_another_context_is_refused();
  return 0;
}
