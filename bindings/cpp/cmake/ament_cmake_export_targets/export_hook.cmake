# Writes what ament_export_targets() collected.
ament_core_collected(_ament_export_sets EXPORT_TARGETS)
if(_ament_export_sets)
  ament_core_export_with_template("${CMAKE_CURRENT_LIST_DIR}/ament_cmake_export_targets-extras.cmake.in")
endif()
unset(_ament_export_sets)
