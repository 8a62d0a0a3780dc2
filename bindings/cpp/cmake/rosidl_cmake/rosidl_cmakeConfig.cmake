# Commands for packages of interfaces: rosidl_generate_interfaces() and those for programs in the same package.
include("${CMAKE_CURRENT_LIST_DIR}/../../ament_cmake_core/cmake/find_core.cmake")
ament_core_find_siblings(
  ament_cmake_export_dependencies ament_cmake_export_include_directories ament_cmake_export_libraries
  ament_cmake_export_targets)
include("${CMAKE_CURRENT_LIST_DIR}/rosidl_targets.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/rosidl_generate_interfaces.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/rosidl_definitions.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/rosidl_typesupport_target.cmake")
ament_register_extension("ament_package" "rosidl_cmake" "package_hook.cmake")
