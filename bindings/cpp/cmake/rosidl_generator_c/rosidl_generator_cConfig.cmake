# The generator for C is the program saltus. rosidl_cmake has the commands.
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/find_core.cmake")
ament_core_find_siblings(rosidl_cmake)
