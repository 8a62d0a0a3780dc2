# Defines ament_add_test(), and the option BUILD_TESTING, which is ON by default.
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/find_core.cmake")
# CTest defines BUILD_TESTING, calls enable_testing() and writes the file that "ctest -D" of colcon needs.
include(CTest)
include("${CMAKE_CURRENT_LIST_DIR}/ament_add_test.cmake")
