#!/bin/sh
# Builds and runs the tests of message_filters; common.sh explains the arguments.
#
# SALTUS_RCLCPP=standin  takes rclcpp from test/standin (the default)
# SALTUS_RCLCPP=real     takes the headers of the packages below, and links $SALTUS_RCLCPP_LINK
. "$(dirname "$0")/../../rcutils/test/common.sh"
rclcpp=${SALTUS_RCLCPP:-standin}
test_folder=$bindings/message_filters/test
generated=${SALTUS_GENERATED:-$bindings/../../target/cpp}

includes="-I$bindings/message_filters/include -I$test_folder $includes"
if [ "$rclcpp" = standin ]; then
  includes="-I$test_folder/standin $includes"
  rclcpp_link=
else
  for package in rclcpp rclcpp_lifecycle rcl rcl_lifecycle rcl_yaml_param_parser rmw tracetools libstatistics_collector; do
    includes="$includes -I$bindings/$package/include"
  done
  rclcpp_link=${SALTUS_RCLCPP_LINK:--lrclcpp_lifecycle -lrclcpp}
fi
for package in rosidl_runtime_c rosidl_runtime_cpp rosidl_typesupport_cpp rosidl_typesupport_interface saltus_cpp; do
  includes="$includes -I$bindings/$package/include"
done
for package in "$generated"/rosidl_cpp/*; do
  includes="$includes -I$package"
done

if [ "$mode" = plain ]; then
  for compiler in g++ clang++; do
    headers message_filters $compiler c++17
    headers message_filters $compiler c++20
  done
fi
library rcutils
library message_filters -lrcutils
program message_filters "$test_folder"/*.cpp -lmessage_filters -lrcutils $rclcpp_link
