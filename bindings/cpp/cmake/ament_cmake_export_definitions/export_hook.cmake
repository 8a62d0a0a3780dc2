# Writes what ament_export_definitions() collected.
ament_core_collected(_ament_definitions EXPORT_DEFINITIONS)
if(_ament_definitions)
  ament_core_export_with_template("${CMAKE_CURRENT_LIST_DIR}/ament_cmake_export_definitions-extras.cmake.in")
endif()
unset(_ament_definitions)
