/* Action servers and clients, over services and topics as ROS 2 has them. */
#include "saltus/action.h"

#include <string.h>

#include "action_msgs/msg/goal_status_array.h"
#include "data.h"
#include "events.h"

#define ID_SIZE 16U
#define QOS_OF_STATUS ((saltus_qos_t){true, true, 1U})
#define ACCEPTED action_msgs__msg__GoalStatus__STATUS_ACCEPTED
#define EXECUTING action_msgs__msg__GoalStatus__STATUS_EXECUTING
#define CANCELING action_msgs__msg__GoalStatus__STATUS_CANCELING
#define UNKNOWN action_msgs__msg__GoalStatus__STATUS_UNKNOWN

/* Returns whether a goal has ended. */
static bool is_terminal(const saltus_goal_t *goal) {
    return goal->status > CANCELING;
}

/* Returns whether a goal is accepted and has not ended. */
static bool is_active(const saltus_goal_t *goal) {
    return (goal->status != UNKNOWN) && !is_terminal(goal);
}

/* Returns the goal with an identifier, or `NULL`. */
static saltus_goal_t *find(const saltus_action_server_t *server, const uint8_t *id) {
    for (uint8_t i = 0U; i < server->count; i++) {
        if ((server->goals[i].status != UNKNOWN) && (memcmp(server->goals[i].id, id, ID_SIZE) == 0)) {
            return &server->goals[i];
        }
    }
    return NULL;
}

/* Returns memory for a goal: unused, or that of the oldest goal that has ended. `NULL` if all are active. */
static saltus_goal_t *free_goal(const saltus_action_server_t *server) {
    saltus_goal_t *oldest = NULL;
    for (uint8_t i = 0U; i < server->count; i++) {
        saltus_goal_t *goal = &server->goals[i];
        if (goal->status == UNKNOWN) {
            return goal;
        }
        if (is_terminal(goal) && ((oldest == NULL) || (goal->accepted_at < oldest->accepted_at))) {
            oldest = goal;
        }
    }
    return oldest;
}

/* Returns a time as a message. */
static builtin_interfaces__msg__Time time_of(int64_t nanoseconds) {
    const builtin_interfaces__msg__Time time = {(int32_t)(nanoseconds / SALTUS_SECOND),
                                                (uint32_t)(nanoseconds % SALTUS_SECOND)};
    return time;
}

/* Returns the identifier and the time of a goal as a message. */
static action_msgs__msg__GoalInfo info_of(const saltus_goal_t *goal) {
    action_msgs__msg__GoalInfo info;
    (void)memcpy(info.goal_id.uuid, goal->id, ID_SIZE);
    info.stamp = time_of(goal->accepted_at);
    return info;
}

/* Writes the states of all goals. */
static void write_statuses(saltus_cdr_t *cdr, const saltus_action_server_t *server) {
    uint32_t count = 0U;
    for (uint8_t i = 0U; i < server->count; i++) {
        count += (server->goals[i].status != UNKNOWN) ? 1U : 0U;
    }
    saltus_cdr_write_uint32(cdr, count);
    for (uint8_t i = 0U; i < server->count; i++) {
        if (server->goals[i].status != UNKNOWN) {
            action_msgs__msg__GoalStatus status;
            status.goal_info = info_of(&server->goals[i]);
            status.status = server->goals[i].status;
            action_msgs__msg__GoalStatus__write(cdr, &status);
        }
    }
}

/* Publishes the states of all goals. */
static void publish_statuses(saltus_action_server_t *server) {
    saltus_cdr_t cdr;
    saltus_cdr_t counter = saltus_cdr_counter();
    write_statuses(&counter, server);
    if (saltus_publish_begin(&server->status, counter.position, &cdr) == SALTUS_OK) {
        write_statuses(&cdr, server);
        (void)saltus_publish_end(&server->status, &cdr);
    } else {
        server->status.entity.session->counters.unsent++;
    }
}

/* Reads the identifier of a goal, which a request begins with. The request is a copy. */
static bool read_id(saltus_cdr_t request, uint8_t *id) {
    saltus_cdr_read_bytes(&request, id, ID_SIZE);
    return request.status == SALTUS_OK;
}

/* Counts a response that could not be sent. */
static void count_unsent(const saltus_service_t *service, saltus_status_t status) {
    if (status != SALTUS_OK) {
        service->entity.session->counters.unsent++;
    }
}

/* Writes the response to a goal. */
static void write_accepted(saltus_cdr_t *cdr, bool accepted, int64_t at) {
    const builtin_interfaces__msg__Time stamp = time_of(at);
    saltus_cdr_write_bools(cdr, &accepted, 1U);
    builtin_interfaces__msg__Time__write(cdr, &stamp);
}

