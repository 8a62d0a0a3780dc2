/* The services of a node's parameters. Requests are read, and responses written, an element at a time. */
#include "saltus/parameters.h"

#include <string.h>

#include "data.h"
#include "events.h"
#include "rcl_interfaces/msg/parameter_descriptor.h"
#include "rcl_interfaces/msg/parameter_event.h"
#include "rcl_interfaces/msg/parameter_type.h"
#include "rcl_interfaces/msg/set_parameters_result.h"
#include "rcl_interfaces/srv/describe_parameters.h"
#include "rcl_interfaces/srv/get_parameter_types.h"
#include "rcl_interfaces/srv/get_parameters.h"
#include "rcl_interfaces/srv/list_parameters.h"
#include "rcl_interfaces/srv/set_parameters.h"
#include "rcl_interfaces/srv/set_parameters_atomically.h"

#define BOOL rcl_interfaces__msg__ParameterType__PARAMETER_BOOL
#define INTEGER rcl_interfaces__msg__ParameterType__PARAMETER_INTEGER
#define DOUBLE rcl_interfaces__msg__ParameterType__PARAMETER_DOUBLE
#define STRING rcl_interfaces__msg__ParameterType__PARAMETER_STRING

/* A parameter of a request. */
typedef struct given {
    char name[SALTUS_PARAMETER_TEXT];
    char text[SALTUS_PARAMETER_TEXT];
    saltus_parameter_value_t value;
    uint8_t type;
    /* True if the text has no NUL byte and is not too long. */
    bool is_whole;
} given_t;

saltus_parameter_t *saltus_parameter(const saltus_parameter_server_t *server, const char *name) {
    for (uint16_t i = 0U; i < server->count; i++) {
        if (strcmp(server->parameters[i].name, name) == 0) {
            return &server->parameters[i];
        }
    }
    return NULL;
}

/*
 * Reads text up to its first NUL byte. Text that is too long is read as empty, which no name is. Returns whether it is
 * all there.
 */
static bool read_text(saltus_cdr_t *cdr, char text[SALTUS_PARAMETER_TEXT], uint32_t *size) {
    const uint32_t length = saltus_cdr_read_uint32(cdr);
    const bool fits = length <= SALTUS_PARAMETER_TEXT;
    text[0] = '\0';
    saltus_cdr_read_bytes(cdr, fits ? text : NULL, length);
    if (!fits || (length == 0U) || (cdr->status != SALTUS_OK)) {
        text[0] = '\0';
    } else {
        text[length - 1U] = '\0';
    }
    *size = (uint32_t)strlen(text);
    return fits && ((length == 0U) || (*size == (length - 1U)));
}

/* Reads a name, and returns the parameter with it, or `NULL`. */
static saltus_parameter_t *read_name(const saltus_parameter_server_t *server, saltus_cdr_t *cdr) {
    char name[SALTUS_PARAMETER_TEXT];
    uint32_t size;
    (void)read_text(cdr, name, &size);
    return saltus_parameter(server, name);
}

/* Returns whether all names of a request are those of parameters. The request is a copy. */
static bool are_known(const saltus_parameter_server_t *server, saltus_cdr_t request) {
    const uint32_t count = saltus_cdr_read_uint32(&request);
    bool known = true;
    for (uint32_t i = 0U; (i < count) && (request.status == SALTUS_OK) && known; i++) {
        known = read_name(server, &request) != NULL;
    }
    return known && (request.status == SALTUS_OK);
}

/* The length of the list that answers a request with names: empty if a name is unknown. */
static uint32_t begin_list(const saltus_parameter_server_t *server, saltus_cdr_t *request, saltus_cdr_t *response) {
    const bool known = are_known(server, *request);
    const uint32_t given = saltus_cdr_read_uint32(request);
    const uint32_t count = known ? given : 0U;
    saltus_cdr_write_uint32(response, count);
    return count;
}

/* Writes the value of a parameter. */
static void write_value(saltus_cdr_t *cdr, const saltus_parameter_t *parameter) {
    rcl_interfaces__msg__ParameterValue value = {0};
    value.type = parameter->type;
    switch (parameter->type) {
    case BOOL:
        value.bool_value = parameter->value.bool_value;
        break;
    case INTEGER:
        value.integer_value = parameter->value.integer_value;
        break;
    case DOUBLE:
        value.double_value = parameter->value.double_value;
        break;
    default:
        value.string_value = parameter->value.string_value;
        break;
    }
    rcl_interfaces__msg__ParameterValue__write(cdr, &value);
}

