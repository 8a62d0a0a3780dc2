include_guard(GLOBAL)
cmake_policy(VERSION 3.16...3.25)

option(FORCE_BUILD_VENDOR_PKG "Build vendored projects even when the system has them" OFF)
set_property(GLOBAL PROPERTY AMENT_VENDOR_HOOK "${CMAKE_CURRENT_LIST_DIR}/vendor_package.dsv.in")

# Gets, builds and installs another CMake project, unless SATISFIED is true: then nothing is done. It is installed to
# <prefix>/opt/<pkg>, which a hook adds to CMAKE_PREFIX_PATH; with GLOBAL_HOOK, also its programs and libraries to the
# paths. VCS_TYPE is git (the default), tar, zip, path or url; PATCHES are files or folders with patches.
# Arguments: target [SATISFIED value] [VCS_TYPE type] [VCS_URL url] [VCS_VERSION version] [SOURCE_SUBDIR folder]
# [PATCHES files...] [CMAKE_ARGS arguments...] [SKIP_INSTALL] [GLOBAL_HOOK]
function(ament_vendor target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "SKIP_INSTALL;GLOBAL_HOOK"
    "SATISFIED;SOURCE_SUBDIR;VCS_TYPE;VCS_URL;VCS_VERSION" "CMAKE_ARGS;PATCHES")
  ament_core_no_more_arguments(ament_vendor ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_SATISFIED AND NOT FORCE_BUILD_VENDOR_PKG)
    message(STATUS "ament_vendor(): the system has '${target}'")
    return()
  elseif(NOT ARG_VCS_URL)
    message(FATAL_ERROR "ament_vendor(): '${target}' needs a VCS_URL")
  endif()
  _ament_vendor_source(source)
  _ament_vendor_patch(patch)
  set(staging "${PROJECT_BINARY_DIR}/${target}-install")
  set(subdir "")
  if(ARG_SOURCE_SUBDIR)
    set(subdir SOURCE_SUBDIR "${ARG_SOURCE_SUBDIR}")
  endif()
  string(REPLACE ";" "|" prefixes "${CMAKE_PREFIX_PATH}")
  include(ExternalProject)
  ExternalProject_Add("${target}" ${source} ${patch} ${subdir}
    LIST_SEPARATOR "|"
    CMAKE_ARGS "-DCMAKE_INSTALL_PREFIX=${staging}" "-DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}"
      "-DCMAKE_PREFIX_PATH=${prefixes}" "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}"
      "-DCMAKE_C_COMPILER=${CMAKE_C_COMPILER}" ${ARG_CMAKE_ARGS})
  if(NOT ARG_SKIP_INSTALL)
    ament_core_install(DIRECTORY "${staging}/" DESTINATION "opt/${PROJECT_NAME}" USE_SOURCE_PERMISSIONS)
    _ament_vendor_hook()
  endif()
endfunction()

# Sets <var> to the arguments of ExternalProject_Add() that say where the source is.
function(_ament_vendor_source var)
  if(NOT ARG_VCS_TYPE OR ARG_VCS_TYPE STREQUAL "git")
    set(${var} GIT_REPOSITORY "${ARG_VCS_URL}" GIT_TAG "${ARG_VCS_VERSION}" PARENT_SCOPE)
  elseif(ARG_VCS_TYPE STREQUAL "path")
    set(${var} SOURCE_DIR "${ARG_VCS_URL}" PARENT_SCOPE)
  elseif(ARG_VCS_TYPE MATCHES "^(tar|zip|url)$")
    set(${var} URL "${ARG_VCS_URL}" PARENT_SCOPE)
  else()
    message(FATAL_ERROR "ament_vendor(): the VCS_TYPE '${ARG_VCS_TYPE}' is none of git, tar, zip, url and path")
  endif()
endfunction()

# Sets <var> to the arguments of ExternalProject_Add() that apply the patches in order.
function(_ament_vendor_patch var)
  set(files "")
  foreach(patch IN LISTS ARG_PATCHES)
    ament_core_source_path(patch "${patch}")
    if(IS_DIRECTORY "${patch}")
      file(GLOB in_folder "${patch}/*.patch" "${patch}/*.diff")
      list(SORT in_folder)
      list(APPEND files ${in_folder})
    else()
      list(APPEND files "${patch}")
    endif()
  endforeach()
  set(command "")
  foreach(file IN LISTS files)
    if(command)
      list(APPEND command COMMAND)
    else()
      set(command PATCH_COMMAND)
    endif()
    list(APPEND command patch -p1 --forward -i "${file}")
  endforeach()
  set(${var} "${command}" PARENT_SCOPE)
endfunction()

# Adds the hook for <prefix>/opt/<pkg>.
function(_ament_vendor_hook)
  set(folder "opt/${PROJECT_NAME}")
  set(global_lines "")
  if(ARG_GLOBAL_HOOK)
    ament_core_library_path_variable(library_path)
    string(CONCAT global_lines "prepend-non-duplicate-if-exists;PATH;${folder}/bin\n"
      "prepend-non-duplicate-if-exists;${library_path};${folder}/lib\n")
  endif()
  get_property(hook GLOBAL PROPERTY AMENT_VENDOR_HOOK)
  ament_environment_hooks("${hook}")
endfunction()
