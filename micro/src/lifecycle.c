/* The state machine of a lifecycle node (design.ros2.org/articles/node_lifecycle.html) and its services. */
#include "saltus/lifecycle.h"

#include <string.h>

#include "data.h"
#include "events.h"
#include "lifecycle_msgs/msg/state.h"
#include "lifecycle_msgs/msg/transition.h"
#include "lifecycle_msgs/msg/transition_event.h"
#include "lifecycle_msgs/srv/change_state.h"
#include "lifecycle_msgs/srv/get_available_states.h"
#include "lifecycle_msgs/srv/get_available_transitions.h"
#include "lifecycle_msgs/srv/get_state.h"

/* The longest label, with its NUL byte. */
#define LABEL 24U

typedef struct state_row {
    uint8_t id;
    const char *label;
} state_row_t;

static const state_row_t states[] = {
    {0U, "unknown"},     {1U, "unconfigured"},  {2U, "inactive"},         {3U, "active"},
    {4U, "finalized"},   {10U, "configuring"},  {11U, "cleaningup"},      {12U, "shuttingdown"},
    {13U, "activating"}, {14U, "deactivating"}, {15U, "errorprocessing"},
};
#define STATES (sizeof(states) / sizeof(states[0]))

/* A transition: those that a user begins, and then the outcomes of their callbacks. */
typedef struct transition_row {
    uint8_t id;
    uint8_t start;
    uint8_t goal;
    const char *label;
} transition_row_t;

#define USER_TRANSITIONS 7U
#define SUCCESS "transition_success"
#define FAILURE "transition_failure"
#define ERROR "transition_error"

static const transition_row_t transitions[] = {
    {1U, 1U, 10U, "configure"}, {2U, 2U, 11U, "cleanup"},  {3U, 2U, 13U, "activate"}, {4U, 3U, 14U, "deactivate"},
    {5U, 1U, 12U, "shutdown"},  {6U, 2U, 12U, "shutdown"}, {7U, 3U, 12U, "shutdown"}, {10U, 10U, 2U, SUCCESS},
    {11U, 10U, 1U, FAILURE},    {12U, 10U, 15U, ERROR},    {20U, 11U, 1U, SUCCESS},   {21U, 11U, 2U, FAILURE},
    {22U, 11U, 15U, ERROR},     {30U, 13U, 3U, SUCCESS},   {31U, 13U, 2U, FAILURE},   {32U, 13U, 15U, ERROR},
    {40U, 14U, 2U, SUCCESS},    {41U, 14U, 3U, FAILURE},   {42U, 14U, 15U, ERROR},    {50U, 12U, 4U, SUCCESS},
    {51U, 12U, 4U, FAILURE},    {52U, 12U, 15U, ERROR},    {60U, 15U, 1U, SUCCESS},   {61U, 15U, 4U, FAILURE},
    {62U, 15U, 4U, ERROR},
};
#define TRANSITIONS (sizeof(transitions) / sizeof(transitions[0]))

/* Returns a state as a message. */
static lifecycle_msgs__msg__State state_of(uint8_t id) {
    lifecycle_msgs__msg__State state = {0};
    for (size_t i = 0U; i < STATES; i++) {
        if (states[i].id == id) {
            state.id = id;
            state.label = saltus_string_of(states[i].label);
        }
    }
    return state;
}

/* Returns a transition as a message. */
static lifecycle_msgs__msg__Transition transition_of(const transition_row_t *row) {
    lifecycle_msgs__msg__Transition transition = {0};
    transition.id = row->id;
    transition.label = saltus_string_of(row->label);
    return transition;
}

/* Writes the event of a transition. */
static void write_event(saltus_cdr_t *cdr, const transition_row_t *row, uint64_t stamp) {
    lifecycle_msgs__msg__TransitionEvent event;
    event.timestamp = stamp;
    event.transition = transition_of(row);
    event.start_state = state_of(row->start);
    event.goal_state = state_of(row->goal);
    lifecycle_msgs__msg__TransitionEvent__write(cdr, &event);
}

/* Enters the goal of a transition, and publishes that. */
static void enter(saltus_lifecycle_t *lifecycle, const transition_row_t *row) {
    saltus_session_t *session = lifecycle->events.entity.session;
    const uint64_t stamp = (uint64_t)saltus_time(session);
    saltus_cdr_t cdr;
    saltus_cdr_t counter = saltus_cdr_counter();
    lifecycle->state = row->goal;
    write_event(&counter, row, stamp);
    if (saltus_publish_begin(&lifecycle->events, counter.position, &cdr) == SALTUS_OK) {
        write_event(&cdr, row, stamp);
        (void)saltus_publish_end(&lifecycle->events, &cdr);
    } else {
        session->counters.unsent++;
    }
}

