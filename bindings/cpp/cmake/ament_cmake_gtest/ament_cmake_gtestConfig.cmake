# Defines commands that add tests of GoogleTest.
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/find_core.cmake")
ament_core_find_siblings(ament_cmake_test)
include("${CMAKE_CURRENT_LIST_DIR}/googletest_libraries.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/googletest_command.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/ament_add_gtest.cmake")
