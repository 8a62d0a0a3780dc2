# Small commands on lists, strings, paths and files.
include_guard(GLOBAL)
cmake_policy(VERSION 3.16...3.25)

# Appends each value to the list variable of the caller, unless the list has it.
function(list_append_unique _ament_list)
  foreach(_ament_value IN LISTS ARGN)
    if(NOT _ament_value IN_LIST ${_ament_list})
      list(APPEND ${_ament_list} "${_ament_value}")
    endif()
  endforeach()
  set(${_ament_list} "${${_ament_list}}" PARENT_SCOPE)
endfunction()

# Sets <var> to <path> without ".", ".." and double slashes. A relative path stays relative.
function(normalize_path var path)
  file(TO_CMAKE_PATH "${path}" path)
  if(IS_ABSOLUTE "${path}")
    get_filename_component(path "${path}" ABSOLUTE)
  else()
    set(base "/ament/normalize/base")
    get_filename_component(absolute "${path}" ABSOLUTE BASE_DIR "${base}")
    file(RELATIVE_PATH path "${base}" "${absolute}")
    if(path STREQUAL "")
      set(path ".")
    endif()
  endif()
  set(${var} "${path}" PARENT_SCOPE)
endfunction()

# Sets <var> to TRUE if the string <str> ends with <suffix>, otherwise to FALSE.
function(string_ends_with str suffix var)
  string(LENGTH "${str}" str_length)
  string(LENGTH "${suffix}" suffix_length)
  math(EXPR begin "${str_length} - ${suffix_length}")
  set(result FALSE)
  if(begin GREATER_EQUAL 0)
    string(SUBSTRING "${str}" ${begin} -1 end)
    if("x${end}" STREQUAL "x${suffix}")
      set(result TRUE)
    endif()
  endif()
  set(${var} ${result} PARENT_SCOPE)
endfunction()

# Makes CMake configure again when the content of the file <path> changes.
function(stamp path)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
endfunction()

# Stops with <error_message> when the file <filename> does not exist.
function(assert_file_exists filename error_message)
  ament_core_source_path(filename "${filename}")
  if(NOT EXISTS "${filename}")
    message(FATAL_ERROR "${error_message}: '${filename}' does not exist")
  endif()
endfunction()

# Sets <var> to the path of the executable <target_or_path>; for a target, a generator expression or its location.
# A fourth argument CONFIGURE asks for a path that is known at configure time.
function(get_executable_path var target_or_path)
  set(result "${target_or_path}")
  if(TARGET ${target_or_path})
    get_target_property(imported ${target_or_path} IMPORTED)
    if("CONFIGURE" IN_LIST ARGN AND imported)
      get_target_property(result ${target_or_path} LOCATION)
    elseif("CONFIGURE" IN_LIST ARGN)
      message(FATAL_ERROR "get_executable_path(): the target '${target_or_path}' is built by this project, so its "
        "path is not known at configure time. Leave out CONFIGURE.")
    else()
      set(result "$<TARGET_FILE:${target_or_path}>")
    endif()
  endif()
  set(${var} "${result}" PARENT_SCOPE)
endfunction()

# Declares the options that packages share. Arguments: [EXCLUDE_BUILD_SHARED_LIBS]
macro(ament_add_default_options)
  if(NOT "${ARGN}" STREQUAL "EXCLUDE_BUILD_SHARED_LIBS")
    option(BUILD_SHARED_LIBS "Build libraries without STATIC or SHARED as shared ones" ON)
  endif()
endmacro()

# Sets <var> to the prefixes that are searched for packages: AMENT_PREFIX_PATH first, then CMAKE_PREFIX_PATH.
function(ament_core_prefixes var)
  file(TO_CMAKE_PATH "$ENV{AMENT_PREFIX_PATH}" ament_prefixes)
  file(TO_CMAKE_PATH "$ENV{CMAKE_PREFIX_PATH}" cmake_prefixes)
  set(prefixes "")
  list_append_unique(prefixes ${ament_prefixes} ${CMAKE_PREFIX_PATH} ${cmake_prefixes})
  set(${var} "${prefixes}" PARENT_SCOPE)
endfunction()

# Sets <var> to <path> as an absolute path: relative paths are in the current source folder.
function(ament_core_source_path var path)
  get_filename_component(path "${path}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  set(${var} "${path}" PARENT_SCOPE)
endfunction()

# Sets <_ament_var> to <_ament_file>, or, if that ends with .in, to the file in <_ament_folder> that it is expanded to
# (@ONLY). This and its callers have only variables with the prefix "_ament_", which templates of packages do not use.
function(ament_core_expand_template _ament_file _ament_folder _ament_var)
  if(_ament_file MATCHES "[.]in$")
    get_filename_component(_ament_name "${_ament_file}" NAME)
    string(REGEX REPLACE "[.]in$" "" _ament_name "${_ament_name}")
    configure_file("${_ament_file}" "${_ament_folder}/${_ament_name}" @ONLY)
    set(_ament_file "${_ament_folder}/${_ament_name}")
  endif()
  set(${_ament_var} "${_ament_file}" PARENT_SCOPE)
endfunction()

# Writes <text> to <file>, unless the file has that content, so that it is not installed again without need.
function(ament_core_write_file file text)
  set(old "")
  if(EXISTS "${file}")
    file(READ "${file}" old)
  endif()
  if(NOT EXISTS "${file}" OR NOT "x${old}" STREQUAL "x${text}")
    file(WRITE "${file}" "${text}")
  endif()
endfunction()

# Stops when <command> got arguments that it does not know: ament_core_no_more_arguments(<command> <arguments>...)
function(ament_core_no_more_arguments command)
  if(NOT "${ARGN}" STREQUAL "")
    message(FATAL_ERROR "${command}() got unknown arguments: ${ARGN}")
  endif()
endfunction()
