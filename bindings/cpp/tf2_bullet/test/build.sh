#!/bin/sh
# Builds and runs the tests of tf2_bullet; rmw/test/common.sh explains the arguments.
. "$(dirname "$0")/../../rmw/test/common.sh"

all_headers tf2_bullet
library rcutils
library tf2
program tf2_bullet -ltf2 -lrcutils -lLinearMath
