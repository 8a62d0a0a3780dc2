/** Visibility of the functions of rcl_lifecycle. */
#ifndef RCL_LIFECYCLE_VISIBILITY_CONTROL_H_
#define RCL_LIFECYCLE_VISIBILITY_CONTROL_H_

#define RCL_LIFECYCLE_EXPORT __attribute__((visibility("default")))
#define RCL_LIFECYCLE_IMPORT
#define RCL_LIFECYCLE_PUBLIC RCL_LIFECYCLE_EXPORT
#define RCL_LIFECYCLE_LOCAL __attribute__((visibility("hidden")))
#define RCL_LIFECYCLE_PUBLIC_TYPE

#endif
