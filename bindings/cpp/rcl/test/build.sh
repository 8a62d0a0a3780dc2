#!/bin/sh
# Builds and runs the tests of rcl; rmw/test/common.sh explains the arguments.
. "$(dirname "$0")/../../rmw/test/common.sh"

all_headers rcl c99
library rcutils
library rmw
library rcl
program rcl -lrcl -lrmw -lrcutils
