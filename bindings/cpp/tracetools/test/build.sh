#!/bin/sh
# Builds and runs the tests of tracetools; rmw/test/common.sh explains the arguments.
. "$(dirname "$0")/../../rmw/test/common.sh"

all_headers tracetools
program tracetools
