# Stops when commands of another ament_cmake_core exist: the commands of two implementations do not work together.
cmake_policy(VERSION 3.16...3.25)

get_filename_component(_ament_core_directory "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
get_property(_ament_core_loaded GLOBAL PROPERTY AMENT_CORE_DIRECTORY)
if(_ament_core_loaded AND NOT _ament_core_loaded STREQUAL _ament_core_directory)
  message(FATAL_ERROR "ament_cmake_core was loaded from '${_ament_core_loaded}', and now from "
    "'${_ament_core_directory}'. Remove one of the two prefixes from CMAKE_PREFIX_PATH and start with an empty "
    "build folder.")
elseif(NOT _ament_core_loaded AND (COMMAND ament_register_extension OR COMMAND ament_package))
  message(FATAL_ERROR "Another ament_cmake_core was loaded before that of Saltus ('${_ament_core_directory}'). "
    "Put the prefix of Saltus first in CMAKE_PREFIX_PATH and start with an empty build folder.")
endif()
set_property(GLOBAL PROPERTY AMENT_CORE_DIRECTORY "${_ament_core_directory}")
unset(_ament_core_directory)
unset(_ament_core_loaded)

include_guard(GLOBAL)

# Finds packages that are installed beside ament_cmake_core, and in no other prefix.
# A macro, because find_package() sets variables of the caller.
macro(ament_core_find_siblings)
  foreach(_ament_sibling IN ITEMS ${ARGN})
    find_package(${_ament_sibling} QUIET REQUIRED PATHS "${ament_cmake_core_DIR}/../../.." NO_DEFAULT_PATH
      NO_CMAKE_FIND_ROOT_PATH)
    ament_core_check_sibling(${_ament_sibling})
  endforeach()
endmacro()

# Stops when the package <name> was found in another prefix than ament_cmake_core.
function(ament_core_check_sibling name)
  if(NOT ${name}_DIR)
    return()
  endif()
  get_property(core GLOBAL PROPERTY AMENT_CORE_DIRECTORY)
  get_filename_component(expected "${core}/../../${name}/cmake" REALPATH)
  get_filename_component(found "${${name}_DIR}" REALPATH)
  if(NOT found STREQUAL expected)
    message(FATAL_ERROR "${name} comes from '${found}', but ament_cmake_core from '${core}': commands of two "
      "implementations are mixed. Put the prefix of Saltus first in CMAKE_PREFIX_PATH and start with an empty "
      "build folder.")
  endif()
endfunction()

# Checks all packages that define commands of the mechanism. ament_package() calls it, when everything is found.
function(ament_core_check_siblings)
  foreach(name IN ITEMS
      ament_cmake ament_cmake_auto ament_cmake_export_definitions ament_cmake_export_dependencies
      ament_cmake_export_include_directories ament_cmake_export_interfaces ament_cmake_export_libraries
      ament_cmake_export_link_flags ament_cmake_export_targets ament_cmake_gen_version_h ament_cmake_gmock
      ament_cmake_google_benchmark ament_cmake_gtest ament_cmake_include_directories ament_cmake_libraries
      ament_cmake_pytest ament_cmake_python ament_cmake_ros ament_cmake_target_dependencies ament_cmake_test
      ament_cmake_version ament_lint_auto rosidl_cmake rosidl_default_generators)
    ament_core_check_sibling(${name})
  endforeach()
endfunction()
