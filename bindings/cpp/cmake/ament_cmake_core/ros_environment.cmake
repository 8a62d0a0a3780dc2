# Packages test $ENV{ROS_DISTRO} in CMakeLists.txt, often without quotes, so it must not be empty. A user who has not
# sourced a setup file gets the values for ROS 2 Jazzy.
foreach(_ament_pair IN ITEMS "ROS_VERSION=2" "ROS_PYTHON_VERSION=3" "ROS_DISTRO=jazzy")
  string(REGEX REPLACE "=.*$" "" _ament_name "${_ament_pair}")
  string(REGEX REPLACE "^.*=" "" _ament_value "${_ament_pair}")
  if("$ENV{${_ament_name}}" STREQUAL "")
    set(ENV{${_ament_name}} "${_ament_value}")
  endif()
endforeach()
unset(_ament_pair)
unset(_ament_name)
unset(_ament_value)
