#!/bin/sh
# Builds and runs the tests of rcl_action; rmw/test/common.sh explains the arguments.
. "$(dirname "$0")/../../rmw/test/common.sh"

all_headers rcl_action c99
library rcutils
library rmw
library rcl
library rcl_action
program rcl_action -lrcl_action -lrcl -lrmw -lrcutils
