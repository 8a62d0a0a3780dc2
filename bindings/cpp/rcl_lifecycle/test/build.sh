#!/bin/sh
# Builds and runs the tests of rcl_lifecycle; rmw/test/common.sh explains the arguments.
. "$(dirname "$0")/../../rmw/test/common.sh"

all_headers rcl_lifecycle c99
library rcutils
library rmw
library rcl
library rcl_lifecycle
program rcl_lifecycle -lrcl_lifecycle -lrcl -lrmw -lrcutils
