/** All of rcl. */
#ifndef RCL_RCL_H_
#define RCL_RCL_H_

#include "rcl/client.h"
#include "rcl/context.h"
#include "rcl/domain_id.h"
#include "rcl/event.h"
#include "rcl/expand_topic_name.h"
#include "rcl/graph.h"
#include "rcl/guard_condition.h"
#include "rcl/init_options.h"
#include "rcl/logging.h"
#include "rcl/node.h"
#include "rcl/publisher.h"
#include "rcl/service.h"
#include "rcl/subscription.h"
#include "rcl/time.h"
#include "rcl/timer.h"
#include "rcl/types.h"
#include "rcl/validate_topic_name.h"
#include "rcl/wait.h"

#endif
