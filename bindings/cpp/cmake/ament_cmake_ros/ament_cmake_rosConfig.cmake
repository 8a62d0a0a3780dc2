# ament_cmake with shared libraries as the default, and tests that run in a ROS domain of their own.
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/find_core.cmake")
ament_core_find_siblings(ament_cmake ament_cmake_gtest ament_cmake_gmock ament_cmake_pytest)
option(BUILD_SHARED_LIBS "Build libraries without STATIC or SHARED as shared ones" ON)
set_property(GLOBAL PROPERTY AMENT_ROS_RUNNER "${CMAKE_CURRENT_LIST_DIR}/run_test_isolated.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/ament_add_ros_isolated.cmake")
