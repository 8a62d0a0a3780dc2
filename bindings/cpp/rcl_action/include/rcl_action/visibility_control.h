/** Visibility of the functions of rcl_action. */
#ifndef RCL_ACTION_VISIBILITY_CONTROL_H_
#define RCL_ACTION_VISIBILITY_CONTROL_H_

#define RCL_ACTION_EXPORT __attribute__((visibility("default")))
#define RCL_ACTION_IMPORT
#define RCL_ACTION_PUBLIC RCL_ACTION_EXPORT
#define RCL_ACTION_LOCAL __attribute__((visibility("hidden")))
#define RCL_ACTION_PUBLIC_TYPE

#endif
