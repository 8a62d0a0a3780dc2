/* Tests that the talker publishes. */
#define _XOPEN_SOURCE 700

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"

/** Ends the program if a condition does not hold. */
#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: expected %s; the last error: %s\n", __FILE__, __LINE__, #condition, saltus_error_message()); \
      exit(1); \
    } \
  } while (0)

/** The folder of shared memory of this test. Processes of other domains do not disturb it. */
static char folder[] = "/dev/shm/@name@-test-XXXXXX";

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
  (void)status, (void)kind, (void)place;
  return remove(path);
}

static void remove_folder(void)
{
  nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static saltus_next_t on_status(void *context, saltus_message_t *message)
{
  bool *received = context;
  std_msgs__msg__String status;
  CHECK(std_msgs__msg__String__init(&status));
  CHECK(saltus_typed_read(STATUS_TYPE, saltus_message_data(message), saltus_message_size(message), &status) == SALTUS_OK);
  CHECK(strcmp(status.data.data, "step 1") == 0);
  std_msgs__msg__String__fini(&status);
  *received = true;
  return SALTUS_STOP;
}

int main(void)
{
  saltus_type_t type;
  const saltus_endpoint_options_t endpoint = status_endpoint(&type);
  saltus_node_options_t options;
  saltus_context_t *context;
  saltus_node_t *node;
  saltus_subscription_t *subscription;
  saltus_executor_t *executor;
  struct talker talker = {0};
  bool received = false;
  CHECK(mkdtemp(folder) != NULL);
  atexit(remove_folder);
  setenv("SALTUS_SHM_DIR", folder, 1);
  CHECK(saltus_context_create(NULL, &context) == SALTUS_OK);
  saltus_node_options_init(&options, sizeof options);
  options.name = "@name@";
  CHECK(saltus_node_create(context, &options, &node) == SALTUS_OK);
  CHECK(saltus_subscription_create_with_callback(node, &endpoint, on_status, &received, NULL, &subscription) == SALTUS_OK);
  CHECK(talker_create(&talker, node) == SALTUS_OK);
  CHECK(saltus_executor_create(context, NULL, &executor) == SALTUS_OK);
  CHECK(saltus_executor_add_node(executor, node) == SALTUS_OK);
  for (int turn = 0; turn < 100 && !received; ++turn) {
    bool has_run;
    saltus_executor_spin_once(executor, 100 * 1000 * 1000, &has_run);
  }
  CHECK(received);
  saltus_executor_destroy(executor);
  talker_destroy(&talker);
  saltus_subscription_destroy(subscription);
  saltus_node_destroy(node);
  saltus_context_destroy(context);
  return 0;
}
