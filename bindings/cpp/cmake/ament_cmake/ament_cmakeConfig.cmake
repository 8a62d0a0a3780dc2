# Finds what nearly every package uses: ament_package(), exports, tests, target dependencies, Python modules.
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/find_core.cmake")
ament_core_find_siblings(
  ament_cmake_export_definitions ament_cmake_export_dependencies ament_cmake_export_include_directories
  ament_cmake_export_interfaces ament_cmake_export_libraries ament_cmake_export_link_flags ament_cmake_export_targets
  ament_cmake_gen_version_h ament_cmake_include_directories ament_cmake_libraries ament_cmake_python
  ament_cmake_target_dependencies ament_cmake_test ament_cmake_version)
