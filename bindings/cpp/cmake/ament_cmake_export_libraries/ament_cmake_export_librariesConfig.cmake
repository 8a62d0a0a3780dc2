# Defines ament_export_libraries().
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/find_core.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/ament_export_libraries.cmake")
ament_core_register_export_hook(export_hook.cmake)
