# Defines ament_generate_version_header().
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/find_core.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/ament_generate_version_header.cmake")
