#!/bin/sh
# Builds and runs the tests of tf2_kdl; rmw/test/common.sh explains the arguments.
. "$(dirname "$0")/../../rmw/test/common.sh"

all_headers tf2_kdl
library rcutils
library tf2
program tf2_kdl -ltf2 -lrcutils -lorocos-kdl
