/**
 * Parameters of a node: the services that ROS 2's tools use, and `/parameter_events`.
 *
 * The application owns the table of parameters. Parameters are bools, integers, doubles and strings.
 */
#ifndef SALTUS_PARAMETERS_H
#define SALTUS_PARAMETERS_H

#include "saltus/entities.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The longest name of a parameter, and the longest string value, with the NUL byte. */
#define SALTUS_PARAMETER_TEXT 64U

/** The limits of a number. Both are included. */
typedef struct saltus_parameter_range {
    int64_t integer_from;
    int64_t integer_to;
    double double_from;
    double double_to;
} saltus_parameter_range_t;

/** The value of a parameter. */
typedef union saltus_parameter_value {
    bool bool_value;
    int64_t integer_value;
    double double_value;
    saltus_string_t string_value;
} saltus_parameter_value_t;

/** A parameter. */
typedef struct saltus_parameter {
    const char *name;
    const char *description;
    /** `NULL` if there are no limits. */
    const saltus_parameter_range_t *range;
    saltus_parameter_value_t value;
    /** One of `rcl_interfaces__msg__ParameterType__PARAMETER_{BOOL,INTEGER,DOUBLE,STRING}`. It does not change. */
    uint8_t type;
    bool read_only;
} saltus_parameter_t;

/** The number of services for parameters. */
#define SALTUS_PARAMETER_SERVICES 6U

/** The parameters of a node. */
typedef struct saltus_parameter_server {
    saltus_service_t services[SALTUS_PARAMETER_SERVICES];
    saltus_publisher_t events;
    saltus_parameter_t *parameters;
    uint16_t count;
    /**
     * Returns `NULL` if a value may be set, or why not. It is called more than once for a request, before and
     * after other parameters of it were set: it must not have effects, and may only depend on its arguments. May be
     * `NULL`.
     */
    const char *(*refuses)(void *context, const saltus_parameter_t *parameter, const saltus_parameter_value_t *value);
    /** Is called after a value was set. May be `NULL`. */
    void (*on_change)(void *context, const saltus_parameter_t *parameter);
    void *context;
} saltus_parameter_server_t;

/** Adds the services for the parameters of a node. The callbacks may be set afterwards. */
saltus_status_t saltus_parameter_server_init(saltus_parameter_server_t *server, saltus_node_t *node,
                                             saltus_parameter_t *parameters, uint16_t count);

/** Returns the parameter with a name, or `NULL`. */
saltus_parameter_t *saltus_parameter(const saltus_parameter_server_t *server, const char *name);

/** Publishes the value of a parameter that the application has changed itself. */
saltus_status_t saltus_parameter_changed(saltus_parameter_server_t *server, const saltus_parameter_t *parameter);

#ifdef __cplusplus
}
#endif

#endif
