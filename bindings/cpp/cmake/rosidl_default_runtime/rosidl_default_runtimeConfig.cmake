# Finds the libraries that the generated code of interfaces needs.
set(rosidl_default_runtime_TARGETS "")
foreach(_rosidl_runtime IN ITEMS rosidl_runtime_cpp rosidl_typesupport_cpp)
  find_package(${_rosidl_runtime} QUIET)
  if(${_rosidl_runtime}_FOUND)
    list(APPEND rosidl_default_runtime_TARGETS ${_rosidl_runtime}::${_rosidl_runtime})
  else()
    set(rosidl_default_runtime_FOUND FALSE)
    set(rosidl_default_runtime_NOT_FOUND_MESSAGE
      "The library is not installed: ${_rosidl_runtime}, one of the C++ packages of Saltus (make cpp).")
  endif()
endforeach()
unset(_rosidl_runtime)
