#!/bin/sh
# Builds and runs the tests of tf2_geometry_msgs; rmw/test/common.sh explains the arguments.
. "$(dirname "$0")/../../rmw/test/common.sh"

all_headers tf2_geometry_msgs
library rcutils
library tf2
program tf2_geometry_msgs -ltf2 -lrcutils -lorocos-kdl
