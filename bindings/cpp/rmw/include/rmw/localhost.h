#ifndef RMW_LOCALHOST_H_
#define RMW_LOCALHOST_H_

/** Whether only programs of this machine are found. ROS 2 Jazzy uses the discovery options instead. */
typedef enum rmw_localhost_only_e
{
  RMW_LOCALHOST_ONLY_DEFAULT = 0,
  RMW_LOCALHOST_ONLY_ENABLED = 1,
  RMW_LOCALHOST_ONLY_DISABLED = 2
} rmw_localhost_only_t;

#endif