/* Calls a callback of the application, if there is one. */
static saltus_transition_t call(saltus_transition_t (*callback)(void *context), void *context) {
    return (callback == NULL) ? SALTUS_TRANSITION_SUCCESS : callback(context);
}

/* Calls the callback of the transition state in which the node is. */
static saltus_transition_t run(const saltus_lifecycle_t *lifecycle) {
    const saltus_lifecycle_callbacks_t *callbacks = lifecycle->callbacks;
    saltus_transition_t (*callback)(void *context) = callbacks->on_error;
    switch (lifecycle->state) {
    case lifecycle_msgs__msg__State__TRANSITION_STATE_CONFIGURING:
        callback = callbacks->on_configure;
        break;
    case lifecycle_msgs__msg__State__TRANSITION_STATE_CLEANINGUP:
        callback = callbacks->on_cleanup;
        break;
    case lifecycle_msgs__msg__State__TRANSITION_STATE_SHUTTINGDOWN:
        callback = callbacks->on_shutdown;
        break;
    case lifecycle_msgs__msg__State__TRANSITION_STATE_ACTIVATING:
        callback = callbacks->on_activate;
        break;
    case lifecycle_msgs__msg__State__TRANSITION_STATE_DEACTIVATING:
        callback = callbacks->on_deactivate;
        break;
    default:
        /* An error is processed. */
        break;
    }
    return call(callback, lifecycle->context);
}

/* Enters the state that follows from the outcome of a callback. */
static void finish(saltus_lifecycle_t *lifecycle, saltus_transition_t outcome) {
    for (size_t i = USER_TRANSITIONS; i < TRANSITIONS; i++) {
        if (transitions[i].start == lifecycle->state) {
            /* The three outcomes of a state follow one another. */
            enter(lifecycle, &transitions[i + (size_t)outcome]);
            return;
        }
    }
}

/* Makes a transition, and returns whether its callback succeeded. */
static bool change(saltus_lifecycle_t *lifecycle, const transition_row_t *row) {
    enter(lifecycle, row);
    const saltus_transition_t outcome = run(lifecycle);
    finish(lifecycle, outcome);
    if (outcome == SALTUS_TRANSITION_ERROR) {
        finish(lifecycle, run(lifecycle));
    }
    return outcome == SALTUS_TRANSITION_SUCCESS;
}

/* Returns the transition that a user asks for, by its label or its number. `NULL` if it is not possible now. */
static const transition_row_t *possible(const saltus_lifecycle_t *lifecycle, uint8_t id, const char *label) {
    for (size_t i = 0U; i < USER_TRANSITIONS; i++) {
        const transition_row_t *row = &transitions[i];
        const bool is_meant = (label[0] != '\0') ? (strcmp(label, row->label) == 0) : (row->id == id);
        if (is_meant && (row->start == lifecycle->state)) {
            return row;
        }
    }
    return NULL;
}

bool saltus_lifecycle_change(saltus_lifecycle_t *lifecycle, uint8_t transition) {
    const transition_row_t *row = possible(lifecycle, transition, "");
    return (row != NULL) && change(lifecycle, row);
}

bool saltus_lifecycle_is_active(const saltus_lifecycle_t *lifecycle) {
    return lifecycle->state == lifecycle_msgs__msg__State__PRIMARY_STATE_ACTIVE;
}

/* Handles the request for a transition. */
static void handle_change(saltus_lifecycle_t *lifecycle, const saltus_request_t *request, saltus_cdr_t *cdr) {
    saltus_service_t *service = &lifecycle->services[0];
    char label[LABEL];
    saltus_cdr_t response;
    lifecycle_msgs__msg__Transition wanted = {0};
    wanted.label = saltus_string_in(label, LABEL);
    label[0] = '\0';
    lifecycle_msgs__msg__Transition__read(cdr, &wanted);
    if ((cdr->status != SALTUS_OK) && (cdr->status != SALTUS_CAPACITY)) {
        sal_events_report_unreadable(service->entity.session, cdr->status);
        return;
    }
    /* A label that is too long is no label of a transition. */
    const transition_row_t *row = (cdr->status == SALTUS_OK) ? possible(lifecycle, wanted.id, label) : NULL;
    const bool success = (row != NULL) && change(lifecycle, row);
    if (sal_data_begin_response(service, request, 1U, &response) == SALTUS_OK) {
        saltus_cdr_write_bools(&response, &success, 1U);
        (void)sal_data_end_response(service, &response, 1U);
    } else {
        service->entity.session->counters.unsent++;
    }
}

