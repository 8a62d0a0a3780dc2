/* The subject of the conformance suite in C; tests/conformance/README.md describes it. What its parts share. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "saltus/typed.h"
#include "saltus_conformance_msgs/srv/command.h"

/** Ends the program if a function does not return SALTUS_OK. */
#define OK(call) \
  do { \
    const saltus_status_t failure = (call); \
    if (failure != SALTUS_OK) { \
      fprintf(stderr, "%s:%d: %s: %d, %s\n", __FILE__, __LINE__, #call, (int)failure, saltus_error_message()); \
      exit(1); \
    } \
  } while (0)

/** The objects that all parts use. */
struct subject
{
  saltus_context_t *context;
  saltus_node_t *node;
  saltus_executor_t *executor;
};

/** Callbacks run on two threads. This protects all that they share. */
void lock(void);
void unlock(void);

/** Wakes who waits in wait_until(). The lock is held. */
void notify(void);

/** A condition, which is looked at while the lock is held. */
typedef bool condition_t(const void *context);

/** Waits until a condition holds, at most for a number of nanoseconds. Returns whether it does. The lock is held, but not while it waits. */
bool wait_until(condition_t *holds, const void *context, int64_t timeout);

/** Returns memory, which is zero. */
void *allocate(size_t size);

/** Returns a copy of a text. */
char *copy_of(const char *text);

/** Reads a time in seconds. Returns nanoseconds. */
int64_t nanoseconds(const char *seconds);

typedef saltus_conformance_msgs__srv__Command_Response response_t;

/** Responds that a command was executed. */
void succeed(response_t *response, const char *text);

/** Responds that a command could not be executed. */
void refuse(response_t *response, const char *text);

/** Responds with the word for the result of a function. The text is empty for SALTUS_OK. */
void respond_with(response_t *response, saltus_status_t status);

/** A command: its name, how many words it has with its name, and the function that executes it. The last one of a list has no name. */
struct command
{
  const char *name;
  size_t words;
  void (*run)(struct subject *subject, const char *const *words, response_t *response);
};

extern const struct command CONTAINER_COMMANDS[];
extern const struct command GOAL_COMMANDS[];
extern const struct command LIFECYCLE_COMMANDS[];
extern const struct command PARAMETER_COMMANDS[];
extern const struct command SERVICE_COMMANDS[];
extern const struct command TOPIC_COMMANDS[];

/** Opens ~/add and ~/hold. */
void open_services(struct subject *subject);

/** Opens the action ~/count. */
void open_action(struct subject *subject);

/** Declares the parameters of the node. */
void declare_parameters(struct subject *subject);

#endif
