#!/bin/sh
# Builds and runs the tests of tf2_sensor_msgs; rmw/test/common.sh explains the arguments.
. "$(dirname "$0")/../../rmw/test/common.sh"

all_headers tf2_sensor_msgs
library rcutils
library tf2
program tf2_sensor_msgs -ltf2 -lrcutils
