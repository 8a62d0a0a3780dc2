/* Publishes the status until Ctrl-C. */
#include <stdio.h>

#include "status.h"

int main(int argc, char *argv[])
{
  saltus_context_options_t options;
  saltus_node_options_t node_options;
  saltus_context_t *context = NULL;
  saltus_node_t *node = NULL;
  saltus_executor_t *executor = NULL;
  struct talker talker = {0};
  saltus_context_options_init(&options, sizeof options);
  options.argument_count = (size_t)argc;
  options.arguments = (const char *const *)argv;
  saltus_node_options_init(&node_options, sizeof node_options);
  node_options.name = "@name@";

  const bool succeeded = saltus_context_create(&options, &context) == SALTUS_OK &&
    saltus_node_create(context, &node_options, &node) == SALTUS_OK &&
    talker_create(&talker, node) == SALTUS_OK &&
    saltus_executor_create(context, NULL, &executor) == SALTUS_OK &&
    saltus_executor_add_node(executor, node) == SALTUS_OK &&
    saltus_executor_spin(executor) == SALTUS_OK;
  if (!succeeded) {
    fprintf(stderr, "talker: %s\n", saltus_error_message());
  }
  saltus_executor_destroy(executor);
  talker_destroy(&talker);
  saltus_node_destroy(node);
  saltus_context_destroy(context);
  return succeeded ? 0 : 1;
}
