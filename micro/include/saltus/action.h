/**
 * Actions: long tasks with feedback, which can be cancelled.
 */
#ifndef SALTUS_ACTION_H
#define SALTUS_ACTION_H

#include "action_msgs/msg/goal_status.h"
#include "action_msgs/srv/cancel_goal.h"
#include "saltus/entities.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The state of a goal: `action_msgs__msg__GoalStatus__STATUS_*`. */
typedef int8_t saltus_goal_status_t;

/** A goal of an action server. The application gives memory for as many as it accepts at the same time. */
typedef struct saltus_goal {
    /** The `..._SendGoal_Request` with the goal. */
    void *request;
    /** The `..._GetResult_Response` for the result. */
    void *result;
    /** The state. The application looks for `STATUS_CANCELING`. */
    saltus_goal_status_t status;
    bool awaits_result;
    bool cancels;
    uint8_t id[16];
    int64_t accepted_at;
    saltus_request_t result_request;
} saltus_goal_t;

typedef struct saltus_action_server saltus_action_server_t;

/** The callbacks of an action server. */
typedef struct saltus_action_callbacks {
    /** Returns whether a goal is accepted. The application then executes it, in timers or between spins. `goal->result` may
     * have the result of an earlier goal, which clients may still ask for. So write to it only after the goal was
     * accepted, not in this callback. */
    bool (*on_goal)(void *context, saltus_goal_t *goal);
    /** Returns whether a goal is cancelled. The application then ends it with `saltus_action_finish`. */
    bool (*on_cancel)(void *context, saltus_goal_t *goal);
} saltus_action_callbacks_t;

/** An action server. */
struct saltus_action_server {
    saltus_service_t send_goal;
    saltus_service_t cancel_goal;
    saltus_service_t get_result;
    saltus_publisher_t feedback;
    saltus_publisher_t status;
    const saltus_action_type_t *type;
    const saltus_action_callbacks_t *callbacks;
    void *context;
    saltus_goal_t *goals;
    /** A `..._GetResult_Response` of zeros: the answer for goals that are unknown. */
    const void *no_result;
    uint8_t count;
};

/**
 * Adds an action server with memory for `count` goals. If all of it is in use, goals are rejected. The result of a goal
 * is kept until its memory is needed for another one.
 */
saltus_status_t saltus_action_server_init(saltus_action_server_t *server, saltus_node_t *node,
                                          const saltus_action_type_t *type, const char *name, saltus_goal_t *goals,
                                          uint8_t count, const void *no_result,
                                          const saltus_action_callbacks_t *callbacks, void *context);

/** Publishes feedback for a goal: a `..._FeedbackMessage`. Its `goal_id` is filled in. */
saltus_status_t saltus_action_feedback(saltus_action_server_t *server, const saltus_goal_t *goal, void *message);

/**
 * Ends a goal: `STATUS_SUCCEEDED`, `STATUS_CANCELED` or `STATUS_ABORTED`. `goal->result` has the result; its `status`
 * is filled in. If it returns `SALTUS_FULL`, the goal goes on: try again.
 */
saltus_status_t saltus_action_finish(saltus_action_server_t *server, saltus_goal_t *goal, saltus_goal_status_t status);

typedef struct saltus_action_client saltus_action_client_t;

/** An action client, with one goal at a time. */
struct saltus_action_client {
    saltus_client_t send_goal;
    saltus_client_t cancel_goal;
    saltus_client_t get_result;
    saltus_subscription_t feedback;
    const saltus_action_type_t *type;
    /** Is called with the server's decision about the goal. May be `NULL`. */
    void (*on_response)(void *context, bool accepted);
    /** Gets the `..._FeedbackMessage`s of the goal. May be `NULL`. */
    void (*on_feedback)(void *context, const void *message);
    /** Gets the `..._GetResult_Response`. */
    void (*on_result)(void *context, const void *response);
    /** Is called with the `return_code` of a cancellation. May be `NULL`. */
    void (*on_cancel)(void *context, int8_t return_code);
    void *context;
    uint8_t id[16];
    uint32_t goals;
    action_msgs__srv__CancelGoal_Response cancelled;
    action_msgs__msg__GoalInfo cancelled_goal;
};

/**
 * Adds an action client. `accepted`, `feedback` and `result` are memory for the `..._SendGoal_Response`, the
 * `..._FeedbackMessage` and the `..._GetResult_Response`. The callbacks are set afterwards; `on_result` must be.
 */
saltus_status_t saltus_action_client_init(saltus_action_client_t *client, saltus_node_t *node,
                                          const saltus_action_type_t *type, const char *name, void *accepted,
                                          void *feedback, void *result);

/** Sends a goal: a `..._SendGoal_Request`. Its `goal_id` is filled in. */
saltus_status_t saltus_action_send_goal(saltus_action_client_t *client, void *request);

/** Asks the server to cancel the goal. */
saltus_status_t saltus_action_cancel(saltus_action_client_t *client);

#ifdef __cplusplus
}
#endif

#endif
