# Finds what a package of interfaces needs to generate code.
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/find_core.cmake")
ament_core_find_siblings(rosidl_cmake)
