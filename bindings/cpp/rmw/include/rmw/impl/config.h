#ifndef RMW_IMPL_CONFIG_H_
#define RMW_IMPL_CONFIG_H_

/** 1 if rmw itself must not allocate memory. */
#define RMW_AVOID_MEMORY_ALLOCATION 0

#endif