/* Responds to a goal. */
static void respond_accepted(saltus_service_t *service, const saltus_request_t *request, bool accepted, int64_t at) {
    saltus_cdr_t cdr;
    saltus_cdr_t counter = saltus_cdr_counter();
    write_accepted(&counter, accepted, at);
    saltus_status_t status = sal_data_begin_response(service, request, counter.position, &cdr);
    if (status == SALTUS_OK) {
        write_accepted(&cdr, accepted, at);
        status = sal_data_end_response(service, &cdr, counter.position);
    }
    count_unsent(service, status);
}

/* Takes a goal into its memory. Returns whether the application accepts it. If not, the goal that had the memory before
 * is still there, with its result. */
static bool take_goal(saltus_action_server_t *server, saltus_goal_t *goal, const uint8_t *id) {
    const saltus_goal_t before = *goal;
    (void)memcpy(goal->id, id, ID_SIZE);
    goal->status = ACCEPTED;
    goal->awaits_result = false;
    goal->cancels = false;
    goal->accepted_at = saltus_time(server->send_goal.entity.session);
    if (!server->callbacks->on_goal(server->context, goal)) {
        *goal = before;
        return false;
    }
    return true;
}

/* Handles the request to execute a goal. */
static void handle_goal(saltus_service_t *service, const saltus_request_t *request, saltus_cdr_t *cdr) {
    saltus_action_server_t *server = service->context;
    uint8_t id[ID_SIZE];
    saltus_goal_t *goal = NULL;
    if (read_id(*cdr, id) && (find(server, id) == NULL)) {
        goal = free_goal(server);
    }
    if (goal != NULL) {
        server->type->send_goal->request->read(cdr, goal->request);
        if (cdr->status != SALTUS_OK) {
            sal_events_report_unreadable(service->entity.session, cdr->status);
            goal = NULL;
        } else if (!take_goal(server, goal, id)) {
            goal = NULL;
        } else {
            /* The goal is accepted. */
        }
    }
    respond_accepted(service, request, goal != NULL, (goal != NULL) ? goal->accepted_at : 0);
    if (goal != NULL) {
        if (goal->status == ACCEPTED) {
            goal->status = EXECUTING;
        }
        publish_statuses(server);
    }
}

/* Marks the goals that a request means and the application agrees to cancel. Returns the code of the response. */
static int8_t mark_cancelled(saltus_action_server_t *server, const action_msgs__msg__GoalInfo *info) {
    static const uint8_t zeros[ID_SIZE] = {0};
    const int64_t stamp = ((int64_t)info->stamp.sec * SALTUS_SECOND) + info->stamp.nanosec;
    const bool has_id = memcmp(info->goal_id.uuid, zeros, ID_SIZE) != 0;
    const saltus_goal_t *named = has_id ? find(server, info->goal_id.uuid) : NULL;
    int8_t code = action_msgs__srv__CancelGoal_Response__ERROR_REJECTED;
    for (uint8_t i = 0U; i < server->count; i++) {
        saltus_goal_t *goal = &server->goals[i];
        const bool is_meant =
            (goal == named) || (!has_id && (stamp == 0)) || ((stamp != 0) && (goal->accepted_at <= stamp));
        goal->cancels = is_meant && is_active(goal) && server->callbacks->on_cancel(server->context, goal);
        /* The application may have ended it in the callback. */
        if (goal->cancels && is_active(goal)) {
            goal->status = CANCELING;
        }
        if (goal->cancels) {
            code = action_msgs__srv__CancelGoal_Response__ERROR_NONE;
        }
    }
    if (has_id && (named == NULL)) {
        code = action_msgs__srv__CancelGoal_Response__ERROR_UNKNOWN_GOAL_ID;
    } else if (has_id && is_terminal(named)) {
        code = action_msgs__srv__CancelGoal_Response__ERROR_GOAL_TERMINATED;
    } else {
        /* The code says whether anything is cancelled. */
    }
    return code;
}

/* Writes the response to a cancellation. */
static void write_cancelled(saltus_cdr_t *cdr, const saltus_action_server_t *server, int8_t code) {
    uint32_t count = 0U;
    for (uint8_t i = 0U; i < server->count; i++) {
        count += server->goals[i].cancels ? 1U : 0U;
    }
    saltus_cdr_write_uint8(cdr, (uint8_t)code);
    saltus_cdr_write_uint32(cdr, count);
    for (uint8_t i = 0U; i < server->count; i++) {
        if (server->goals[i].cancels) {
            const action_msgs__msg__GoalInfo info = info_of(&server->goals[i]);
            action_msgs__msg__GoalInfo__write(cdr, &info);
        }
    }
}