/* Writes the description of a parameter. */
static void describe(saltus_cdr_t *cdr, const saltus_parameter_t *parameter) {
    rcl_interfaces__msg__ParameterDescriptor descriptor = {0};
    rcl_interfaces__msg__FloatingPointRange doubles = {0};
    rcl_interfaces__msg__IntegerRange integers = {0};
    descriptor.name = saltus_string_of(parameter->name);
    descriptor.type = parameter->type;
    descriptor.description = saltus_string_of(parameter->description);
    descriptor.read_only = parameter->read_only;
    descriptor.floating_point_range.data = &doubles;
    descriptor.integer_range.data = &integers;
    if ((parameter->range != NULL) && (parameter->type == DOUBLE)) {
        doubles.from_value = parameter->range->double_from;
        doubles.to_value = parameter->range->double_to;
        descriptor.floating_point_range.size = 1U;
    } else if ((parameter->range != NULL) && (parameter->type == INTEGER)) {
        integers.from_value = parameter->range->integer_from;
        integers.to_value = parameter->range->integer_to;
        descriptor.integer_range.size = 1U;
    } else {
        /* There are no limits. */
    }
    rcl_interfaces__msg__ParameterDescriptor__write(cdr, &descriptor);
}

/* Skips the arrays of a value. */
static void skip_arrays(saltus_cdr_t *cdr) {
    saltus_cdr_read_bytes(cdr, NULL, saltus_cdr_read_uint32(cdr));
    saltus_cdr_read_bytes(cdr, NULL, saltus_cdr_read_uint32(cdr));
    saltus_cdr_read_numbers(cdr, NULL, 8U, saltus_cdr_read_uint32(cdr));
    saltus_cdr_read_numbers(cdr, NULL, 8U, saltus_cdr_read_uint32(cdr));
    const uint32_t strings = saltus_cdr_read_uint32(cdr);
    for (uint32_t i = 0U; (i < strings) && (cdr->status == SALTUS_OK); i++) {
        saltus_cdr_read_bytes(cdr, NULL, saltus_cdr_read_uint32(cdr));
    }
}

/* Reads a parameter that a request sets. */
static void read_given(saltus_cdr_t *cdr, given_t *given) {
    uint32_t size;
    bool boolean = false;
    int64_t integer = 0;
    double real = 0.0;
    (void)read_text(cdr, given->name, &size);
    given->type = saltus_cdr_read_uint8(cdr);
    saltus_cdr_read_bools(cdr, &boolean, 1U);
    saltus_cdr_read_numbers(cdr, &integer, 8U, 1U);
    saltus_cdr_read_numbers(cdr, &real, 8U, 1U);
    given->is_whole = read_text(cdr, given->text, &size);
    skip_arrays(cdr);
    switch (given->type) {
    case BOOL:
        given->value.bool_value = boolean;
        break;
    case INTEGER:
        given->value.integer_value = integer;
        break;
    case DOUBLE:
        given->value.double_value = real;
        break;
    default:
        given->value.string_value = saltus_string_in(given->text, SALTUS_PARAMETER_TEXT);
        given->value.string_value.size = size;
        break;
    }
}

/* Returns whether a value is outside the limits of a parameter. */
static bool is_out_of_range(const saltus_parameter_t *parameter, const saltus_parameter_value_t *value) {
    const saltus_parameter_range_t *range = parameter->range;
    bool is_out = false;
    if ((range != NULL) && (parameter->type == INTEGER)) {
        is_out = (value->integer_value < range->integer_from) || (value->integer_value > range->integer_to);
    } else if ((range != NULL) && (parameter->type == DOUBLE)) {
        /* A number that is not one is in no range. */
        is_out = !((value->double_value >= range->double_from) && (value->double_value <= range->double_to));
    } else {
        /* There are no limits. */
    }
    return is_out;
}

/* Returns why a parameter can't be set, or `NULL`. */
static const char *reason_against(const saltus_parameter_server_t *server, const given_t *given) {
    const saltus_parameter_t *parameter = saltus_parameter(server, given->name);
    const char *reason = NULL;
    if (parameter == NULL) {
        reason = "parameter cannot be set because it was not declared";
    } else if (parameter->read_only) {
        reason = "parameter cannot be set because it is read-only";
    } else if (parameter->type != given->type) {
        reason = "Wrong parameter type, the type of a declared parameter does not change";
    } else if (is_out_of_range(parameter, &given->value)) {
        reason = "Parameter doesn't comply with its range";
    } else if ((given->type == STRING) &&
               (!given->is_whole || (given->value.string_value.size >= parameter->value.string_value.capacity))) {
        reason = "the string is longer than the device has memory for";
    } else if (server->refuses != NULL) {
        reason = server->refuses(server->context, parameter, &given->value);
    } else {
        /* Nothing is against it. */
    }
    return reason;
}

