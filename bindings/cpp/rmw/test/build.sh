#!/bin/sh
# Builds and runs the tests of rmw; rmw/test/common.sh explains the arguments.
. "$(dirname "$0")/../../rmw/test/common.sh"

all_headers rmw c99
library rcutils
library rosidl_runtime_c
library rmw
program rmw -lrmw -lsaltus_cpp -lrcutils -lstd_msgs__rosidl_typesupport_cpp -lgeometry_msgs__rosidl_typesupport_cpp -lsensor_msgs__rosidl_typesupport_cpp