/* Handles the request to cancel goals. */
static void handle_cancel(saltus_service_t *service, const saltus_request_t *request, saltus_cdr_t *cdr) {
    saltus_action_server_t *server = service->context;
    action_msgs__msg__GoalInfo info;
    saltus_cdr_t response;
    saltus_cdr_t counter = saltus_cdr_counter();
    action_msgs__msg__GoalInfo__read(cdr, &info);
    if (cdr->status != SALTUS_OK) {
        sal_events_report_unreadable(service->entity.session, cdr->status);
        return;
    }
    const int8_t code = mark_cancelled(server, &info);
    write_cancelled(&counter, server, code);
    saltus_status_t status = sal_data_begin_response(service, request, counter.position, &response);
    if (status == SALTUS_OK) {
        write_cancelled(&response, server, code);
        status = sal_data_end_response(service, &response, counter.position);
    }
    count_unsent(service, status);
    publish_statuses(server);
}

/* Answers the question for the result of a goal that has ended. */
static saltus_status_t respond_result(saltus_action_server_t *server, const saltus_goal_t *goal) {
    /* The status is the first field of every result's response. */
    (void)memcpy(goal->result, &goal->status, sizeof(goal->status));
    return saltus_respond(&server->get_result, &goal->result_request, goal->result);
}

/* Handles the request for the result of a goal. */
static void handle_result(saltus_service_t *service, const saltus_request_t *request, saltus_cdr_t *cdr) {
    saltus_action_server_t *server = service->context;
    uint8_t id[ID_SIZE];
    saltus_goal_t *goal = read_id(*cdr, id) ? find(server, id) : NULL;
    if (goal == NULL) {
        count_unsent(service, saltus_respond(service, request, server->no_result));
        return;
    }
    goal->result_request = *request;
    goal->awaits_result = !is_terminal(goal);
    if (is_terminal(goal)) {
        count_unsent(service, respond_result(server, goal));
    }
}

saltus_status_t saltus_action_finish(saltus_action_server_t *server, saltus_goal_t *goal, saltus_goal_status_t status) {
    if (!is_active(goal) || (status <= CANCELING)) {
        return SALTUS_INVALID;
    }
    const saltus_goal_status_t before = goal->status;
    saltus_status_t sent = SALTUS_OK;
    goal->status = status;
    if (goal->awaits_result) {
        sent = respond_result(server, goal);
        if (sent == SALTUS_FULL) {
            /* The application tries again. */
            goal->status = before;
            return sent;
        }
        goal->awaits_result = false;
        count_unsent(&server->get_result, sent);
    }
    publish_statuses(server);
    return sent;
}

saltus_status_t saltus_action_feedback(saltus_action_server_t *server, const saltus_goal_t *goal, void *message) {
    (void)memcpy(message, goal->id, ID_SIZE);
    return saltus_publish(&server->feedback, message);
}

/* Adds a service of an action server. */
static saltus_status_t init_service(saltus_service_t *service, saltus_node_t *node, const saltus_service_type_t *type,
                                    const char *name, const char *suffix, saltus_action_server_t *server,
                                    void (*handle)(saltus_service_t *service, const saltus_request_t *request,
                                                   saltus_cdr_t *cdr)) {
    const saltus_status_t status = saltus_service_init(service, node, type, name, NULL, NULL, NULL, server);
    service->entity.suffix = suffix;
    service->handle = handle;
    return status;
}

saltus_status_t saltus_action_server_init(saltus_action_server_t *server, saltus_node_t *node,
                                          const saltus_action_type_t *type, const char *name, saltus_goal_t *goals,
                                          uint8_t count, const void *no_result,
                                          const saltus_action_callbacks_t *callbacks, void *context) {
    server->type = type;
    server->callbacks = callbacks;
    server->context = context;
    server->goals = goals;
    server->count = count;
    server->no_result = no_result;
    for (uint8_t i = 0U; i < count; i++) {
        goals[i].status = UNKNOWN;
    }
    saltus_status_t status =
        init_service(&server->send_goal, node, type->send_goal, name, "/_action/send_goal", server, handle_goal);
    if (status == SALTUS_OK) {
        status = init_service(&server->cancel_goal, node, &action_msgs__srv__CancelGoal__type, name,
                              "/_action/cancel_goal", server, handle_cancel);
    }
    if (status == SALTUS_OK) {
        status = init_service(&server->get_result, node, type->get_result, name, "/_action/get_result", server,
                              handle_result);
    }
    if (status == SALTUS_OK) {
        status = saltus_publisher_init(&server->feedback, node, type->feedback, name, SALTUS_QOS_DEFAULT);
        server->feedback.entity.suffix = "/_action/feedback";
    }
    if (status == SALTUS_OK) {
        status =
            saltus_publisher_init(&server->status, node, &action_msgs__msg__GoalStatusArray__type, name, QOS_OF_STATUS);
        server->status.entity.suffix = "/_action/status";
    }
    return status;
}

