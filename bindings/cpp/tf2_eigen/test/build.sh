#!/bin/sh
# Builds and runs the tests of tf2_eigen; rmw/test/common.sh explains the arguments.
. "$(dirname "$0")/../../rmw/test/common.sh"

all_headers tf2_eigen
library rcutils
library tf2
program tf2_eigen -ltf2 -lrcutils
