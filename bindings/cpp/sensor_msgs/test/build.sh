#!/bin/sh
# Builds and runs the tests of sensor_msgs; rmw/test/common.sh explains the arguments.
. "$(dirname "$0")/../../rmw/test/common.sh"

all_headers sensor_msgs
program sensor_msgs
