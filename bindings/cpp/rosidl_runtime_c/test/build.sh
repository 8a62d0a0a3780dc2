#!/bin/sh
# Builds and runs the tests of rosidl_runtime_c; rmw/test/common.sh explains the arguments.
. "$(dirname "$0")/../../rmw/test/common.sh"

all_headers rosidl_runtime_c c99
library rosidl_runtime_c
program rosidl_runtime_c -lrosidl_runtime_c
