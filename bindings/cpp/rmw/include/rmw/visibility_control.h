/** Visibility of the functions of rmw. */
#ifndef RMW_VISIBILITY_CONTROL_H_
#define RMW_VISIBILITY_CONTROL_H_

#define RMW_EXPORT __attribute__((visibility("default")))
#define RMW_IMPORT
#define RMW_PUBLIC RMW_EXPORT
#define RMW_LOCAL __attribute__((visibility("hidden")))
#define RMW_PUBLIC_TYPE

#endif
