# Extension points: packages register files, which a command includes later.
include_guard(GLOBAL)
cmake_policy(SET CMP0054 NEW)
cmake_policy(SET CMP0057 NEW)

# Registers a CMake file for an extension point of the current project. Files run in the order of registration, once.
# <cmake_filename> is relative to <package_name>_DIR, or absolute.
function(ament_register_extension extension_point package_name cmake_filename)
  if(NOT IS_ABSOLUTE "${cmake_filename}" AND ${package_name}_DIR)
    set(cmake_filename "${${package_name}_DIR}/${cmake_filename}")
  elseif(NOT IS_ABSOLUTE "${cmake_filename}")
    set(cmake_filename "${CMAKE_CURRENT_LIST_DIR}/${cmake_filename}")
  endif()
  ament_core_collect("EXTENSIONS_${extension_point}" "${cmake_filename}")
endfunction()

# Includes the files of an extension point. They read and set variables of the caller.
macro(ament_execute_extensions extension_point)
  ament_core_collected(_ament_extensions_${extension_point} "EXTENSIONS_${extension_point}")
  foreach(_ament_extension IN LISTS _ament_extensions_${extension_point})
    if(NOT EXISTS "${_ament_extension}")
      message(FATAL_ERROR "The file '${_ament_extension}', registered for the extension point "
        "'${extension_point}', does not exist")
    endif()
    include("${_ament_extension}")
  endforeach()
endmacro()