/* Writes the event of a changed parameter. */
static void write_event(saltus_cdr_t *cdr, const saltus_parameter_server_t *server,
                        const saltus_parameter_t *parameter) {
    const saltus_node_t *node = server->events.entity.node;
    const int64_t now = saltus_time(node->entity.session);
    const uint32_t name_space = (uint32_t)strlen(node->name_space);
    const uint32_t name = (uint32_t)strlen(node->entity.name);
    const saltus_string_t parameter_name = saltus_string_of(parameter->name);
    saltus_cdr_write_uint32(cdr, (uint32_t)(now / SALTUS_SECOND));
    saltus_cdr_write_uint32(cdr, (uint32_t)(now % SALTUS_SECOND));
    saltus_cdr_write_uint32(cdr, name_space + name + 2U);
    saltus_cdr_write_bytes(cdr, node->name_space, name_space);
    saltus_cdr_write_uint8(cdr, (uint8_t)'/');
    saltus_cdr_write_bytes(cdr, node->entity.name, name + 1U);
    /* No new parameter, a changed one, and no deleted one. */
    saltus_cdr_write_uint32(cdr, 0U);
    saltus_cdr_write_uint32(cdr, 1U);
    saltus_cdr_write_string(cdr, &parameter_name, 0U);
    write_value(cdr, parameter);
    saltus_cdr_write_uint32(cdr, 0U);
}

saltus_status_t saltus_parameter_changed(saltus_parameter_server_t *server, const saltus_parameter_t *parameter) {
    saltus_cdr_t cdr;
    saltus_cdr_t counter = saltus_cdr_counter();
    write_event(&counter, server, parameter);
    const saltus_status_t status = saltus_publish_begin(&server->events, counter.position, &cdr);
    if (status != SALTUS_OK) {
        server->events.entity.session->counters.unsent++;
        return status;
    }
    write_event(&cdr, server, parameter);
    return saltus_publish_end(&server->events, &cdr);
}

/* Sets a parameter, and calls the callback of the application. */
static void set(saltus_parameter_server_t *server, const given_t *given) {
    saltus_parameter_t *parameter = saltus_parameter(server, given->name);
    if (given->type == STRING) {
        saltus_string_t *text = &parameter->value.string_value;
        (void)memcpy(text->data, given->text, given->value.string_value.size + 1U);
        text->size = given->value.string_value.size;
    } else {
        parameter->value = given->value;
    }
    if (server->on_change != NULL) {
        server->on_change(server->context, parameter);
    }
}

/* Writes whether a parameter was set, with the reason if it was not. */
static void write_result(saltus_cdr_t *cdr, const char *reason) {
    rcl_interfaces__msg__SetParametersResult result;
    result.successful = reason == NULL;
    result.reason = saltus_string_of((reason == NULL) ? "" : reason);
    rcl_interfaces__msg__SetParametersResult__write(cdr, &result);
}

/*
 * The answer to a request. It is called twice: to count, and to write. `applies` is true the second time; only then
 * parameters are set.
 */
typedef void (*answer_t)(saltus_parameter_server_t *server, saltus_cdr_t *request, saltus_cdr_t *response,
                         bool applies);

/* Answers a request for descriptions. */
static void answer_describe(saltus_parameter_server_t *server, saltus_cdr_t *request, saltus_cdr_t *response,
                            bool applies) {
    (void)applies;
    const uint32_t count = begin_list(server, request, response);
    for (uint32_t i = 0U; i < count; i++) {
        describe(response, read_name(server, request));
    }
}

/* Answers a request for values. */
static void answer_get(saltus_parameter_server_t *server, saltus_cdr_t *request, saltus_cdr_t *response, bool applies) {
    (void)applies;
    const uint32_t count = begin_list(server, request, response);
    for (uint32_t i = 0U; i < count; i++) {
        write_value(response, read_name(server, request));
    }
}

/* Answers a request for types. */
static void answer_types(saltus_parameter_server_t *server, saltus_cdr_t *request, saltus_cdr_t *response,
                         bool applies) {
    (void)applies;
    const uint32_t count = begin_list(server, request, response);
    for (uint32_t i = 0U; i < count; i++) {
        saltus_cdr_write_uint8(response, read_name(server, request)->type);
    }
}

