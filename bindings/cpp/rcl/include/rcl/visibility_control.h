/** Visibility of the functions of rcl. */
#ifndef RCL_VISIBILITY_CONTROL_H_
#define RCL_VISIBILITY_CONTROL_H_

#define RCL_EXPORT __attribute__((visibility("default")))
#define RCL_IMPORT
#define RCL_PUBLIC RCL_EXPORT
#define RCL_LOCAL __attribute__((visibility("hidden")))
#define RCL_PUBLIC_TYPE

#endif