/* Writes a state. */
static void answer_state(saltus_cdr_t *cdr, uint8_t state) {
    const lifecycle_msgs__msg__State own = state_of(state);
    lifecycle_msgs__msg__State__write(cdr, &own);
}

/* Writes all states. */
static void answer_states(saltus_cdr_t *cdr, uint8_t state) {
    (void)state;
    saltus_cdr_write_uint32(cdr, STATES);
    for (size_t i = 0U; i < STATES; i++) {
        answer_state(cdr, states[i].id);
    }
}

/* Writes the transitions that are possible in a state, or all. */
static void write_transitions(saltus_cdr_t *cdr, uint8_t state, bool writes_all) {
    uint32_t count = 0U;
    for (size_t i = 0U; i < TRANSITIONS; i++) {
        count += (writes_all || (transitions[i].start == state)) ? 1U : 0U;
    }
    saltus_cdr_write_uint32(cdr, count);
    for (size_t i = 0U; i < TRANSITIONS; i++) {
        if (writes_all || (transitions[i].start == state)) {
            const lifecycle_msgs__msg__Transition transition = transition_of(&transitions[i]);
            lifecycle_msgs__msg__Transition__write(cdr, &transition);
            answer_state(cdr, transitions[i].start);
            answer_state(cdr, transitions[i].goal);
        }
    }
}

/* Writes the transitions that are possible in a state. */
static void answer_transitions(saltus_cdr_t *cdr, uint8_t state) {
    write_transitions(cdr, state, false);
}

/* Writes all transitions. */
static void answer_graph(saltus_cdr_t *cdr, uint8_t state) {
    write_transitions(cdr, state, true);
}

/* A service, and the function that writes its response. The first service is different: it has an effect. */
typedef struct row {
    const char *name;
    const saltus_service_type_t *type;
    void (*answer)(saltus_cdr_t *cdr, uint8_t state);
} row_t;

static const row_t rows[SALTUS_LIFECYCLE_SERVICES] = {
    {"~/change_state", &lifecycle_msgs__srv__ChangeState__type, NULL},
    {"~/get_state", &lifecycle_msgs__srv__GetState__type, answer_state},
    {"~/get_available_states", &lifecycle_msgs__srv__GetAvailableStates__type, answer_states},
    {"~/get_available_transitions", &lifecycle_msgs__srv__GetAvailableTransitions__type, answer_transitions},
    {"~/get_transition_graph", &lifecycle_msgs__srv__GetAvailableTransitions__type, answer_graph},
};

/* Handles a request to one of the services. */
static void handle(saltus_service_t *service, const saltus_request_t *request, saltus_cdr_t *cdr) {
    saltus_lifecycle_t *lifecycle = service->context;
    const row_t *row = &rows[service - lifecycle->services];
    saltus_cdr_t response;
    saltus_cdr_t counter = saltus_cdr_counter();
    if (row->answer == NULL) {
        handle_change(lifecycle, request, cdr);
        return;
    }
    row->answer(&counter, lifecycle->state);
    const saltus_status_t status = sal_data_begin_response(service, request, counter.position, &response);
    if (status == SALTUS_OK) {
        row->answer(&response, lifecycle->state);
        (void)sal_data_end_response(service, &response, counter.position);
    } else if (status == SALTUS_FULL) {
        saltus_defer(service->entity.session);
    } else {
        service->entity.session->counters.unsent++;
    }
}

saltus_status_t saltus_lifecycle_init(saltus_lifecycle_t *lifecycle, saltus_node_t *node,
                                      const saltus_lifecycle_callbacks_t *callbacks, void *context) {
    saltus_status_t status =
        saltus_publisher_init(&lifecycle->events, node, &lifecycle_msgs__msg__TransitionEvent__type,
                              "~/transition_event", SALTUS_QOS_DEFAULT);
    lifecycle->callbacks = callbacks;
    lifecycle->context = context;
    lifecycle->state = lifecycle_msgs__msg__State__PRIMARY_STATE_UNCONFIGURED;
    for (uint8_t i = 0U; (i < SALTUS_LIFECYCLE_SERVICES) && (status == SALTUS_OK); i++) {
        saltus_service_t *service = &lifecycle->services[i];
        status = saltus_service_init(service, node, rows[i].type, rows[i].name, NULL, NULL, NULL, lifecycle);
        service->handle = handle;
    }
    return status;
}
