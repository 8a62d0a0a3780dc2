# Finds the libraries that the generated code of interfaces needs: the same as rosidl_default_runtime.
find_package(rosidl_default_runtime QUIET PATHS "${CMAKE_CURRENT_LIST_DIR}/../../.." NO_DEFAULT_PATH)
set(rosidl_core_runtime_FOUND ${rosidl_default_runtime_FOUND})
set(rosidl_core_runtime_NOT_FOUND_MESSAGE "${rosidl_default_runtime_NOT_FOUND_MESSAGE}")
set(rosidl_core_runtime_TARGETS ${rosidl_default_runtime_TARGETS})
