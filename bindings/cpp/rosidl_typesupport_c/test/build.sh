#!/bin/sh
# Builds and runs the tests of rosidl_typesupport_c; rmw/test/common.sh explains the arguments.
. "$(dirname "$0")/../../rmw/test/common.sh"

all_headers rosidl_typesupport_c c99
program rosidl_typesupport_c
