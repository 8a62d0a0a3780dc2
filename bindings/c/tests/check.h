/* What the tests of libsaltus have in common. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include "saltus/saltus.h"

/** Ends the program if a condition does not hold. */
#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: expected %s; the last error: %s\n", __FILE__, __LINE__, #condition, saltus_error_message()); \
      exit(1); \
    } \
  } while (0)

/** Ends the program if a function does not return SALTUS_OK. */
#define OK(call) CHECK((call) == SALTUS_OK)

/** A second in nanoseconds. */
#define SECOND INT64_C(1000000000)

/** The type of the messages in the tests, std_msgs/msg/String without its hash. */
static inline saltus_type_t text_type(void)
{
  saltus_type_t type = {sizeof type, "std_msgs/msg/String", {0}, NULL};
  return type;
}

/** Creates a context without signals, and a node in it. */
static inline saltus_node_t *new_node(const char *name, saltus_context_t **context)
{
  saltus_context_options_t options;
  saltus_node_options_t node_options;
  saltus_node_t *node;
  saltus_context_options_init(&options, sizeof options);
  options.signal_set = 0;
  OK(saltus_context_create(&options, context));
  saltus_node_options_init(&node_options, sizeof node_options);
  node_options.name = name;
  OK(saltus_node_create(*context, &node_options, &node));
  return node;
}

#endif
