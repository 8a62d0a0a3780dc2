#!/bin/sh
# Builds and runs the tests of rosidl_typesupport_introspection_cpp; rmw/test/common.sh explains the arguments.
. "$(dirname "$0")/../../rmw/test/common.sh"

all_headers rosidl_typesupport_introspection_cpp
program rosidl_typesupport_introspection_cpp