/* Answers a request that sets parameters one by one. */
static void answer_set(saltus_parameter_server_t *server, saltus_cdr_t *request, saltus_cdr_t *response, bool applies) {
    const uint32_t count = saltus_cdr_read_uint32(request);
    saltus_cdr_write_uint32(response, count);
    for (uint32_t i = 0U; (i < count) && (request->status == SALTUS_OK); i++) {
        given_t given;
        read_given(request, &given);
        const char *reason = reason_against(server, &given);
        write_result(response, reason);
        if (applies && (reason == NULL)) {
            set(server, &given);
        }
    }
}

/* Answers a request that sets all of its parameters or none. */
static void answer_set_atomically(saltus_parameter_server_t *server, saltus_cdr_t *request, saltus_cdr_t *response,
                                  bool applies) {
    saltus_cdr_t again = *request;
    const uint32_t count = saltus_cdr_read_uint32(request);
    const char *reason = NULL;
    given_t given;
    for (uint32_t i = 0U; (i < count) && (request->status == SALTUS_OK) && (reason == NULL); i++) {
        read_given(request, &given);
        reason = reason_against(server, &given);
    }
    write_result(response, reason);
    if (applies && (reason == NULL)) {
        (void)saltus_cdr_read_uint32(&again);
        for (uint32_t i = 0U; i < count; i++) {
            read_given(&again, &given);
            set(server, &given);
        }
    }
}

/* Returns the number of separators in a name. */
static uint32_t separators(const char *text) {
    uint32_t count = 0U;
    for (const char *separator = strchr(text, '.'); separator != NULL; separator = strchr(&separator[1], '.')) {
        count++;
    }
    return count;
}

/* Returns whether a name is listed for the prefixes and the depth of a request. The request is a copy. */
static bool is_listed(const char *name, saltus_cdr_t request) {
    char prefix[SALTUS_PARAMETER_TEXT];
    uint32_t size;
    uint64_t depth = 0U;
    uint32_t below = UINT32_MAX;
    const uint32_t count = saltus_cdr_read_uint32(&request);
    bool is_equal = false;
    for (uint32_t i = 0U; (i < count) && (request.status == SALTUS_OK); i++) {
        (void)read_text(&request, prefix, &size);
        if ((size > 0U) && (strncmp(name, prefix, size) == 0)) {
            is_equal = is_equal || (name[size] == '\0');
            if (name[size] == '.') {
                const uint32_t rest = separators(&name[size + 1U]);
                below = (rest < below) ? rest : below;
            }
        }
    }
    saltus_cdr_read_numbers(&request, &depth, 8U, 1U);
    if (count == 0U) {
        below = separators(name);
    }
    return is_equal || ((below != UINT32_MAX) && ((depth == 0U) || (below < depth)));
}

/* The length of the part of a name before its last separator; 0 if there is none. */
static uint32_t parent_size(const char *name) {
    const char *last = strrchr(name, '.');
    return (last == NULL) ? 0U : (uint32_t)(last - name);
}

/* Returns whether the parent of a listed parameter is not that of a listed one before it. */
static bool has_new_parent(const saltus_parameter_server_t *server, uint16_t index, const saltus_cdr_t *request) {
    const char *name = server->parameters[index].name;
    const uint32_t size = parent_size(name);
    bool is_new = (size > 0U) && is_listed(name, *request);
    for (uint16_t i = 0U; (i < index) && is_new; i++) {
        const char *other = server->parameters[i].name;
        is_new = !((parent_size(other) == size) && (strncmp(other, name, size) == 0) && is_listed(other, *request));
    }
    return is_new;
}

/* Writes the names of the listed parameters. */
static void write_names(const saltus_parameter_server_t *server, const saltus_cdr_t *request, saltus_cdr_t *response) {
    uint32_t count = 0U;
    for (uint16_t i = 0U; i < server->count; i++) {
        count += is_listed(server->parameters[i].name, *request) ? 1U : 0U;
    }
    saltus_cdr_write_uint32(response, count);
    for (uint16_t i = 0U; i < server->count; i++) {
        if (is_listed(server->parameters[i].name, *request)) {
            const saltus_string_t name = saltus_string_of(server->parameters[i].name);
            saltus_cdr_write_string(response, &name, 0U);
        }
    }
}

