# Defines ament_target_dependencies().
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/find_core.cmake")
ament_core_find_siblings(ament_cmake_include_directories ament_cmake_libraries)
include("${CMAKE_CURRENT_LIST_DIR}/ament_target_dependencies.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/ament_get_recursive_properties.cmake")
