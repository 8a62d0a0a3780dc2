# Writes what ament_export_dependencies() collected.
ament_core_collected(_ament_dependencies EXPORT_DEPENDENCIES)
list(REMOVE_ITEM _ament_dependencies "${PROJECT_NAME}" "")
if(_ament_dependencies)
  ament_core_export_with_template("${CMAKE_CURRENT_LIST_DIR}/ament_cmake_export_dependencies-extras.cmake.in")
endif()
unset(_ament_dependencies)
