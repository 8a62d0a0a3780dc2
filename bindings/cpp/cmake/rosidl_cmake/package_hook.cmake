# Adds the variables of the package's interfaces to its configuration. Runs in ament_package().
ament_core_collected(_rosidl_targets ROSIDL_TARGETS)
if(_rosidl_targets)
  saltus_write_interface_variables(${PROJECT_NAME} "${PROJECT_BINARY_DIR}/rosidl_cmake/rosidl_cmake-extras.cmake"
    ${_rosidl_targets})
  list(APPEND ${PROJECT_NAME}_CONFIG_EXTRAS "${PROJECT_BINARY_DIR}/rosidl_cmake/rosidl_cmake-extras.cmake")
endif()
unset(_rosidl_targets)
