# Writes what ament_export_include_directories() collected.
ament_core_collected(_ament_include_directories EXPORT_INCLUDE_DIRECTORIES)
if(_ament_include_directories)
  ament_core_export_with_template("${CMAKE_CURRENT_LIST_DIR}/ament_cmake_export_include_directories-extras.cmake.in")
endif()
unset(_ament_include_directories)
