# Defines ament_include_directories_order().
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/find_core.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/ament_include_directories_order.cmake")
