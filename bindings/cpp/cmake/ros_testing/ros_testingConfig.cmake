# Defines add_ros_test().
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/find_core.cmake")
ament_core_find_siblings(ament_cmake_test ament_cmake_ros launch_testing_ament_cmake)
include("${CMAKE_CURRENT_LIST_DIR}/add_ros_test.cmake")
