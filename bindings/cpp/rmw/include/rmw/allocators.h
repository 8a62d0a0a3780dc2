/** Memory of the structs of rmw. */
#ifndef RMW_ALLOCATORS_H_
#define RMW_ALLOCATORS_H_

#include <stddef.h>

#include "rmw/types.h"
#include "rmw/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Returns memory, or NULL. */
RMW_PUBLIC void * rmw_allocate(size_t size);

/** Frees memory of rmw_allocate; NULL is allowed. */
RMW_PUBLIC void rmw_free(void * pointer);

/* The memory of a struct: `allocate` does not set it, `free` does not touch what it points to. */
RMW_PUBLIC rmw_node_t * rmw_node_allocate(void);
RMW_PUBLIC void rmw_node_free(rmw_node_t * node);
RMW_PUBLIC rmw_publisher_t * rmw_publisher_allocate(void);
RMW_PUBLIC void rmw_publisher_free(rmw_publisher_t * publisher);
RMW_PUBLIC rmw_subscription_t * rmw_subscription_allocate(void);
RMW_PUBLIC void rmw_subscription_free(rmw_subscription_t * subscription);
RMW_PUBLIC rmw_guard_condition_t * rmw_guard_condition_allocate(void);
RMW_PUBLIC void rmw_guard_condition_free(rmw_guard_condition_t * guard_condition);
RMW_PUBLIC rmw_client_t * rmw_client_allocate(void);
RMW_PUBLIC void rmw_client_free(rmw_client_t * client);
RMW_PUBLIC rmw_service_t * rmw_service_allocate(void);
RMW_PUBLIC void rmw_service_free(rmw_service_t * service);
RMW_PUBLIC rmw_wait_set_t * rmw_wait_set_allocate(void);
RMW_PUBLIC void rmw_wait_set_free(rmw_wait_set_t * wait_set);

#ifdef __cplusplus
}
#endif

#endif
