/** All of rcl_action. */
#ifndef RCL_ACTION_RCL_ACTION_H_
#define RCL_ACTION_RCL_ACTION_H_

#include "rcl_action/action_client.h"
#include "rcl_action/action_server.h"
#include "rcl_action/default_qos.h"
#include "rcl_action/goal_handle.h"
#include "rcl_action/goal_state_machine.h"
#include "rcl_action/names.h"
#include "rcl_action/types.h"

#endif
