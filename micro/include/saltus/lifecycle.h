/**
 * A node with the states of ROS 2: unconfigured, inactive, active, finalized. Tools and lifecycle managers change them
 * with services.
 */
#ifndef SALTUS_LIFECYCLE_H
#define SALTUS_LIFECYCLE_H

#include "saltus/entities.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The result of a callback of a transition. */
typedef enum saltus_transition {
    SALTUS_TRANSITION_SUCCESS,
    SALTUS_TRANSITION_FAILURE,
    SALTUS_TRANSITION_ERROR
} saltus_transition_t;

/** The callbacks of the transitions. A callback that is `NULL` succeeds. */
typedef struct saltus_lifecycle_callbacks {
    saltus_transition_t (*on_configure)(void *context);
    saltus_transition_t (*on_cleanup)(void *context);
    saltus_transition_t (*on_activate)(void *context);
    saltus_transition_t (*on_deactivate)(void *context);
    saltus_transition_t (*on_shutdown)(void *context);
    saltus_transition_t (*on_error)(void *context);
} saltus_lifecycle_callbacks_t;

/** The number of services of a lifecycle node. */
#define SALTUS_LIFECYCLE_SERVICES 5U

/** The lifecycle of a node. */
typedef struct saltus_lifecycle {
    saltus_service_t services[SALTUS_LIFECYCLE_SERVICES];
    saltus_publisher_t events;
    const saltus_lifecycle_callbacks_t *callbacks;
    void *context;
    /** One of `lifecycle_msgs__msg__State__PRIMARY_STATE_*`. */
    uint8_t state;
} saltus_lifecycle_t;

/** Adds the services and the topic of a node's lifecycle. The node begins unconfigured. */
saltus_status_t saltus_lifecycle_init(saltus_lifecycle_t *lifecycle, saltus_node_t *node,
                                      const saltus_lifecycle_callbacks_t *callbacks, void *context);

/**
 * Begins a transition: `lifecycle_msgs__msg__Transition__TRANSITION_*`. Returns whether it is possible and its callback
 * succeeded.
 */
bool saltus_lifecycle_change(saltus_lifecycle_t *lifecycle, uint8_t transition);

/** Returns whether the node is active. A node publishes the topics that its lifecycle manages only while it is. */
bool saltus_lifecycle_is_active(const saltus_lifecycle_t *lifecycle);

#ifdef __cplusplus
}
#endif

#endif
