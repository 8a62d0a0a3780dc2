# Writes what ament_export_link_flags() collected.
ament_core_collected(_ament_link_flags EXPORT_LINK_FLAGS)
if(_ament_link_flags)
  ament_core_export_with_template("${CMAKE_CURRENT_LIST_DIR}/ament_cmake_export_link_flags-extras.cmake.in")
endif()
unset(_ament_link_flags)
