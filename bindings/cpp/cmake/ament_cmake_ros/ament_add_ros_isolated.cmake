include_guard(GLOBAL)
cmake_policy(SET CMP0054 NEW)
cmake_policy(SET CMP0057 NEW)

# The commands below add tests that run with a ROS_DOMAIN_ID that no other such test of this machine uses at the time.

# Arguments: those of ament_add_test(), without RUNNER
function(ament_add_ros_isolated_test testname)
  get_property(runner GLOBAL PROPERTY AMENT_ROS_RUNNER)
  ament_add_test("${testname}" ${ARGN} RUNNER "${runner}")
endfunction()

# Arguments: those of ament_add_gtest(), without RUNNER
macro(ament_add_ros_isolated_gtest target)
  get_property(_ament_runner GLOBAL PROPERTY AMENT_ROS_RUNNER)
  ament_add_gtest(${target} ${ARGN} RUNNER "${_ament_runner}")
endmacro()

# Arguments: those of ament_add_gtest_test(), without RUNNER
function(ament_add_ros_isolated_gtest_test target)
  get_property(runner GLOBAL PROPERTY AMENT_ROS_RUNNER)
  ament_add_gtest_test(${target} ${ARGN} RUNNER "${runner}")
endfunction()

# Arguments: those of ament_add_gmock(), without RUNNER
macro(ament_add_ros_isolated_gmock target)
  get_property(_ament_runner GLOBAL PROPERTY AMENT_ROS_RUNNER)
  ament_add_gmock(${target} ${ARGN} RUNNER "${_ament_runner}")
endmacro()

# Arguments: those of ament_add_gmock_test(), without RUNNER
function(ament_add_ros_isolated_gmock_test target)
  get_property(runner GLOBAL PROPERTY AMENT_ROS_RUNNER)
  ament_add_gmock_test(${target} ${ARGN} RUNNER "${runner}")
endfunction()

# Arguments: those of ament_add_pytest_test(), without RUNNER
function(ament_add_ros_isolated_pytest_test testname path)
  get_property(runner GLOBAL PROPERTY AMENT_ROS_RUNNER)
  ament_add_pytest_test("${testname}" "${path}" ${ARGN} RUNNER "${runner}")
endfunction()