/* The server has accepted the goal, or not. If it has, its result is asked for. */
static void take_response(void *context, uint16_t request, const void *response) {
    saltus_action_client_t *client = context;
    const saltus_client_t *get_result = &client->get_result;
    bool accepted;
    (void)request;
    (void)memcpy(&accepted, response, sizeof(accepted));
    if (accepted) {
        /* The request for a result is the identifier of the goal and nothing else. */
        const saltus_status_t status = saltus_call(&client->get_result, client->id, NULL);
        if (status != SALTUS_OK) {
            get_result->entity.session->counters.unsent++;
        }
    }
    if (client->on_response != NULL) {
        client->on_response(client->context, accepted);
    }
}

/* Passes the feedback for the goal to the application. */
static void take_feedback(void *context, const void *message) {
    const saltus_action_client_t *client = context;
    if ((client->on_feedback != NULL) && (memcmp(message, client->id, ID_SIZE) == 0)) {
        client->on_feedback(client->context, message);
    }
}

/* Passes the result of the goal to the application. */
static void take_result(void *context, uint16_t request, const void *response) {
    const saltus_action_client_t *client = context;
    (void)request;
    client->on_result(client->context, response);
}

/* Passes the response to a cancellation to the application. */
static void take_cancelled(void *context, uint16_t request, const void *response) {
    const saltus_action_client_t *client = context;
    const action_msgs__srv__CancelGoal_Response *cancelled = response;
    (void)request;
    if (client->on_cancel != NULL) {
        client->on_cancel(client->context, cancelled->return_code);
    }
}

saltus_status_t saltus_action_client_init(saltus_action_client_t *client, saltus_node_t *node,
                                          const saltus_action_type_t *type, const char *name, void *accepted,
                                          void *feedback, void *result) {
    client->type = type;
    client->on_response = NULL;
    client->on_feedback = NULL;
    client->on_result = NULL;
    client->on_cancel = NULL;
    client->context = NULL;
    client->goals = 0U;
    client->cancelled.goals_canceling.data = &client->cancelled_goal;
    client->cancelled.goals_canceling.capacity = 1U;
    saltus_status_t status =
        saltus_client_init(&client->send_goal, node, type->send_goal, name, accepted, take_response, client);
    client->send_goal.entity.suffix = "/_action/send_goal";
    if (status == SALTUS_OK) {
        status = saltus_client_init(&client->cancel_goal, node, &action_msgs__srv__CancelGoal__type, name,
                                    &client->cancelled, take_cancelled, client);
        client->cancel_goal.entity.suffix = "/_action/cancel_goal";
    }
    if (status == SALTUS_OK) {
        status = saltus_client_init(&client->get_result, node, type->get_result, name, result, take_result, client);
        client->get_result.entity.suffix = "/_action/get_result";
    }
    if (status == SALTUS_OK) {
        status = saltus_subscription_init(&client->feedback, node, type->feedback, name, SALTUS_QOS_DEFAULT, feedback,
                                          take_feedback, client);
        client->feedback.entity.suffix = "/_action/feedback";
    }
    return status;
}

/* Makes an identifier that no other goal has: the device, its reset, and a number. */
static void new_id(saltus_action_client_t *client) {
    const saltus_session_t *session = client->send_goal.entity.session;
    const int64_t now = session->config->now();
    const uint32_t parts[4] = {session->config->key, session->config->boot, client->goals, (uint32_t)now};
    client->goals++;
    (void)memcpy(client->id, parts, ID_SIZE);
}

saltus_status_t saltus_action_send_goal(saltus_action_client_t *client, void *request) {
    uint8_t before[ID_SIZE];
    (void)memcpy(before, client->id, ID_SIZE);
    new_id(client);
    (void)memcpy(request, client->id, ID_SIZE);
    const saltus_status_t status = saltus_call(&client->send_goal, request, NULL);
    if (status != SALTUS_OK) {
        /* The goal before is still the one whose feedback is wanted. */
        (void)memcpy(client->id, before, ID_SIZE);
    }
    return status;
}

saltus_status_t saltus_action_cancel(saltus_action_client_t *client) {
    action_msgs__srv__CancelGoal_Request request = {0};
    (void)memcpy(request.goal_info.goal_id.uuid, client->id, ID_SIZE);
    return saltus_call(&client->cancel_goal, &request, NULL);
}
