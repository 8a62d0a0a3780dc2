# Finds libraries of the system for the vendor packages, which only say where a library is.
# They include this file without ament_cmake_core, so that plain CMake projects can use them, too.
include_guard(GLOBAL)
cmake_policy(VERSION 3.16...3.25)

# Defines the imported target <target> from a header and a library of the system, unless the target exists.
# Sets <var> to TRUE if the target exists then.
# Arguments: target var HEADER header [LIBRARIES names...] [PATH_SUFFIXES folders...]
function(ament_core_system_library target var)
  cmake_parse_arguments(ARG "" "HEADER" "LIBRARIES;PATH_SUFFIXES" ${ARGN})
  set(${var} TRUE PARENT_SCOPE)
  if(TARGET ${target})
    return()
  endif()
  string(MAKE_C_IDENTIFIER "AMENT_SYSTEM_${target}" cache)
  find_path(${cache}_INCLUDE_DIR "${ARG_HEADER}" PATH_SUFFIXES ${ARG_PATH_SUFFIXES})
  mark_as_advanced(${cache}_INCLUDE_DIR)
  if(ARG_LIBRARIES)
    find_library(${cache}_LIBRARY NAMES ${ARG_LIBRARIES})
    mark_as_advanced(${cache}_LIBRARY)
  endif()
  if(NOT ${cache}_INCLUDE_DIR OR (ARG_LIBRARIES AND NOT ${cache}_LIBRARY))
    set(${var} FALSE PARENT_SCOPE)
  elseif(ARG_LIBRARIES)
    add_library(${target} UNKNOWN IMPORTED)
    set_target_properties(${target} PROPERTIES
      IMPORTED_LOCATION "${${cache}_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${${cache}_INCLUDE_DIR}")
  else()
    add_library(${target} INTERFACE IMPORTED)
    set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${${cache}_INCLUDE_DIR}")
  endif()
endfunction()

# Defines the imported target <target> that links <existing>, if <existing> is a target and <target> is none.
function(ament_core_other_name target existing)
  if(TARGET ${existing} AND NOT TARGET ${target})
    add_library(${target} INTERFACE IMPORTED)
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES ${existing})
  endif()
endfunction()

# Sets what find_package(<package>) reports, from the first target of the arguments that exists: <package>_FOUND,
# _TARGETS, _LIBRARIES and _INCLUDE_DIRS. If none exists, it says that <debian_package> must be installed.
macro(ament_core_report_library package debian_package)
  set(${package}_FOUND FALSE)
  set(${package}_NOT_FOUND_MESSAGE "The library is not installed. On Debian and Ubuntu, install ${debian_package}.")
  foreach(_ament_target IN ITEMS ${ARGN})
    if(TARGET ${_ament_target} AND NOT ${package}_FOUND)
      set(${package}_FOUND TRUE)
      unset(${package}_NOT_FOUND_MESSAGE)
      set(${package}_TARGETS ${_ament_target})
      set(${package}_LIBRARIES ${_ament_target})
      get_target_property(${package}_INCLUDE_DIRS ${_ament_target} INTERFACE_INCLUDE_DIRECTORIES)
      if(NOT ${package}_INCLUDE_DIRS)
        set(${package}_INCLUDE_DIRS "")
      endif()
    endif()
  endforeach()
  unset(_ament_target)
endmacro()

# Adds a folder with modules Find<name>.cmake to CMAKE_MODULE_PATH of the caller, once.
macro(ament_core_use_modules folder)
  if(NOT "${folder}" IN_LIST CMAKE_MODULE_PATH)
    list(APPEND CMAKE_MODULE_PATH "${folder}")
  endif()
endmacro()
