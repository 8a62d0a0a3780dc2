include_guard(GLOBAL)
cmake_policy(VERSION 3.16...3.25)

# Adds a launch test that runs in a ROS domain of its own, unless a RUNNER is given.
# Arguments: those of add_launch_test()
function(add_ros_test filename)
  set(runner "")
  if(NOT "RUNNER" IN_LIST ARGN)
    get_property(runner GLOBAL PROPERTY AMENT_ROS_RUNNER)
    set(runner RUNNER "${runner}")
  endif()
  add_launch_test("${filename}" ${ARGN} ${runner})
endfunction()
