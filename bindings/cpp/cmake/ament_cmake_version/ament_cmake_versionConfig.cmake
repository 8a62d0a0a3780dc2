# Defines ament_export_development_version_if_higher_than_manifest().
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/find_core.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/ament_export_development_version_if_higher_than_manifest.cmake")