/* Answers a request for the names of parameters. */
static void answer_list(saltus_parameter_server_t *server, saltus_cdr_t *request, saltus_cdr_t *response,
                        bool applies) {
    uint32_t count = 0U;
    (void)applies;
    write_names(server, request, response);
    for (uint16_t i = 0U; i < server->count; i++) {
        count += has_new_parent(server, i, request) ? 1U : 0U;
    }
    saltus_cdr_write_uint32(response, count);
    for (uint16_t i = 0U; i < server->count; i++) {
        if (has_new_parent(server, i, request)) {
            const char *name = server->parameters[i].name;
            const uint32_t size = parent_size(name);
            saltus_cdr_write_uint32(response, size + 1U);
            saltus_cdr_write_bytes(response, name, size);
            saltus_cdr_write_uint8(response, 0U);
        }
    }
}

/* A service for parameters. */
typedef struct row {
    const char *name;
    const saltus_service_type_t *type;
    answer_t answer;
} row_t;

static const row_t rows[SALTUS_PARAMETER_SERVICES] = {
    {"~/describe_parameters", &rcl_interfaces__srv__DescribeParameters__type, answer_describe},
    {"~/get_parameter_types", &rcl_interfaces__srv__GetParameterTypes__type, answer_types},
    {"~/get_parameters", &rcl_interfaces__srv__GetParameters__type, answer_get},
    {"~/list_parameters", &rcl_interfaces__srv__ListParameters__type, answer_list},
    {"~/set_parameters", &rcl_interfaces__srv__SetParameters__type, answer_set},
    {"~/set_parameters_atomically", &rcl_interfaces__srv__SetParametersAtomically__type, answer_set_atomically},
};

/* Returns whether every parameter of a request may be set. The request is a copy. */
static bool are_all_accepted(const saltus_parameter_server_t *server, saltus_cdr_t request) {
    const uint32_t count = saltus_cdr_read_uint32(&request);
    bool accepted = true;
    for (uint32_t i = 0U; (i < count) && accepted; i++) {
        given_t given;
        read_given(&request, &given);
        accepted = (request.status == SALTUS_OK) && (reason_against(server, &given) == NULL);
    }
    return accepted;
}

/* Publishes the parameters that a request has set. The request is a copy. */
static void publish_changes(saltus_parameter_server_t *server, saltus_cdr_t request) {
    const uint32_t count = saltus_cdr_read_uint32(&request);
    for (uint32_t i = 0U; (i < count) && (request.status == SALTUS_OK); i++) {
        given_t given;
        read_given(&request, &given);
        if ((request.status == SALTUS_OK) && (reason_against(server, &given) == NULL)) {
            (void)saltus_parameter_changed(server, saltus_parameter(server, given.name));
        }
    }
}

/* Handles a request to one of the services. */
static void handle(saltus_service_t *service, const saltus_request_t *request, saltus_cdr_t *cdr) {
    saltus_parameter_server_t *server = service->context;
    const row_t *row = &rows[service - server->services];
    saltus_cdr_t first = *cdr;
    saltus_cdr_t second = *cdr;
    saltus_cdr_t counter = saltus_cdr_counter();
    saltus_cdr_t response;
    row->answer(server, &first, &counter, false);
    if (first.status != SALTUS_OK) {
        sal_events_report_unreadable(service->entity.session, first.status);
        return;
    }
    const saltus_status_t status = sal_data_begin_response(service, request, counter.position, &response);
    if (status == SALTUS_FULL) {
        saltus_defer(service->entity.session);
    } else if (status != SALTUS_OK) {
        service->entity.session->counters.unsent++;
    } else {
        row->answer(server, &second, &response, true);
        if (sal_data_end_response(service, &response, counter.position) != SALTUS_OK) {
            service->entity.session->counters.unsent++;
        }
        if ((row->answer == answer_set) || ((row->answer == answer_set_atomically) && are_all_accepted(server, *cdr))) {
            publish_changes(server, *cdr);
        }
    }
}

saltus_status_t saltus_parameter_server_init(saltus_parameter_server_t *server, saltus_node_t *node,
                                             saltus_parameter_t *parameters, uint16_t count) {
    saltus_status_t status = saltus_publisher_init(&server->events, node, &rcl_interfaces__msg__ParameterEvent__type,
                                                   "/parameter_events", (saltus_qos_t){true, false, 1000U});
    server->parameters = parameters;
    server->count = count;
    server->refuses = NULL;
    server->on_change = NULL;
    server->context = NULL;
    for (uint8_t i = 0U; (i < SALTUS_PARAMETER_SERVICES) && (status == SALTUS_OK); i++) {
        saltus_service_t *service = &server->services[i];
        status = saltus_service_init(service, node, rows[i].type, rows[i].name, NULL, NULL, NULL, server);
        service->handle = handle;
    }
    return status;
}
