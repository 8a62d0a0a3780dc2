# The target that removes what the target install has installed.
include_guard(GLOBAL)
cmake_policy(VERSION 3.16...3.25)

option(AMENT_CMAKE_UNINSTALL_TARGET "Add the target uninstall" ON)

set_property(GLOBAL PROPERTY AMENT_CORE_UNINSTALL_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/uninstall_script.cmake")

# Adds the target <pkg>_uninstall, and the target uninstall unless the project has one.
function(ament_cmake_uninstall_target)
  get_property(script GLOBAL PROPERTY AMENT_CORE_UNINSTALL_SCRIPT)
  foreach(target IN ITEMS ${PROJECT_NAME}_uninstall uninstall)
    if(NOT TARGET ${target})
      add_custom_target(${target}
        COMMAND "${CMAKE_COMMAND}" "-DMANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt"
          "-DPREFIX=${CMAKE_INSTALL_PREFIX}" -P "${script}"
        VERBATIM)
    endif()
  endforeach()
endfunction()
