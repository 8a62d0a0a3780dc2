# Writes what ament_export_libraries() collected.
ament_core_exported_libraries(_ament_libraries)
if(_ament_libraries)
  ament_core_export_with_template("${CMAKE_CURRENT_LIST_DIR}/ament_cmake_export_libraries-extras.cmake.in")
endif()
unset(_ament_libraries)
