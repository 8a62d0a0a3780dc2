# Defines ament_export_interfaces(), the old name of ament_export_targets().
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/find_core.cmake")
ament_core_find_siblings(ament_cmake_export_targets)
include("${CMAKE_CURRENT_LIST_DIR}/ament_export_interfaces.cmake")
